// A live simulation: a worker makes the steps, the page asks for as many as the clock on the wall says.
import type { LiveData } from "@kinetree/scene/payload";
import { create } from "zustand";
import type { LiveData as LiveAnswer } from "../protocol/api";
import { ask } from "../protocol/client";
import { flush } from "../store/document";
import { show, state, useStudio, wind } from "../store/state";
import { startFrom } from "../view3d/start";
import type { Asked, Said } from "./messages";

/** Rows that are kept of every signal, and how many are dropped when there are more. */
const KEPT = 6000;
const DROPPED = 1000;
/** Least time between two pictures of the curves [ms]. */
const REDRAW = 120;

interface LiveState {
  stage: "off" | "making" | "ready";
  data: LiveData | null;
  /** Revision of the text that is simulated. */
  revision: number;
  playing: boolean;
  t: number;
  speed: number;
  told: string;
  problem: string;
  /** Coordinates, for the sliders. */
  q: number[];
  /** Counts pictures of the curves. */
  drawn: number;
}

const OFF: LiveState = {
  stage: "off", data: null, revision: -1, playing: false, t: 0, speed: 1, told: "", problem: "", q: [], drawn: 0,
};
export const useLive = create<LiveState>(() => OFF);
const now = useLive.getState;

/** Of every body: rotation row by row, then the place of its origin. */
export interface Poses {
  names: string[];
  numbers: Float64Array;
}
/** Told of every new picture; null when the simulation is over. */
let watcher: ((poses: Poses | null) => void) | null = null;
let last: Poses | null = null;

export function watch(told: (poses: Poses | null) => void): () => void {
  watcher = told;
  if (last) told(last);
  return () => {
    if (watcher === told) watcher = null;
  };
}

export const times: number[] = [];
export const columns = new Map<string, number[]>();
(window as { kinetreeCurves?: unknown }).kinetreeCurves = { times, columns }; // for scripts that drive the page

let worker: Worker | null = null;
let busy = false;
let before = 0;
let drawnAt = 0;

/** Derive the simulation of the text as it is, and show it. */
export async function open(): Promise<void> {
  close();
  await flush();
  wind({ run: null, ghost: null, playing: false });
  useLive.setState({ ...OFF, stage: "making", revision: state().document?.revision ?? -1 });
  show("live");
  try {
    const { data } = await ask<LiveAnswer>("/api/live");
    if (now().stage !== "making") return;
    useLive.setState({ data: data as unknown as LiveData });
    worker = new Worker("/live-worker.js");
    worker.addEventListener("message", (event: MessageEvent<Said>) => take(event.data));
    worker.addEventListener("error", (event) => fail(event.message || "the simulation could not be loaded"));
    say({ kind: "open", data: data as unknown as LiveData });
  } catch (error) {
    fail((error as Error).message);
  }
}

export function close(): void {
  worker?.terminate();
  worker = last = null;
  busy = false;
  forget();
  if (now().stage === "off") return;
  useLive.setState(OFF);
  watcher?.(null);
}

function fail(problem: string): void {
  close();
  useLive.setState({ problem });
}

function forget(): void {
  times.length = 0;
  columns.clear();
}

function say(asked: Asked): void {
  worker?.postMessage(asked);
}

export function play(playing: boolean): void {
  if (now().stage !== "ready") return;
  useLive.setState({ playing });
  if (!playing) return;
  say({ kind: "begin" });
  before = performance.now();
  requestAnimationFrame(step);
}

/** One picture: the worker gets the time that has passed, unless it is still at the last one. */
function step(time: number): void {
  if (!now().playing) return;
  if (!busy) {
    busy = true;
    say({ kind: "go", wall: Math.max(0, time - before) / 1000 });
    before = time;
  }
  requestAnimationFrame(step);
}

export function restart(): void {
  say({ kind: "reset" });
}

export function pace(speed: number): void {
  useLive.setState({ speed });
  say({ kind: "speed", value: speed });
}

/** Move a slider: coordinates and velocities begin anew, efforts and parameters act at once. */
export function slide(what: "q" | "qd" | "tau" | "p", key: number | string, value: number): void {
  if (what === "q" || what === "qd") {
    const q = what === "q" ? now().q.with(Number(key), value) : now().q; // the slider stays where it was put
    useLive.setState({ playing: false, q });
    say({ kind: "pose", what, key: Number(key), value });
  } else say({ kind: "load", what, key, value });
}

export const hold = (body: string, at: number[], to: number[]): void => say({ kind: "hold", body, at, to });
export const release = (): void => say({ kind: "release" });

function take(said: Said): void {
  busy = false;
  if ("error" in said) return fail(said.error);
  const { data, playing } = now();
  if (!data) return;
  if (said.fresh) forget();
  for (const row of said.rows) record(data, row);
  last = { names: data.bodies, numbers: said.poses };
  watcher?.(last);
  const due = said.fresh || performance.now() - drawnAt > REDRAW;
  if (due) drawnAt = performance.now();
  useLive.setState((old) => ({
    stage: "ready", playing: playing && said.goes, t: said.t, told: said.told, problem: said.problem,
    q: Array.from(said.q), drawn: old.drawn + Number(due),
  }));
}

function record(data: LiveData, row: Float64Array): void {
  times.push(row[0] ?? 0);
  let k = 1;
  for (const { name, names } of data.signals) {
    for (const one of names) {
      const path = signal(name, one);
      const column = columns.get(path) ?? [];
      columns.set(path, column);
      column.push(row[k] ?? NaN);
      k += 1;
    }
  }
  if (times.length < KEPT) return;
  times.splice(0, DROPPED);
  for (const column of columns.values()) column.splice(0, DROPPED);
}

/** A signal as runs call it. */
export const signal = (group: string, name: string): string => (group === "outputs" ? name : `${group}.${name}`);

/** The state that is shown as start values. */
export async function takeLive(): Promise<void> {
  const { data, q, t } = now();
  const names = data?.signals.find((group) => group.name === "q")?.names ?? [];
  await startFrom(Object.fromEntries(names.map((name, k) => [name, q[k] ?? 0])), `start from the live motion at ${t.toPrecision(4)} s`);
}

useStudio.subscribe(({ clock }, before) => {
  if (clock.run !== null && clock.run !== before.clock.run && now().stage !== "off") close(); // a run that is chosen is shown instead
});
