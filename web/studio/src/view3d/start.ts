// A pose of a run, or a state of rest, as start values of the joints.
import type { CurvesMessage, ResultMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import type { Operation } from "../protocol/text";
import { edit, isMapping } from "../store/document";
import { at } from "../store/model";
import { state, tell } from "../store/state";

/** Set the start of every joint whose coordinates are given. */
export async function startFrom(values: Record<string, number>, label: string): Promise<void> {
  const { drawing, data } = state();
  const operations = (drawing?.joints ?? []).flatMap((joint): Operation[] => {
    const found = joint.coordinates.map((name) => values[name]);
    if (!found.length || found.some((value) => value === undefined)) return [];
    const rounded = found.map((value) => Number((value ?? 0).toPrecision(9)) + 0);
    const row = at(data, ["joints", joint.name]);
    const before = isMapping(row) ? row["initial"] : undefined;
    const same = Array.isArray(before) ? before.every((one, k) => one === rounded[k]) : before === rounded[0] && rounded.length === 1;
    return same ? [] : [["set", ["joints", joint.name, "initial"], rounded]];
  });
  await edit(operations, label);
  if (operations.length) tell(`${operations.length} joints start there now`);
}

/** The pose that is shown. */
export async function takePose(): Promise<void> {
  const { clock, runs } = state();
  const run = runs.find((one) => one.id === clock.run);
  if (!run || run.analysis === "modes") return;
  const { signals } = await ask<CurvesMessage>(`/api/runs/${run.id}/signals`);
  const names = signals.filter((name) => name.startsWith("q."));
  const query = names.map((name) => `name=${encodeURIComponent(name)}`).join("&");
  const { time, curves } = await ask<CurvesMessage>(`/api/runs/${run.id}/signals?${query}&from=${clock.t}&to=${clock.t}`); // rows beside that time, as they are
  const values = Object.fromEntries(names.map((name) => [name.slice(2), between(time, curves[name] ?? [], clock.t)]));
  await startFrom(values, `start from run ${run.id} at ${clock.t.toPrecision(4)} s`);
}

/** The state of rest that an analysis found. */
export async function takeRest(id: number): Promise<void> {
  const { result } = await ask<ResultMessage>(`/api/runs/${id}/result`);
  const rows = Object.entries(result).filter(([name, value]) => name.startsWith("q_") && typeof value === "number");
  await startFrom(Object.fromEntries(rows.map(([name, value]) => [name.slice(2), value as number])), `start from the rest of run ${id}`);
}

/** A value between two rows of a curve. */
export function between(time: number[], values: number[], t: number): number {
  let low = 0;
  let high = time.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((time[middle] ?? 0) <= t) low = middle;
    else high = middle;
  }
  const [a = 0, b = 0, u = 0, v = 0] = [time[low], time[high], values[low], values[high]];
  return b > a ? u + ((v - u) * Math.min(1, Math.max(0, (t - a) / (b - a)))) : u;
}
