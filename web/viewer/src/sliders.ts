// Sliders of a page that simulates, in groups: coordinates and velocities pose, efforts and
// parameters act at once.
import { element } from "./page";
import type { Control } from "@kinetree/scene/payload";

const GROUPS: [Control["kind"], string, string][] = [
  ["q", "coordinates", "move one to pose the mechanism"],
  ["qd", "initial velocities", "at the start of a run"],
  ["tau", "efforts", "constant, at once"],
  ["p", "parameters", "at once; solids keep their size"],
];
const DIGITS = 4;

export interface SliderEvents {
  pose(kind: "q" | "qd", key: number, value: number): void;
  load(kind: "tau" | "p", key: number | string, value: number): void;
}

interface Row {
  control: Control;
  range: HTMLInputElement;
  field: HTMLInputElement;
}

export class Sliders {
  readonly root = element("div", "sliders");
  private readonly rows: Row[] = [];

  constructor(controls: Control[], private readonly events: SliderEvents) {
    for (const [kind, title, hint] of GROUPS) {
      const members = controls.filter((control) => control.kind === kind);
      if (members.length === 0) continue;
      const box = element("details", "group");
      box.open = kind === "q" || (kind === "p" && members.length <= 4);
      const head = element("summary", "", title);
      head.title = hint;
      box.append(head, ...members.map((control) => this.row(control)));
      this.root.append(box);
    }
  }

  /** Show coordinates as they are now. */
  follow(q: ArrayLike<number>, qd: ArrayLike<number>): void {
    void qd;
    for (const row of this.rows) {
      if (row.control.kind !== "q" || document.activeElement === row.field) continue;
      const value = q[Number(row.control.key)];
      if (value !== undefined && Number.isFinite(value)) show(row, value);
    }
  }

  private row(control: Control): HTMLElement {
    const row = element("label", "slider");
    const range = element("input");
    range.type = "range";
    range.min = String(control.low);
    range.max = String(control.high);
    range.step = "any";
    range.dataset["control"] = `${control.kind}.${control.name}`;
    const field = element("input", "number");
    field.type = "number";
    field.step = "any";
    const name = element("span", "name", control.name);
    name.title = control.name;
    const made = { control, range, field };
    range.addEventListener("input", () => this.change(made, Number(range.value)));
    field.addEventListener("change", () => this.change(made, Number(field.value)));
    range.addEventListener("dblclick", () => this.change(made, control.value));
    row.append(name, range, field, element("span", "unit", control.unit));
    this.rows.push(made);
    show(made, control.value);
    return row;
  }

  private change(row: Row, value: number): void {
    if (!Number.isFinite(value)) return;
    const { kind, key } = row.control;
    show(row, value);
    if (kind === "q" || kind === "qd") this.events.pose(kind, Number(key), value);
    else this.events.load(kind, key, value);
  }
}

function show({ control, range, field }: Row, value: number): void {
  const turns = control.kind === "q" && control.unit === "rad";
  range.value = String(turns ? within(value, control.low, control.high) : value);
  field.value = String(Number(value.toPrecision(DIGITS)));
}

/** An angle brought between two bounds by whole turns, where that can be. */
function within(angle: number, low: number, high: number): number {
  const turn = 2 * Math.PI;
  if (angle >= low && angle <= high) return angle;
  return low + ((((angle - low) % turn) + turn) % turn);
}
