// Tables of the model as rows of cells, and what a changed cell, or a block of them, is as an edit.
import { parsed } from "../panel/inputs";
import { INERTIA } from "../panel/schema";
import type { Operation } from "../protocol/text";
import { isMapping } from "../store/document";
import { join, names, points, pointsOf, rows } from "../store/model";
import type { ModelData } from "../store/state";

export interface Column {
  title: string;
  unit: string;
  /** Field of the element, and entry of a vector. */
  field: string;
  index: number | null;
}

export interface GridRow {
  path: string;
  name: string;
  /** Where its fields stand in the document. */
  at: string[];
  value: unknown;
}

export interface Grid {
  title: string;
  columns: Column[];
  rows: GridRow[];
  /** The operation that adds a row of a name. */
  add: (name: string, fields: Record<string, unknown>) => Operation | null;
}

const plain = (field: string, unit = ""): Column => ({ title: field, unit, field, index: null });
const vector = (field: string, unit: string, letters: readonly string[]): Column[] =>
  letters.map((letter, index) => ({ title: `${field === "position" ? "" : `${field} `}${letter}`, unit, field, index }));
/** What a row that is added has at least. */
const FIRST: Record<string, Record<string, unknown>> = { bodies: { mass: 1 }, parameters: { value: 1 } };
const XYZ = ["x", "y", "z"];

function elements(data: ModelData, section: string): GridRow[] {
  return Object.entries(rows(data, section)).map(([name, value]) => ({ path: join(section, name), name, at: [section, name], value }));
}

export function grids(data: ModelData): Record<string, Grid> {
  const simple = (section: string, columns: Column[]): Grid => ({
    title: section, columns, rows: elements(data, section), add: (name, fields) => ["add", section, name, { ...FIRST[section], ...fields }],
  });
  return {
    points: {
      title: "points", columns: vector("position", "m", XYZ),
      rows: ["ground", ...names(data, "bodies")].flatMap((body) => Object.entries(points(data, body)).map(([point, value]) => ({
        path: join(...pointsOf(body), point), name: `${body}.${point}`, at: [...pointsOf(body), point], value,
      }))),
      add: (name, fields) => {
        const [body = "", point = ""] = name.split(".");
        return point ? ["set", [...pointsOf(body), point], fields["position"] ?? [0, 0, 0]] : null;
      },
    },
    bodies: simple("bodies", [plain("mass", "kg"), ...vector("com", "m", XYZ), ...vector("inertia", "kg.m2", INERTIA)]),
    joints: simple("joints", [plain("kind"), plain("parent"), plain("child"), plain("axis"), plain("initial")]),
    parameters: simple("parameters", [plain("value"), plain("unit")]),
  };
}

/** What a cell shows. */
export function cell(row: GridRow, column: Column): unknown {
  const { value } = row;
  const field = isMapping(value) ? value[column.field] : ["position", "value"].includes(column.field) ? value : undefined;
  return column.index === null ? field : Array.isArray(field) ? (field as unknown[])[column.index] : undefined;
}

/** Operations that give cells of a row their texts. */
export function rowEdit(row: GridRow, changes: [Column, string][]): Operation[] {
  const lists = new Map<string, unknown[]>();
  const made: Operation[] = [];
  for (const [column, text] of changes) {
    const path = place(row, column.field);
    if (column.index === null) {
      made.push(text.trim() === "" ? ["unset", path] : ["set", path, scalar(text)]);
      continue;
    }
    const held = lists.get(column.field) ?? start(row, column);
    while (held.length <= column.index) held.push(0);
    held[column.index] = text.trim() === "" ? 0 : parsed(text);
    lists.set(column.field, held);
  }
  for (const [field, list] of lists) made.push(["set", place(row, field), list]);
  return made;
}

function scalar(text: string): unknown {
  const bare = text.trim();
  return bare.startsWith("[") && bare.endsWith("]") ? bare.slice(1, -1).split(",").map((part) => parsed(part)) : parsed(bare);
}

/** Where a field of a row stands; short forms have no fields. */
function place(row: GridRow, field: string): string[] {
  const short = !isMapping(row.value) && ["position", "value"].includes(field);
  return short ? row.at : [...row.at, field];
}

function start(row: GridRow, column: Column): unknown[] {
  const field = isMapping(row.value) ? row.value[column.field] : row.value;
  return Array.isArray(field) ? [...(field as unknown[])] : [0, 0, 0];
}
