// The drawing of the server as nodes and edges: bodies with anchors on their sides, joints, ties.
import type { Edge, Node } from "@xyflow/react";
import type {
  AnchorMessage as Anchor, DiagramBodyMessage as BodyDrawing, DiagramJointMessage as JointDrawing, DiagramMessage as DrawingMessage, DiagramTieMessage as TieDrawing,
} from "../protocol/api";

export const GRID = 10; // pixels of a unit of the server's grid
export const STEP = 30; // pixels that a step of a joint takes

/** What ends at the ground, or at nothing: drawn at the body. */
export interface Stub {
  path: string;
  section: string;
  label: string;
  point: string;
  arrow: boolean;
}

export interface BodyData extends Record<string, unknown> {
  name: string;
  ground: boolean;
  outline: string;
  wide: number;
  high: number;
  anchors: Anchor[];
  stubs: Stub[];
}

export interface JointEdgeData extends Record<string, unknown> {
  joint: JointDrawing;
  efforts: TieDrawing[];
}

export interface TieEdgeData extends Record<string, unknown> {
  tie: TieDrawing;
}

export type BodyNode = Node<BodyData, "body">;
export type JointEdge = Edge<JointEdgeData, "joint">;
export type TieEdge = Edge<TieEdgeData, "tie">;
export type AnyEdge = JointEdge | TieEdge;

export const nodeId = (body: string): string => (body === "ground" ? "ground" : `bodies.${body}`);
export const bodyOf = (id: string): string => id.replace(/^bodies\./, "");
/** Id of an anchor; origins have one on each side. */
export const handleId = (point: string, side: "in" | "out"): string => (point ? `p:${point}` : side);
export const pointOf = (handle: string | null | undefined): string => (handle?.startsWith("p:") ? handle.slice(2) : "");

export function graph(drawing: DrawingMessage): { nodes: BodyNode[]; edges: AnyEdge[] } {
  const nodes = drawing.bodies.map((body) => bodyNode(body, drawing));
  const joints = drawing.joints.map((joint): JointEdge => ({
    id: `joints.${joint.name}`, type: "joint", source: nodeId(joint.parent), target: nodeId(joint.child),
    sourceHandle: handleId(joint.points[0] ?? "", "out"), targetHandle: handleId(joint.points[1] ?? "", "in"),
    data: { joint, efforts: drawing.ties.filter((tie) => tie.joint === joint.name) },
    ariaLabel: `joint ${joint.name}, ${joint.kind}, from ${at(joint.parent, joint.points[0] ?? "")} to ${at(joint.child, joint.points[1] ?? "")}`,
  }));
  const ties = drawing.ties.filter((tie) => tie.joint === "" && isBetween(tie)).map((tie): TieEdge => {
    const [a = "", b = ""] = moving(tie);
    const [here, there] = [a, b].map((body) => tie.points[tie.bodies.indexOf(body)] ?? "") as [string, string];
    return {
      id: `${tie.section}.${tie.name}`, type: "tie", source: nodeId(a), target: nodeId(b),
      sourceHandle: handleId(here, "out"), targetHandle: handleId(there, "out"), data: { tie },
      ariaLabel: `${tie.section.slice(0, -1)} ${tie.name}, ${tie.kind}, between ${at(a, here)} and ${at(b, there)}`,
    };
  });
  return { nodes, edges: [...joints, ...ties] };
}

const at = (body: string, point: string): string => (point ? `${body}.${point}` : body);

/** Bodies of a tie without the ground, each once. */
const moving = (tie: TieDrawing): string[] => [...new Set(tie.bodies)].filter((name) => name !== "ground");

/** Whether a tie is drawn as an edge: between two bodies that move. */
const isBetween = (tie: TieDrawing): boolean => moving(tie).length > 1;

function bodyNode(body: BodyDrawing, drawing: DrawingMessage): BodyNode {
  const [width, height] = [GRID * body.width, GRID * body.height];
  return {
    id: nodeId(body.name), type: "body", position: { x: GRID * body.x, y: GRID * body.y - height / 2 },
    width, height, data: {
      name: body.name, ground: body.name === "ground", outline: body.outline, wide: width, high: height, anchors: body.anchors, stubs: stubsOf(body.name, drawing),
    },
    ariaLabel: `body ${body.name}${body.points.length ? `, points ${body.points.join(", ")}` : ""}`,
  };
}

function stubsOf(body: string, drawing: DrawingMessage): Stub[] {
  return drawing.ties
    .filter((tie) => tie.joint === "" && !isBetween(tie) && tie.bodies.length > 0)
    .filter((tie) => (tie.bodies.find((name) => name !== "ground") ?? "ground") === body)
    .map((tie) => ({
      path: `${tie.section}.${tie.name}`, section: tie.section, label: tie.equations ? `${tie.name} ${tie.equations}` : tie.name,
      point: tie.points[tie.bodies.indexOf(body)] ?? "", arrow: tie.section === "wrenches" || tie.bodies.length === 1,
    }));
}

/** Place of a node in units of the grid, as the file keeps it. */
export function unitsOf(node: BodyNode): [number, number] {
  return [Math.round(node.position.x / GRID), Math.round((node.position.y + node.data.high / 2) / GRID)];
}
