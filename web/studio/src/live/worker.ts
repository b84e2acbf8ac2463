// A process of the browser that simulates: the script that the studio generates, and the wishes of the page.
import type { LiveData } from "@kinetree/scene/payload";
import { load, Pace, pose, type Simulation } from "@kinetree/scene/simulation";
import type { Asked, Frame, Said } from "./messages";

declare function importScripts(path: string): void;

const SCRIPT = "/api/live.js";
const STRIDE = 1 / 120; // least time between two rows [s]
const answer = (said: Said): void => (self as unknown as { postMessage: (said: Said) => void }).postMessage(said);

let course: Course | null = null;

class Course {
  private readonly simulation: Simulation;
  private readonly pace: Pace;
  private rows: Float64Array[] = [];
  private last = -Infinity;

  constructor(private readonly data: LiveData) {
    importScripts(SCRIPT);
    if (!globalThis.kinetreeLive) throw new Error("the studio gave no programs");
    this.simulation = new globalThis.kinetreeLive.Simulation(globalThis.kinetreeLive.programs, data);
    this.pace = new Pace(this.simulation, data.step);
  }

  take(asked: Exclude<Asked, { kind: "open" }>): Frame {
    const { simulation, pace } = this;
    switch (asked.kind) {
      case "begin": {
        pace.begin();
        return this.frame(false, simulation.problem === "" || simulation.reset());
      }
      case "go": return this.frame(false, pace.go(asked.wall, () => this.record()), pace.told());
      case "speed": pace.speed = asked.value; break;
      case "reset": return this.frame(simulation.reset());
      case "pose": return this.frame(pose(simulation, asked.what, asked.key, asked.value));
      case "load": load(simulation, asked.what, asked.key, asked.value); break;
      case "hold": simulation.hold(asked.body, asked.at, asked.to); break;
      case "release": simulation.release();
    }
    return this.frame(false);
  }

  frame(fresh: boolean, goes = true, told = ""): Frame {
    const { simulation } = this;
    const poses = new Float64Array(simulation.frames().flatMap(({ position, rotation }) => [...rotation, ...position]));
    const q = Float64Array.from(simulation.state["q"] ?? []);
    this.record(fresh);
    const rows = this.rows;
    this.rows = [];
    return { t: simulation.t, fresh, goes, problem: simulation.problem, told, poses, q, rows };
  }

  /** Keep the values of all signals, where the last ones are old enough. */
  private record(fresh = false): void {
    const { t, state } = this.simulation;
    if (fresh) this.rows = [];
    else if (t - this.last < STRIDE - 1e-9) return;
    this.last = t;
    this.rows.push(Float64Array.from([t, ...this.data.signals.flatMap(({ name, names }) => names.map((_, k) => state[name]?.[k] ?? NaN))]));
  }
}

self.addEventListener("message", (event: MessageEvent<Asked>) => {
  const asked = event.data;
  try {
    if (asked.kind === "open") {
      course = new Course(asked.data);
      answer(course.frame(true));
    } else if (course) answer(course.take(asked));
  } catch (error) {
    answer({ error: (error as Error).message });
  }
});
