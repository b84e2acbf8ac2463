// Eigenvalues in the plane: stable ones stand left of the axis.
import type { ReactElement } from "react";
import { short } from "../panel/inputs";
import { wind } from "../store/state";

const [WIDE, HIGH, EDGE] = [260, 190, 26];

/** Eigenvalues of a run of modes; a click on one animates it. */
export function Roots({ run, rows }: { run: number; rows: Record<string, unknown>[] }): ReactElement | null {
  const roots = rows.map((row, k) => ({ k, x: Number(row["real 1/s"]), y: Number(row["imag rad/s"]) })).filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  if (!roots.length) return null;
  const reach = { x: Math.max(...roots.map(({ x }) => Math.abs(x)), 1e-12), y: Math.max(...roots.map(({ y }) => Math.abs(y)), 1e-12) };
  const left = reach.x < 1e-6 * reach.y ? reach.y : reach.x; // undamped: the axis stays in the middle
  const at = (x: number, y: number): [number, number] => [
    WIDE / 2 + (x / left) * (WIDE / 2 - EDGE), HIGH / 2 - (y / reach.y) * (HIGH / 2 - EDGE),
  ];
  return (
    <svg className="roots" width={WIDE} height={HIGH} role="group" aria-label="Eigenvalues in the plane">
      <path d={`M${EDGE / 2},${HIGH / 2}H${WIDE - EDGE / 2}M${WIDE / 2},${EDGE / 2}V${HIGH - EDGE / 2}`} />
      <text x={WIDE - 4} y={HIGH / 2 + 17} textAnchor="end">real, ±{short(left, 3)} 1/s</text>
      <text x={WIDE / 2 + 5} y={12}>imag, {short(reach.y, 3)} rad/s</text>
      {roots.flatMap(({ k, x, y }) => (y === 0 ? [y] : [y, -y]).map((one) => {
        const [a, b] = at(x, one);
        const words = `mode ${k + 1}: ${short(x, 4)} ± ${short(y, 4)} i`;
        return <circle key={`${k} ${one}`} cx={a} cy={b} r={4.5} className={x > 0 ? "unstable" : ""} onClick={() => wind({ run, clip: k, t: 0, playing: true })}><title>{words}</title></circle>;
      }))}
    </svg>
  );
}
