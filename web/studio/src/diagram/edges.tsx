// Joints step by step, closures dashed with the number of their equations, links as springs.
import { BaseEdge, type EdgeProps } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import { select, useStudio } from "../store/state";
import { mark } from "./BodyNode";
import { useWay } from "./lifted";
import { percent, rolesOf } from "./overlays";
import { GRID, STEP, type AnyEdge, type JointEdge, type TieEdge } from "./graph";

function useMarks(id: string, selected: boolean | undefined): string {
  const lit = useStudio((s) => s.lit.includes(id));
  const worst = useStudio((s) => mark(s, id));
  return `${selected ? "chosen" : ""} ${lit ? "lit" : ""} ${worst}`;
}

interface Ends {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  /** Whether a body at its ends is on its way. */
  lifted: boolean;
}

/** Where a line begins and ends, also while a body at its ends is dragged. */
function useEnds(line: EdgeProps<AnyEdge>): Ends {
  const [from, to] = [useWay(line.source), useWay(line.target)];
  const lifted = [from.x, from.y, to.x, to.y].some(Boolean);
  return { x0: line.sourceX + from.x, y0: line.sourceY + from.y, x1: line.targetX + to.x, y1: line.targetY + to.y, lifted };
}

export const JointLine = memo(function JointLine(props: EdgeProps<JointEdge>): ReactElement {
  const { id, data, selected } = props;
  const { x0, y0, x1, y1, lifted } = useEnds(props);
  const marks = useMarks(id, selected);
  const signs = data?.joint.steps.map((step) => step.sign) ?? ["="];
  const first = x1 - STEP * signs.length + 5;
  const line = way(x0, y0, x1, y1, signs.length, data?.joint.room ?? 1, lifted ? null : data?.joint.lane);
  const joint = data?.joint;
  const known = useStudio((s) => (s.overlays.includes("roles") ? s.drawing?.roles : undefined));
  const share = useStudio((s) => (s.overlays.includes("shares") ? s.shares?.[id] : undefined));
  const roles = joint && known ? rolesOf(joint, known) : [];
  return (
    <g className={`joint ${marks}`} data-path={id}>
      <BaseEdge path={line} interactionWidth={16} />
      {signs.map((sign, k) => <Sign key={k} x={first + k * STEP} y={y1} sign={sign} role={known ? (roles[k] ?? "") : joint?.driven ? "driven" : ""} />)}
      {share !== undefined && <text className="note share" x={first + ((signs.length - 1) * STEP) / 2} y={y1 + 23}>{percent(share)}</text>}
      {joint && joint.name !== joint.child &&
        <text className="note" {...beside(joint.name, first + ((signs.length - 1) * STEP) / 2, x1)} y={y1 - 16}>{joint.name}</text>}
      {data?.efforts.map((tie, k) => (
        <text
          key={tie.name} className="note effort" data-path={`${tie.section}.${tie.name}`} {...beside(tie.name, first + ((signs.length - 1) * STEP) / 2, x1)}
          y={y1 + 24 + 12 * k} onClick={(event) => { event.stopPropagation(); select([`${tie.section}.${tie.name}`]); }}
        >{tie.name}</text>
      ))}
      <title>{`${joint?.name ?? ""} (${joint?.kind ?? ""})`}</title>
    </g>
  );
});

const LETTER = 7.5; // width of a letter of a name [px], as the server counts

/** A name in the middle of the signs of a joint, or further left, where its body begins. */
function beside(name: string, middle: number, body: number): { x: number; style?: { textAnchor: "end" } } {
  return middle + (LETTER * name.length) / 2 + 3 > body ? { x: body - 3, style: { textAnchor: "end" } } : { x: middle };
}

/** The line of a joint: straight, a bend, straight; around others along a lane; or back to a further line of a chain. */
function way(x0: number, y0: number, x1: number, y1: number, steps: number, room: number, lane: readonly number[] | null | undefined): string {
  const turn = x1 - STEP * steps - 15;
  const [far = 0, low = 0] = lane?.map((units) => GRID * units) ?? [];
  if (turn + 10 < x0) {
    const level = lane ? low : (y0 + y1) / 2;
    return aroundCorners([[x0, y0], [x0 + 10, y0], [x0 + 10, level], [turn, level], [turn, y1], [x1, y1]]);
  }
  const [x, y] = lane ? [far - 5, low] : [Math.max(x0 + 10, x1 - STEP * room - 5), y1];
  const out = Math.min(12, Math.max(0, (x - x0) / 3));
  const middle = (x0 + out + x) / 2;
  const bend = `M${x0} ${y0}H${x0 + out}C${middle} ${y0} ${middle} ${y} ${x} ${y}`;
  return lane ? `${bend}${aroundCorners([[x, y], [turn, y], [turn, y1], [x1, y1]])}` : `${bend}H${x1}`;
}

/** A line along places, with round corners. */
function aroundCorners(places: [number, number][]): string {
  return places.map(([x, y], k) => {
    const [before, after] = [places[k - 1], places[k + 1]];
    if (!before || !after) return `${k ? "L" : "M"}${x} ${y}`;
    const near = ([a, b]: [number, number]): string => {
      const far = Math.hypot(a - x, b - y) || 1;
      const share = Math.min(8, far / 2) / far;
      return `${x + share * (a - x)} ${y + share * (b - y)}`;
    };
    return `L${near(before)}Q${x} ${y} ${near(after)}`;
  }).join("");
}

/** A circle turns, a square shifts; the number is that of the axis. */
function Sign({ x, y, sign, role }: { x: number; y: number; sign: string; role: string }): ReactElement {
  const kind = `sign ${role}`;
  return (
    <>
      {"T=".includes(sign[0] ?? "") ? <rect className={kind} x={x - 11} y={y - 11} width={22} height={22} />
        : <circle className={kind} cx={x} cy={y} r={11} />}
      <text className="step" x={x} y={y + 1}>{sign}</text>
    </>
  );
}

/** A place on a cubic curve, at a share of it. */
function along(t: number, a: number, b: number, c: number, d: number): number {
  const s = 1 - t;
  return s ** 3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t ** 3 * d;
}

/** A curve as the server has found it: it goes with the bodies that it ends at. */
export const TieLine = memo(function TieLine(props: EdgeProps<TieEdge>): ReactElement {
  const { id, data, selected } = props;
  const { x0, y0, x1, y1 } = useEnds(props);
  const marks = useMarks(id, selected);
  const tie = data?.tie;
  const [[a = 0, b = 0], [c = 0, d = 0], share] = [tie?.leave ?? [], tie?.arrive ?? [], tie?.share ?? 0.5];
  const closure = tie?.section === "closures";
  const [x, y] = [along(share, x0, x0 + a, x1 + c, x1), along(share, y0, y0 + b, y1 + d, y1)];
  return (
    <g className={`${tie?.section ?? ""} tie ${marks}`} data-path={id}>
      <BaseEdge path={`M${x0} ${y0}C${x0 + a} ${y0 + b} ${x1 + c} ${y1 + d} ${x1} ${y1}`} interactionWidth={16} />
      {!closure && <path className="spring" d={`M${x - 14} ${y}l4 -6l6 12l6 -12l6 12l6 -6`} />}
      <text className="note" x={x} y={closure ? y + 4 : y - 9}>{closure ? `${tie.name} ${tie.equations}` : tie?.name}</text>
      <title>{`${tie?.name ?? ""} (${tie?.kind ?? ""}${closure ? `, ${tie.equations} equations` : ""})`}</title>
    </g>
  );
});
