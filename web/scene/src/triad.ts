// The ground's axes as the camera sees them, in a corner of the view.
import { Vector3, type Camera } from "three";

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 26;
const AXES: [string, Vector3, string][] = [
  ["x", new Vector3(1, 0, 0), "#d84a4a"],
  ["y", new Vector3(0, 1, 0), "#3f9e4d"],
  ["z", new Vector3(0, 0, 1), "#3b73d9"],
];

export class Triad {
  readonly root = document.createElementNS(SVG, "svg");

  constructor() {
    this.root.setAttribute("class", "triad");
    this.root.setAttribute("viewBox", "-40 -40 80 80");
  }

  draw(camera: Camera): void {
    const seen = AXES.map(([name, axis, colour]) => {
      const at = axis.clone().applyQuaternion(camera.quaternion.clone().invert());
      return { name, colour, at };
    }).sort((a, b) => a.at.z - b.at.z);
    this.root.replaceChildren(
      ...seen.flatMap(({ name, colour, at }) => {
        const [x, y] = [RADIUS * at.x, -RADIUS * at.y];
        const line = document.createElementNS(SVG, "line");
        set(line, { x1: 0, y1: 0, x2: x, y2: y, stroke: colour, "stroke-width": 3 });
        const text = document.createElementNS(SVG, "text");
        set(text, { x: 1.32 * x, y: 1.32 * y + 4, fill: colour });
        text.textContent = name;
        return [line, text];
      }),
    );
  }
}

function set(node: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
}
