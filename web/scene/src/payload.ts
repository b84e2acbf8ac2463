// What a page carries: written by src/kinetree/view/payload.py, read here.
import { unzlibSync } from "fflate";

/** A table of numbers, column by column; see `unpack`. */
export interface Packed {
  rows: number;
  columns: number;
  offset: number[];
  scale: number[];
  data: string;
}

/** A solid in the frame of its body; lengths in m, `turn` is the quaternion w, x, y, z. */
export interface Part {
  kind: "box" | "cylinder" | "sphere" | "capsule" | "cone" | "frustum" | "torus" | "mesh";
  at: number[];
  turn: number[];
  size?: number[];
  radius?: number;
  top?: number;
  length?: number;
  tube?: number;
  colour?: string;
  opacity?: number;
  triangles?: Packed;
}

export interface BodyData {
  name: string;
  parts: Part[];
}

/** Something that stretches between points of two bodies. */
export interface LinkData {
  name: string;
  kind: "spring" | "rod";
  from: { body: number; at: number[] };
  to: { body: number; at: number[] };
  radius: number;
  length: number;
}

export interface SignalGroup {
  name: string;
  names: string[];
  units: string[];
  data: Packed;
}

/** Rows [first, first + times.length) of the poses; a cyclic clip is one period of a mode. */
export interface ClipData {
  label: string;
  detail: string;
  first: number;
  times: number[];
  cyclic: boolean;
}

/** A slider of a page that simulates. */
export interface Control {
  kind: "q" | "qd" | "tau" | "p";
  /** Number of the component, or name of the parameter. */
  key: number | string;
  name: string;
  unit: string;
  low: number;
  high: number;
  value: number;
}

/** Start values and names of a page that simulates; the programs come as a script of their own. */
export interface LiveData {
  step: number;
  q: number[];
  qd: number[];
  x: number[];
  parameters: Record<string, number>;
  bodies: string[];
  loops: string[];
  signals: { name: string; names: string[]; units: string[] }[];
  controls: Control[];
}

export interface Payload {
  title: string;
  note: string;
  warnings: string[];
  up: number[];
  floor: number;
  size: number;
  low: number[];
  high: number[];
  /** Number of the body that travels far, with which camera and floor go along; else 0. */
  follow: number;
  bodies: BodyData[];
  links: LinkData[];
  poses: Packed;
  clips: ClipData[];
  signals: SignalGroup[];
  /** Names of the curves that are shown before any is chosen. */
  shown: string[];
  live?: LiveData;
}

/**
 * The numbers of a packed table, column after column.
 *
 * Each column is offset + scale·k with integers k, stored as second differences, zigzag coded,
 * the lowest bytes of all first, compressed, base64.
 */
export function unpack(packed: Packed): Float32Array[] {
  const { rows, columns } = packed;
  const coded = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
  const bytes = unzlibSync(coded);
  const n = rows * columns;
  const table: Float32Array[] = [];
  for (let c = 0, i = 0; c < columns; c++) {
    const column = new Float32Array(rows);
    const offset = packed.offset[c] ?? 0;
    const scale = packed.scale[c] ?? 1;
    let slope = 0;
    let value = 0;
    for (let r = 0; r < rows; r++, i++) {
      const z = byte(bytes, i) | (byte(bytes, n + i) << 8) | (byte(bytes, 2 * n + i) << 16) |
        (byte(bytes, 3 * n + i) << 24);
      slope = (slope + ((z >>> 1) ^ -(z & 1))) | 0;
      value = (value + slope) | 0;
      column[r] = offset + scale * value;
    }
    table.push(column);
  }
  return table;
}

function byte(bytes: Uint8Array, i: number): number {
  return bytes[i] ?? 0;
}

export function readPayload(): Payload {
  const element = document.getElementById("kinetree-data");
  if (!element?.textContent) throw new Error("the page carries no data");
  return JSON.parse(element.textContent) as Payload;
}
