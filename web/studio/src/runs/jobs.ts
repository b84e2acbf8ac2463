// Runs: started, followed by what the socket tells, cancelled.
import type { AnalysisList, MotionMessage, RunList, RunState } from "../protocol/api";
import { ask } from "../protocol/client";
import { flush } from "../store/document";
import { recall, remember } from "../store/remember";
import { put, show, state, tell, wind, type Tab } from "../store/state";

/** Whether a run moves the mechanism: the table of analyses says how each is shown. */
const moves = (run: RunState): boolean => run.analysis === "modes" || state().analyses.some((row) => row.name === run.analysis && row.shown === "run");

export async function loadRuns(): Promise<void> {
  const [{ analyses }, { runs }] = await Promise.all([ask<AnalysisList>("/api/analyses"), ask<RunList>("/api/runs")]);
  put({ analyses, runs });
  const last = runs.findLast((run) => moves(run) && run.state !== "failed" && !isGoing(run));
  if (last && last.analysis !== "modes") wind({ run: last.id });
}

const awaited = new Set<number>(); // runs that somebody asked for by a form, and not a layer of the view

export async function start(analysis: string, options: Record<string, unknown>, tab: Tab = "plots", isAsked = true): Promise<void> {
  await flush();
  try {
    const run = await ask<RunState>("/api/runs", { analysis, options });
    if (isAsked) awaited.add(run.id);
    takeRun(run);
    show(tab);
  } catch (error) {
    tell((error as Error).message, true);
  }
}

/** What has become of a run; one that ends is shown. */
export function takeRun(run: RunState): void {
  const { runs } = state();
  const before = runs.find((one) => one.id === run.id);
  if (!before) kept.delete(run.id); // the number of one that was forgotten
  put({ runs: before ? runs.map((one) => (one.id === run.id ? run : one)) : [...runs, run] });
  const ended = !isGoing(run) && (before === undefined || isGoing(before));
  if (!ended) return;
  if (run.state === "failed") tell(`run ${run.id}: ${run.error}`, true);
  else if (moves(run) || (run.has_curves && awaited.has(run.id))) wind({ run: run.id, clip: 0, t: 0, playing: run.analysis === "modes" });
}

/** Settings with which the form of an analysis opens. */
export function hold(analysis: string, options: Record<string, unknown>): void {
  remember("analysis", analysis);
  remember("options", { ...recall<Record<string, unknown>>("options", {}), [analysis]: options });
}

export async function cancel(id: number): Promise<void> {
  takeRun(await ask<RunState>(`/api/runs/${id}`, undefined, "DELETE"));
}

export function cancelLast(): void {
  const run = state().runs.findLast(isGoing);
  if (run) void cancel(run.id);
}

const kept = new Map<number, Promise<MotionMessage>>();

/** Poses of a run that has ended. */
export function motion(id: number): Promise<MotionMessage> {
  const found = kept.get(id) ?? ask<MotionMessage>(`/api/runs/${id}/motion`);
  kept.set(id, found);
  found.catch(() => kept.delete(id));
  return found;
}

export function forgetMotions(): void {
  kept.clear();
}

/** A run in a few words. */
export function title(run: RunState): string {
  return run.title.endsWith(` ${run.id}`) ? run.title : `${run.id} ${run.title}`; // one without a name has its number
}

/** Whether a run is still at work, or waits for its turn. */
export const isGoing = (run: RunState): boolean => run.state === "going" || run.state === "waiting";
