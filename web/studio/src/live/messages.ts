// What the page and the worker that simulates say to each other.
import type { LiveData } from "@kinetree/scene/payload";

export type Asked =
  | { kind: "open"; data: LiveData }
  | { kind: "begin" }
  | { kind: "go"; wall: number }
  | { kind: "speed"; value: number }
  | { kind: "reset" }
  | { kind: "pose"; what: "q" | "qd"; key: number; value: number }
  | { kind: "load"; what: "tau" | "p"; key: number | string; value: number }
  | { kind: "hold"; body: string; at: number[]; to: number[] }
  | { kind: "release" };

/** The mechanism at a moment. */
export interface Frame {
  t: number;
  /** Whether the motion began anew. */
  fresh: boolean;
  /** Whether it can go on. */
  goes: boolean;
  problem: string;
  /** A word about the pace. */
  told: string;
  /** Of every body: rotation row by row, then the place of its origin [m]. */
  poses: Float64Array;
  /** Coordinates. */
  q: Float64Array;
  /** Time and values of all signals, group after group, at some times since the last frame. */
  rows: Float64Array[];
}

export type Said = Frame | { error: string };
