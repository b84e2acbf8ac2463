// Joints step by step, closures dashed with the number of their equations, links as springs.
import { BaseEdge, getBezierPath, Position, type EdgeProps } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import { select, useStudio } from "../store/state";
import { mark } from "./BodyNode";
import { useWay } from "./lifted";
import { percent, rolesOf } from "./overlays";
import { STEP, type AnyEdge, type JointEdge, type TieEdge } from "./graph";

function useMarks(id: string, selected: boolean | undefined): string {
  const lit = useStudio((s) => s.lit.includes(id));
  const worst = useStudio((s) => mark(s, id));
  return `${selected ? "chosen" : ""} ${lit ? "lit" : ""} ${worst}`;
}

/** Where a line begins and ends, also while a body at its ends is dragged. */
function useEnds(line: EdgeProps<AnyEdge>): Pick<EdgeProps, "sourceX" | "sourceY" | "targetX" | "targetY"> {
  const [from, to] = [useWay(line.source), useWay(line.target)];
  return { sourceX: line.sourceX + from.x, sourceY: line.sourceY + from.y, targetX: line.targetX + to.x, targetY: line.targetY + to.y };
}

export const JointLine = memo(function JointLine(props: EdgeProps<JointEdge>): ReactElement {
  const { id, data, selected } = props;
  const { sourceX: x0, sourceY: y0, targetX: x1, targetY: y1 } = useEnds(props);
  const marks = useMarks(id, selected);
  const signs = data?.joint.steps.map((step) => step.sign) ?? ["="];
  const back = x1 < x0 + STEP * signs.length + 20;
  const first = x1 - STEP * signs.length + 5;
  const bend = back ? first - 10 : Math.max(x0 + 10, x1 - STEP * (data?.joint.room ?? 1) - 5); // the same for all beside it
  const reach = (bend - x0) / 2;
  const line = back ? aroundCorners([[x0, y0], [x0 + 12, y0], [x0 + 12, (y0 + y1) / 2], [bend - 8, (y0 + y1) / 2], [bend - 8, y1], [x1, y1]])
    : `M${x0} ${y0}C${x0 + reach} ${y0} ${bend - reach} ${y1} ${bend} ${y1}H${x1}`;
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
        <text className="note" x={first + ((signs.length - 1) * STEP) / 2} y={y1 - 16}>{joint.name}</text>}
      {data?.efforts.map((tie, k) => (
        <text
          key={tie.name} className="note effort" data-path={`${tie.section}.${tie.name}`} x={first + ((signs.length - 1) * STEP) / 2}
          y={y1 + 24 + 12 * k} onClick={(event) => { event.stopPropagation(); select([`${tie.section}.${tie.name}`]); }}
        >{tie.name}</text>
      ))}
      <title>{`${joint?.name ?? ""} (${joint?.kind ?? ""})`}</title>
    </g>
  );
});

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

const NAME = 13; // from the end of a line to its name [px]

/** Places on a cubic curve that is written as a path: at a share of it, and near one of its ends. */
function along(path: string, share: number, end: 0 | 1): { middle: [number, number]; near: [number, number]; away: -1 | 1 } {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = (path.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
  const at = (t: number): [number, number] => {
    const s = 1 - t;
    const mix = (p: number, q: number, r: number, z: number): number => s ** 3 * p + 3 * s * s * t * q + 3 * s * t * t * r + t ** 3 * z;
    return [mix(a, c, e, g), mix(b, d, f, h)];
  };
  const first = 3 * (end === 0 ? Math.hypot(c - a, d - b) : Math.hypot(g - e, h - f)); // speed at that end
  const t = Math.min(0.3, NAME / Math.max(1, first));
  return { middle: at(b > h ? 1 - share : share), near: at(end === 0 ? t : 1 - t), away: (end === 0 ? g - a : a - g) < 0 ? 1 : -1 };
}

export const TieLine = memo(function TieLine(props: EdgeProps<TieEdge>): ReactElement {
  const { id, sourcePosition, targetPosition, data, selected } = props;
  const { sourceX, sourceY, targetX, targetY } = useEnds(props);
  const marks = useMarks(id, selected);
  const [path] = getBezierPath({
    sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, curvature: 0.35 + 0.2 * (data?.lane ?? 0),
  });
  const tie = data?.tie;
  const closure = tie?.section === "closures";
  const { middle, near, away } = along(path, 0.5 + 0.16 * (data?.lane ?? 0), data?.end ?? 0);
  const below = closure && (data?.end ? targetPosition : sourcePosition) === Position.Bottom; // its line begins downwards: the name stands beside it
  const [x, y] = closure ? [near[0] + (below ? 5 * away : 0), near[1] + 7] : middle;
  return (
    <g className={`${tie?.section ?? ""} tie ${marks}`} data-path={id}>
      <BaseEdge path={path} interactionWidth={16} />
      {!closure && <path className="spring" d={`M${x - 14} ${y}l4 -6l6 12l6 -12l6 12l6 -6`} />}
      <text className="note" x={x} y={y - (below ? 3 : 9)} style={below ? { textAnchor: away > 0 ? "start" : "end" } : undefined}>{closure ? `${tie.name} ${tie.equations}` : tie?.name}</text>
      <title>{`${tie?.name ?? ""} (${tie?.kind ?? ""}${closure ? `, ${tie.equations} equations` : ""})`}</title>
    </g>
  );
});
