// Questions to the document as data: elements, names, places.
import { isMapping } from "./document";
import type { ModelData } from "./state";

/** Sections whose rows are elements, in the order of the tree. */
export const SECTIONS = [
  "parameters", "tables", "bodies", "joints", "closures", "forces", "wrenches", "drives", "states", "clocks", "events",
  "outputs",
] as const;
/** What a single one is called. */
export const ONE: Record<string, string> = {
  parameters: "parameter", tables: "table", bodies: "body", joints: "joint", closures: "closure", forces: "force",
  wrenches: "wrench", drives: "drive", states: "state", clocks: "clock", events: "event", outputs: "output",
  ground: "ground",
};

export const steps = (path: string): string[] => path.split(".");
export const join = (...parts: string[]): string => parts.join(".");

/** What stands at a path; undefined where nothing does. */
export function at(data: ModelData, path: readonly (string | number)[]): unknown {
  let found: unknown = data;
  for (const step of path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else if (isMapping(found)) found = found[step];
    else return undefined;
  }
  return found;
}

export function rows(data: ModelData, section: string): Record<string, unknown> {
  const found = data[section];
  return isMapping(found) ? found : {};
}

export function names(data: ModelData, section: string): string[] {
  return Object.keys(rows(data, section));
}

/** Points of a body, or of the ground, by name. */
export function points(data: ModelData, body: string): Record<string, unknown> {
  const found = body === "ground" ? at(data, ["ground", "points"]) : at(data, ["bodies", body, "points"]);
  return isMapping(found) ? found : {};
}

/** Path of the points of a body. */
export const pointsOf = (body: string): string[] => (body === "ground" ? ["ground", "points"] : ["bodies", body, "points"]);

/** All places that joints, closures and forces can be at: bodies, and points as body.point. */
export function places(data: ModelData): string[] {
  return ["ground", ...names(data, "bodies")].flatMap((body) => [
    body, ...Object.keys(points(data, body)).map((point) => `${body}.${point}`),
  ]);
}

/** A name that is not taken yet: stem, or stem with a number. */
export function fresh(taken: Iterable<string>, stem: string): string {
  const known = new Set(taken);
  if (!known.has(stem)) return stem;
  const bare = stem.replace(/_?\d+$/, "");
  for (let k = 2; ; k += 1) if (!known.has(`${bare}${k}`)) return `${bare}${k}`;
}

/** Whether a joint carries a body already. */
export function isCarried(data: ModelData, body: string): boolean {
  return Object.values(rows(data, "joints")).some((row) => isMapping(row) && steps(String(row["child"]))[0] === body);
}
