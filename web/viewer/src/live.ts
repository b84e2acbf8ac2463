// A page that simulates: the bar with run, reset and speed, the clock, and what was recorded.
import { Matrix4, Quaternion } from "three";
import type { SignalTable } from "./curves";
import type { Motion } from "@kinetree/scene/motion";
import { button, draw, element } from "./page";
import type { LiveData } from "@kinetree/scene/payload";
import { Sliders } from "./sliders";

/** What src/kinetree/view/live.js defines. */
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
}

declare global {
  var kinetreeLive: {
    programs: unknown;
    Simulation: new (programs: unknown, data: LiveData) => Simulation;
  } | undefined;
}

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
/** Longest time per picture that is spent on steps [ms]. */
const BUDGET = 24;
/** Steps between two looks at the watch, at most. */
const BUNCH = 8;
/** Steps between two records, the longest time between them [s], and how many are kept. */
const STRIDE = 10;
const LONGEST = 1 / 60;
const KEPT = 2400;
const DROPPED = 240;

export class Live {
  readonly simulation: Simulation;
  readonly bar = element("footer", "bar");
  readonly sliders: Sliders;
  readonly times: number[] = [];
  readonly tables: SignalTable[];
  playing = false;
  private readonly toggle: HTMLButtonElement;
  private readonly clock = element("output", "clock");
  private readonly told = element("output", "told");
  private readonly choice = element("select", "speed");
  private speed = 1;
  private owed = 0;
  private made = 0;
  private spent = 0;
  private recorded = -Infinity;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();

  constructor(private readonly data: LiveData, private readonly changed: () => void) {
    if (!globalThis.kinetreeLive) throw new Error("the page carries no programs");
    this.simulation = new globalThis.kinetreeLive.Simulation(
      globalThis.kinetreeLive.programs, data,
    );
    this.tables = data.signals.map((group) => ({
      name: group.name, names: group.names, units: group.units, columns: group.names.map(() => []),
    }));
    this.sliders = new Sliders(data.controls, {
      pose: (kind, key, value) => this.pose(kind, key, value),
      load: (kind, key, value) => this.load(kind, key, value),
    });
    this.toggle = button("play", "run or pause (space)", () => this.set(!this.playing));
    const back = button("reset", "back to the start (Home)", () => this.reset());
    for (const factor of SPEEDS) {
      const row = element("option", "", `${factor}×`);
      row.value = String(factor);
      this.choice.append(row);
    }
    this.choice.title = "speed";
    this.choice.value = "1";
    this.choice.addEventListener("change", () => (this.speed = Number(this.choice.value)));
    this.clock.id = "clock";
    this.told.setAttribute("role", "status");
    this.bar.append(this.toggle, back, this.clock, this.told, this.choice);
    this.record();
    this.show();
  }

  set(playing: boolean): void {
    if (playing && this.simulation.problem && !this.simulation.reset()) playing = false;
    this.playing = playing;
    this.owed = this.made = this.spent = 0;
    this.show();
  }

  reset(): void {
    this.simulation.reset();
    this.forget();
    this.show();
  }

  /** Go on for some time as the clock on the wall says [s]. */
  run(wall: number): void {
    const begin = performance.now();
    const step = this.data.step;
    this.owed = Math.min(this.owed + this.speed * wall, 0.1 * this.speed + 2 * step);
    let steps = 0;
    while (this.owed >= step && performance.now() - begin < BUDGET) {
      const count = Math.min(BUNCH, Math.floor(this.owed / step));
      const made = this.simulation.advance(count);
      steps += made;
      this.owed -= made * step;
      if (made < count) {
        this.playing = false;
        break;
      }
      this.watch();
    }
    this.made += steps * step;
    this.spent += wall;
    this.show();
  }

  /** Simulate so many seconds at once. */
  skip(t: number): void {
    const step = this.data.step;
    while (this.simulation.t < t - 0.5 * step && this.simulation.advance(1) === 1) {
      this.watch();
    }
    this.record();
    this.show();
  }

  /** Put all bodies where they are now. */
  place(motion: Motion): void {
    this.simulation.frames().forEach(({ position: p, rotation: r }, k) => {
      const at = (i: number): number => r[i] ?? 0;
      this.matrix.set(
        at(0), at(1), at(2), 0, at(3), at(4), at(5), 0, at(6), at(7), at(8), 0, 0, 0, 0, 1,
      );
      this.turn.setFromRotationMatrix(this.matrix);
      motion.positions[k + 1]?.set(p[0] ?? 0, p[1] ?? 0, p[2] ?? 0);
      motion.turns[k + 1]?.copy(this.turn);
    });
  }

  /** Start anew from here with one value changed; a start that cannot be is not kept. */
  private pose(kind: "q" | "qd", key: number, value: number): void {
    const { simulation } = this;
    const before = simulation.start;
    const held = kind === "q" && simulation.t > 0 ? simulation.state["q"] : undefined;
    this.playing = false;
    simulation.start = { q: [...(held ?? before.q)], qd: [...before.qd], x: before.x };
    simulation.start[kind][key] = value;
    if (simulation.reset()) this.forget();
    else simulation.start = before;
    this.show();
  }

  private load(kind: "tau" | "p", key: number | string, value: number): void {
    const { simulation } = this;
    if (kind === "tau") simulation.tau[Number(key)] = value;
    else simulation.parameters[String(key)] = value;
    if (simulation.t === 0) simulation.reset();
    this.show();
  }

  private forget(): void {
    this.times.length = 0;
    for (const table of this.tables) for (const column of table.columns) column.length = 0;
    this.recorded = -Infinity;
    this.record();
  }

  private record(): void {
    const { t, state } = this.simulation;
    this.recorded = t;
    this.times.push(t);
    for (const { name, columns } of this.tables) {
      columns.forEach((column, k) => column.push(state[name]?.[k] ?? NaN));
    }
    if (this.times.length < KEPT) return;
    this.times.splice(0, DROPPED);
    for (const { columns } of this.tables) for (const column of columns) column.splice(0, DROPPED);
  }

  /** Record the state where the last record is old enough. */
  private watch(): void {
    const { step } = this.data;
    const every = Math.max(step, Math.min(LONGEST, STRIDE * step));
    if (this.simulation.t - this.recorded >= every - 0.5 * step) this.record();
  }

  private show(): void {
    const { simulation } = this;
    draw(this.toggle, this.playing ? "pause" : "play");
    this.clock.textContent = `${simulation.t.toFixed(2)} s`;
    this.told.classList.toggle("problem", simulation.problem !== "");
    this.told.textContent = simulation.problem || this.pace();
    this.sliders.follow(simulation.state["q"] ?? [], simulation.state["qd"] ?? []);
    this.changed();
  }

  /** A word about the pace where the steps take longer than the motion. */
  private pace(): string {
    if (!this.playing || this.spent < 0.5) return "";
    const share = this.made / this.spent;
    if (this.spent > 2) [this.made, this.spent] = [share, 1];
    return share < 0.9 * this.speed ? `${share.toPrecision(2)}× is what this machine manages` : "";
  }
}
