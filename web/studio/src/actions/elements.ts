// Edits of elements, as operations on the text: add, connect, rename, remove, copy, mirror.
import { begin } from "../panel/schema";
import type { DependentsMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import type { Operation } from "../protocol/text";
import { edit, isMapping } from "../store/document";
import { at, fresh, isCarried, join, names, points, pointsOf, steps } from "../store/model";
import { put, select, state, tell, type ModelData, type Values } from "../store/state";

const PLACED = ["parent", "child", "first", "second", "point", "body"];

/** Add a body at a place of the diagram [units of its grid], or where it finds its own. */
export async function addBody(x?: number, y?: number): Promise<void> {
  const name = fresh(["ground", ...names(state().data, "bodies")], "body1");
  const made: Operation[] = [["add", "bodies", name, { mass: 1 }]];
  if (x !== undefined && y !== undefined) made.push(["place", name, x, y]);
  if (!(await edit(made, `add body ${name}`))) return;
  select([join("bodies", name)]);
  put({ tool: null, renaming: join("bodies", name) });
}

export async function addPoint(body: string): Promise<void> {
  const name = fresh(Object.keys(points(state().data, body)), "p1");
  if (!(await edit([["set", [...pointsOf(body), name], [0, 0, 0]]], `add point ${body}.${name}`))) return;
  select([join(...pointsOf(body), name)]);
  put({ tool: null });
}

/** What two places can be connected by; a body that is carried already takes no second joint. */
export function connectable(data: ModelData, from: string, to: string): { joints: boolean; ends: [string, string] } {
  const [a = "", b = ""] = [steps(from)[0], steps(to)[0]];
  if (a !== b && b !== "ground" && !isCarried(data, b)) return { joints: true, ends: [from, to] };
  if (a !== b && a !== "ground" && !isCarried(data, a)) return { joints: true, ends: [to, from] };
  return { joints: false, ends: [from, to] };
}

/** Connect two places by a new joint, closure or force. */
export async function connect(section: string, kind: string, from: string, to: string): Promise<void> {
  const { data } = state();
  const { ends } = connectable(data, from, to);
  const child = steps(ends[1])[0] ?? "";
  const given: Values = section === "joints" ? { parent: ends[0], child: ends[1] } : { first: from, second: to };
  const name = fresh(names(data, section), section === "joints" ? child : kind);
  await edit([["add", section, name, begin(section, kind, given)]], `connect ${from} and ${to}: ${kind}`);
  select([join(section, name)]);
  put({ ends: null, sheet: null });
}

/** Add an element of any section with the values of a form. */
export async function addElement(section: string, name: string, value: unknown): Promise<void> {
  if (!(await edit([["add", section, name, value]], `add ${name}`))) return;
  select([join(section, name)]);
}

export async function rename(path: string, name: string): Promise<void> {
  put({ renaming: null });
  const old = steps(path);
  if (!name || name === old.at(-1)) return;
  if (!(await edit([["rename", old, name]], `rename ${old.at(-1)} to ${name}`))) return;
  select([join(...old.slice(0, -1), name)]);
}

/** Remove elements, and what cannot stay without them. */
export async function remove(paths: string[]): Promise<void> {
  const held = paths.filter((path) => path !== "ground" && path.includes(".") && at(state().data, steps(path)) !== undefined); // some may be gone since they were chosen
  if (!held.length) return;
  const said = await Promise.all(held.map((path) => ask<DependentsMessage>(`/api/document/dependents?element=${encodeURIComponent(path)}`)));
  const along = [...new Set(said.flatMap((row) => row.dependents))].filter((path) => !held.includes(path));
  const gone = new Set<string>();
  const operations = held.flatMap((path, k): Operation[] => {
    if (gone.has(path)) return [];
    for (const one of said[k]?.dependents ?? []) gone.add(one);
    return [["remove", steps(path), true]];
  });
  await edit(operations, `delete ${held.map((path) => steps(path).at(-1)).join(", ")}`);
  select([]);
  if (along.length) tell(`removed along: ${along.join(", ")}`);
}

/** Copies of elements under new names; what they say of each other goes to the copies. */
export function clones(data: ModelData, held: [string, string, unknown][]): { operations: Operation[]; paths: string[] } {
  const taken: Record<string, string[]> = {};
  const renamed: Record<string, string> = {};
  const made = held.map(([section, name, value]) => {
    taken[section] ??= names(data, section);
    const copy = fresh(taken[section], name);
    taken[section].push(copy);
    if (section === "bodies") renamed[name] = copy;
    return { section, copy, value };
  });
  const operations = made.map(({ section, copy, value }): Operation => ["add", section, copy, moved(value, renamed)]);
  return { operations, paths: made.map(({ section, copy }) => join(section, copy)) };
}

function moved(value: unknown, renamed: Record<string, string>): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, held]) => {
    if (!PLACED.includes(field) || typeof held !== "string") return [field, held];
    const [body = "", ...rest] = steps(held);
    return [field, join(renamed[body] ?? body, ...rest)];
  }));
}

const ORDER = ["parameters", "tables", "bodies", "joints", "closures", "states", "clocks", "forces", "wrenches", "events", "outputs"];

/** The selected elements, in the order in which they can be added again. */
export function chosen(): [string, string, unknown][] {
  const { data, selection } = state();
  const order = ORDER;
  return selection
    .map((path) => steps(path))
    .filter((path) => path.length === 2 && order.includes(path[0] ?? ""))
    .sort((a, b) => order.indexOf(a[0] ?? "") - order.indexOf(b[0] ?? ""))
    .map(([section = "", name = ""]) => [section, name, at(data, [section, name])]);
}

export async function duplicate(held = chosen()): Promise<void> {
  const made = clones(state().data, held);
  const of = state().selection.map(steps).filter((path) => path.at(-2) === "points");
  const copies = held.length ? [] : of.map((path) => ({ path, name: fresh(names(at(state().data, path.slice(0, -2)) as ModelData, "points"), path.at(-1) ?? "") }));
  const operations = [...made.operations, ...copies.map(({ path, name }): Operation => ["set", [...path.slice(0, -1), name], at(state().data, path)])];
  const said = [...held.map(([, name]) => name), ...copies.map(({ path }) => path.at(-1))].join(", ");
  if (!operations.length) return tell("There is nothing selected that can be copied.", true);
  await edit(operations, `duplicate ${said}`);
  select([...made.paths, ...copies.map(({ path, name }) => join(...path.slice(0, -1), name))]);
}

/** Switch selected elements off, or all of them on where one is off. */
export async function toggleOff(): Promise<void> {
  const { data, selection } = state();
  const held = selection.map(steps).filter((path) => path.length === 2);
  const isOff = (path: string[]): boolean => {
    const row = at(data, path);
    return isMapping(row) && row["off"] === true;
  };
  const on = held.some(isOff);
  const operations = held.filter((path) => !on || isOff(path)).map((path): Operation => ["enable", path, on]);
  await edit(operations, `switch ${operations.map(([, path]) => (path as string[]).at(-1)).join(", ")} ${on ? "on" : "off"}`);
}

/** Move the selected element up or down in the order of its section. */
export async function reorder(step: -1 | 1): Promise<void> {
  const { data, selection } = state();
  const [section = "", name = "", ...rest] = steps(selection[0] ?? "");
  const all = names(data, section);
  const now = all.indexOf(name);
  const next = now + step;
  if (rest.length || now < 0 || next < 0 || next >= all.length) return;
  await edit([["move", [section, name], (step > 0 ? all[next] : all[next - 1]) ?? ""]], `move ${name} ${step > 0 ? "down" : "up"} in the order`);
}

/** Names of the bodies that are selected. */
export const bodiesChosen = (): string[] => state().selection.filter((path) => path.startsWith("bodies.")).map((path) => steps(path)[1] ?? "");

/** Names of all others. */
export function otherBodies(): string[] {
  const held = bodiesChosen();
  return (state().drawing?.bodies ?? []).map((body) => body.name).filter((name) => !held.includes(name));
}

const MARK = "kinetree-elements";

export function copied(): string {
  return JSON.stringify({ [MARK]: chosen() });
}

/** Paste elements of this window or another one; false where the text is something else. */
export function paste(text: string): boolean {
  try {
    const found = (JSON.parse(text) as Record<string, unknown>)[MARK];
    if (!Array.isArray(found)) return false;
    void duplicate(found as [string, string, unknown][]);
    return true;
  } catch {
    return false;
  }
}

/** Move selected bodies of the diagram by units of its grid. */
export async function nudge(dx: number, dy: number): Promise<void> {
  const { drawing, selection } = state();
  const operations = (drawing?.bodies ?? [])
    .filter((body) => selection.includes(body.name === "ground" ? "ground" : join("bodies", body.name)))
    .map((body): Operation => ["place", body.name, body.x + dx, body.y + dy]);
  if (operations.length) await edit(operations, `move ${operations.map((one) => one[1]).join(", ")}`);
}
