// What the tables of the rooms say of an element: its fields with unit, meaning and default.
import type { DiagramJointMessage as JointDrawing, FieldMessage, KindMessage } from "../protocol/api";
import { isMapping } from "../store/document";
import { at, ONE, steps } from "../store/model";
import { state, type ModelData, type Values } from "../store/state";

export type Field = FieldMessage;
export const AXES = ["x", "y", "z", "-x", "-y", "-z"];
export const INERTIA = ["xx", "yy", "zz", "xy", "xz", "yz"];
const BARE = ["mapping", "flag"];

function rowOf(section: string, kind: string): KindMessage | undefined {
  const { catalogue } = state();
  return catalogue.find((row) => row.section === section && row.kind === kind)
    ?? catalogue.find((row) => row.section === section && row.kind === "");
}

/** Kinds of a section, in the order of its table; empty where it has none. */
export function kinds(section: string): string[] {
  return state().catalogue.filter((row) => row.section === section && row.kind !== "").map((row) => row.kind);
}

/** Kinds that stand between two places. */
export function betweenPlaces(section: string): string[] {
  return state().catalogue.filter((row) => row.section === section && row.places.length === 2).map((row) => row.kind);
}

/** Fields of an element, those that are needed first. */
export function fieldsOf(section: string, kind: string): Field[] {
  const found = rowOf(section, kind)?.fields ?? [];
  return [...found.filter((field) => field.required), ...found.filter((field) => !field.required)];
}

/** Unit of a field at steps of a joint: angles and torques, lengths and forces, or both where nobody knows; balls start at quaternions. */
export function unitOf(field: Field, signs: string): string {
  const turns = /^[RH]+$/.test(signs);
  const shifts = /^T+$/.test(signs);
  if (field.unit === "rad or m") return turns ? "rad" : shifts || signs === "F" ? "m" : signs === "S" ? "" : "rad, m";
  if (!field.unit.includes("{")) return field.unit;
  const [turned, shifted] = [["N.m", "rad"], ["N", "m"]].map(([effort = "", q = ""]) => field.unit.replace("{effort}", effort).replace("{q}", q));
  return (turns ? turned : shifts ? shifted : `${turned} or ${shifted}`) ?? "";
}

/** Letters of the steps that an element speaks of: of a joint, its own; of another one, that of the coordinate it names. */
export function signsOf(path: string[], row: unknown, joints: JointDrawing[]): string {
  const own = joints.find((joint) => joint.path === path.join("."));
  if (own) return own.steps.map((step) => step.letter).join("");
  const name = isMapping(row) ? String(row["joint"] ?? row["coordinate"] ?? "") : "";
  const named = joints.find((joint) => joint.name === name || joint.coordinates.includes(name));
  const [at, steps] = [named?.coordinates.indexOf(name) ?? -1, named?.steps ?? []];
  return (steps.length === named?.coordinates.length ? steps[Math.max(0, at)]?.letter : undefined) ?? "";
}

/** Start values that a joint of steps has where none are said. */
export function usualStart(signs: string, count: number): string {
  if (signs.length === count) return Array(count).fill(0).join(", ");
  return signs === "S" ? "1, 0, 0, 0" : "";
}

/** What a kind means. */
export function about(section: string, kind: string): string {
  return rowOf(section, kind)?.text ?? ONE[section] ?? "";
}

/** Values that a new element begins with, where one is needed and nobody has said it. */
export function begin(section: string, kind: string, given: Values): Values {
  const made: Values = kind ? { kind, ...given } : { ...given };
  for (const row of fieldsOf(section, kind)) {
    if (!row.required || row.name in made || BARE.includes(row.form)) continue;
    if (row.name === "steps") made[row.name] = "R1 R3";
    else if (row.form === "vector") made[row.name] = [0, 0, 0];
    else if (row.form === "axis") made[row.name] = "z";
    else if (row.form === "choice") made[row.name] = row.choices[0];
    else if (["number", "expression"].includes(row.form)) made[row.name] = 1;
  }
  return made;
}

/** The kind and the section that a path speaks of. */
export function elementAt(data: ModelData, path: string): { section: string; name: string; kind: string; row: unknown } {
  const [section = "", name = ""] = steps(path);
  const row = section === "ground" ? data["ground"] : at(data, [section, name]);
  const kind = isMapping(row) ? String(row["kind"] ?? "") : "";
  return { section, name, kind, row };
}
