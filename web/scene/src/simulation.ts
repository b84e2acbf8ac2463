// A mechanism that simulates itself in the browser: what src/kinetree/view/live.js defines, and how it is led.
import type { LiveData } from "./payload";

export interface Simulation {
  t: number;
  problem: string;
  state: Record<string, Float64Array | undefined>;
  start: { q: number[]; qd: number[]; x: number[] };
  tau: number[];
  parameters: Record<string, number>;
  reset(): boolean;
  advance(steps: number): number;
  frames(): { position: Float64Array; rotation: Float64Array }[];
  /** Pull at a place of a body, in its frame, towards one of the ground. */
  hold(body: string, at: number[], to: number[]): void;
  release(): void;
}

declare global {
  var kinetreeLive: {
    programs: unknown;
    Simulation: new (programs: unknown, data: LiveData) => Simulation;
  } | undefined;
}

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
/** Longest time per picture that is spent on steps [ms]. */
const BUDGET = 24;
/** Steps between two looks at the watch, at most. */
const BUNCH = 8;

/** Makes as many steps as the clock on the wall asks for, and as there is time for. */
export class Pace {
  speed = 1;
  private owed = 0;
  private made = 0;
  private spent = 0;

  constructor(private readonly simulation: Simulation, private readonly step: number) {}

  begin(): void {
    this.owed = this.made = this.spent = 0;
  }

  /** Go on for some time of the wall [s]; false where a step could not be made. */
  go(wall: number, each: () => void): boolean {
    const { step } = this;
    const begin = performance.now();
    this.owed = Math.min(this.owed + this.speed * wall, 0.1 * this.speed + 2 * step);
    this.spent += wall;
    while (this.owed >= step && performance.now() - begin < BUDGET) {
      const count = Math.min(BUNCH, Math.floor(this.owed / step));
      const made = this.simulation.advance(count);
      this.made += made * step;
      this.owed -= made * step;
      if (made < count) return false;
      each();
    }
    return true;
  }

  /** A word about the pace where the steps take longer than the motion. */
  told(): string {
    if (this.spent < 0.5) return "";
    const share = this.made / this.spent;
    if (this.spent > 2) [this.made, this.spent] = [share, 1];
    return share < 0.9 * this.speed ? `${share.toPrecision(2)}× is what this machine manages` : "";
  }
}

/** Start anew from here with one value changed; a start that cannot be is not kept. */
export function pose(simulation: Simulation, kind: "q" | "qd", key: number, value: number): boolean {
  const before = simulation.start;
  const held = kind === "q" && simulation.t > 0 ? simulation.state["q"] : undefined;
  simulation.start = { q: [...(held ?? before.q)], qd: [...before.qd], x: before.x };
  simulation.start[kind][key] = value;
  if (simulation.reset()) return true;
  simulation.start = before;
  return false;
}

/** Change an effort or a parameter at once. */
export function load(simulation: Simulation, kind: "tau" | "p", key: number | string, value: number): void {
  if (kind === "tau") simulation.tau[Number(key)] = value;
  else simulation.parameters[String(key)] = value;
  if (simulation.t === 0) simulation.reset();
}
