// The ground's axes as the camera sees them, in a corner of the view.
import { Quaternion, Vector3, type Camera } from "three";

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 26;
const AXES: [string, Vector3, string][] = [
  ["x", new Vector3(1, 0, 0), "#d84a4a"],
  ["y", new Vector3(0, 1, 0), "#3f9e4d"],
  ["z", new Vector3(0, 0, 1), "#3b73d9"],
];

export class Triad {
  readonly root = document.createElementNS(SVG, "svg");
  private readonly rows = AXES.map(([name, axis, colour]) => {
    const [group, line, text] = [element("g"), element("line"), element("text")];
    set(line, { x1: 0, y1: 0, stroke: colour, "stroke-width": 3 });
    set(text, { fill: colour });
    text.textContent = name;
    group.append(line, text);
    return { axis, group, line, text, at: new Vector3() };
  });
  private readonly turn = new Quaternion(0, 0, 0, 0); // of the camera when it was drawn

  constructor() {
    this.root.setAttribute("class", "triad");
    this.root.setAttribute("viewBox", "-40 -40 80 80");
  }

  /** Drawn anew where the camera has turned. */
  draw({ quaternion }: Camera): void {
    if (this.turn.equals(quaternion)) return;
    this.turn.copy(quaternion);
    const back = quaternion.clone().invert();
    for (const { axis, line, text, at } of this.rows) {
      at.copy(axis).applyQuaternion(back);
      const [x, y] = [RADIUS * at.x, -RADIUS * at.y];
      set(line, { x2: x, y2: y });
      set(text, { x: 1.32 * x, y: 1.32 * y + 4 });
    }
    this.root.append(...[...this.rows].sort((a, b) => a.at.z - b.at.z).map(({ group }) => group)); // the nearest last
  }
}

const element = (tag: "g" | "line" | "text"): SVGElement => document.createElementNS(SVG, tag);

function set(node: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
}
