// The panel of curves: a list of signals to choose from, one plot per unit.
import { locate } from "@kinetree/scene/motion";
import { brief, Plot, type Curve, type Inks } from "./plot";
import { element } from "./page";

const COLOURS = [
  "#3b73d9", "#e0762b", "#2f9e78", "#cf4a57", "#8462cc", "#b5952b", "#2c9bc4", "#b5578a",
];
const MEANING: Record<string, string> = {
  q: "coordinates", qd: "velocities", qdd: "accelerations", lam: "constraint forces",
  x: "user states", tau: "joint efforts",
};

/** One variable over time: its components, column by column. */
export interface SignalTable<Column extends ArrayLike<number> = number[]> {
  name: string;
  names: string[];
  units: string[];
  columns: Column[];
}

interface Signal {
  label: string;
  unit: string;
  values: ArrayLike<number>;
  colour: string;
  box: HTMLInputElement;
  readout: HTMLElement;
}

/** The name of a signal: that of an output alone, else with its variable. */
function label(group: { name: string }, name: string): string {
  return group.name === "outputs" ? name : `${group.name}.${name}`;
}

export class Curves {
  readonly root = element("aside", "curves");
  private readonly signals: Signal[] = [];
  private readonly plots = element("div", "plots");
  private shown: { plot: Plot; signals: Signal[] }[] = [];

  /** Tables that grow are measured anew at every picture. */
  constructor(
    tables: SignalTable<ArrayLike<number>>[], private readonly times: number[],
    private readonly seek: (t: number) => void, private readonly changed: () => void,
    private readonly first: string[], private readonly growing = false,
  ) {
    const list = element("div", "signals");
    const filter = element("input", "filter");
    filter.type = "search";
    filter.placeholder = "find a signal";
    filter.addEventListener("input", () => this.find(filter.value));
    for (const table of tables) list.append(this.group(table));
    this.root.append(this.plots, filter, list);
    for (const { box, label } of this.signals) box.checked = first.includes(label);
    this.choose();
  }

  draw(t: number, inks: Inks): void {
    const { row, share } = locate(this.times, t);
    for (const { plot, signals } of this.shown) {
      if (this.growing) plot.show(signals);
      plot.draw(t, inks);
      for (const signal of signals) {
        const a = signal.values[row] ?? NaN;
        const value = a + share * ((signal.values[row + 1] ?? a) - a);
        signal.readout.textContent = `${brief(value, Math.abs(value) / 100)} ${signal.unit}`;
      }
    }
  }

  private group(group: SignalTable<ArrayLike<number>>): HTMLElement {
    const box = element("details", "group");
    box.open = this.first.some((name) => group.names.some((own) => name === label(group, own)));
    const meaning = MEANING[group.name];
    const head = element("summary", "", group.name + (meaning ? ` · ${meaning}` : ""));
    box.append(head);
    group.columns.forEach((values, k) => {
      box.append(this.row(label(group, group.names[k] ?? `${k}`), group.units[k] ?? "", values));
    });
    return box;
  }

  private row(label: string, unit: string, values: ArrayLike<number>): HTMLElement {
    const row = element("label", "signal");
    const box = element("input");
    box.type = "checkbox";
    box.addEventListener("change", () => this.choose());
    const readout = element("span", "readout");
    row.append(box, element("span", "name", label), readout);
    this.signals.push({ label, unit, values, colour: "", box, readout });
    return row;
  }

  private find(text: string): void {
    const words = text.toLowerCase().split(/\s+/);
    for (const { box, label } of this.signals) {
      const row = box.parentElement;
      const fits = words.every((word) => label.toLowerCase().includes(word));
      if (row) row.hidden = !fits;
      const group = row?.closest("details");
      if (text && fits && group) group.open = true;
    }
  }

  private choose(): void {
    const byUnit = new Map<string, Signal[]>();
    let count = 0;
    for (const signal of this.signals) {
      const row = signal.box.parentElement;
      signal.colour = signal.box.checked ? (COLOURS[count++ % COLOURS.length] ?? "") : "";
      row?.style.setProperty("--ink", signal.colour || "transparent");
      signal.readout.textContent = "";
      if (signal.box.checked) byUnit.set(signal.unit, [...(byUnit.get(signal.unit) ?? []), signal]);
    }
    this.plots.replaceChildren();
    this.shown = [...byUnit].map(([unit, signals]) => this.plot(unit, signals));
    this.changed();
  }

  private plot(unit: string, signals: Signal[]): { plot: Plot; signals: Signal[] } {
    const plot = new Plot(this.times, this.seek);
    plot.show(signals.map(({ label, colour, values }): Curve => ({ label, colour, values })));
    const legend = element("div", "legend");
    for (const { label, colour } of signals) {
      const entry = element("span", "entry", label);
      entry.style.setProperty("--ink", colour);
      legend.append(entry);
    }
    legend.append(element("span", "unit", unit && unit !== "1" ? `[${unit}]` : ""));
    this.plots.append(legend, plot.canvas);
    return { plot, signals };
  }
}
