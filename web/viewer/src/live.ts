// A page that simulates: the bar with run, reset and speed, the clock, and what was recorded.
import type { SignalTable } from "./curves";
import { turnOf, type Motion } from "@kinetree/scene/motion";
import { button, draw, element } from "./page";
import type { LiveData } from "@kinetree/scene/payload";
import { load, Pace, pose, SPEEDS, type Simulation } from "@kinetree/scene/simulation";
import { Sliders } from "./sliders";

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
  private readonly pace: Pace;
  private recorded = -Infinity;

  constructor(private readonly data: LiveData, private readonly changed: () => void) {
    if (!globalThis.kinetreeLive) throw new Error("the page carries no programs");
    this.simulation = new globalThis.kinetreeLive.Simulation(
      globalThis.kinetreeLive.programs, data,
    );
    this.pace = new Pace(this.simulation, data.step);
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
    this.choice.addEventListener("change", () => (this.pace.speed = Number(this.choice.value)));
    this.clock.id = "clock";
    this.told.setAttribute("role", "status");
    this.bar.append(this.toggle, back, this.clock, this.told, this.choice);
    this.record();
    this.show();
  }

  set(playing: boolean): void {
    if (playing && this.simulation.problem && !this.simulation.reset()) playing = false;
    this.playing = playing;
    this.pace.begin();
    this.show();
  }

  reset(): void {
    this.simulation.reset();
    this.forget();
    this.show();
  }

  /** Go on for some time as the clock on the wall says [s]. */
  run(wall: number): void {
    if (!this.pace.go(wall, () => this.watch())) this.playing = false;
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
      motion.positions[k + 1]?.set(p[0] ?? 0, p[1] ?? 0, p[2] ?? 0);
      motion.turns[k + 1]?.copy(turnOf(r));
    });
  }

  private pose(kind: "q" | "qd", key: number, value: number): void {
    this.playing = false;
    if (pose(this.simulation, kind, key, value)) this.forget();
    this.show();
  }

  private load(kind: "tau" | "p", key: number | string, value: number): void {
    load(this.simulation, kind, key, value);
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
    this.told.textContent = simulation.problem || (this.playing ? this.pace.told() : "");
    this.sliders.follow(simulation.state["q"] ?? [], simulation.state["qd"] ?? []);
    this.changed();
  }
}
