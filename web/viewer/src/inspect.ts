// Names under the pointer; a click selects a body, shows its pose and the path of its origin.
import {
  BufferAttribute, BufferGeometry, Euler, Line, LineBasicMaterial, Mesh, MeshStandardMaterial,
  Raycaster, Vector2, type Object3D,
} from "three";
import type { Motion } from "@kinetree/scene/motion";
import type { ClipData, Payload } from "@kinetree/scene/payload";
import { element } from "./page";
import { bodyColour } from "@kinetree/scene/solids";
import type { Stage } from "@kinetree/scene/stage";

export class Inspect {
  readonly card = element("div", "card");
  readonly tip = element("div", "tip");
  selected = -1;
  private readonly ray = new Raycaster();
  private trace: Line | null = null;

  constructor(
    private readonly payload: Payload, private readonly stage: Stage,
    private readonly bodies: Object3D[], private readonly changed: () => void,
  ) {
    this.card.hidden = true;
    this.tip.hidden = true;
    const canvas = stage.renderer.domElement;
    let pressed = new Vector2();
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("pointerdown", (event) => (pressed = place(event)));
    canvas.addEventListener("pointerup", (event) => {
      if (place(event).distanceTo(pressed) < 4) this.select(this.pick(event));
    });
  }

  select(body: number): void {
    this.light(this.selected, "#000000");
    this.selected = body === this.selected ? -1 : body;
    this.light(this.selected, "#333333");
    this.card.hidden = this.selected < 0;
    this.changed();
  }

  /** Draw the path of the selected body's origin over a clip. */
  path(motion: Motion, clip: ClipData): void {
    if (this.trace) {
      this.stage.scene.remove(this.trace);
      this.trace.geometry.dispose();
      this.trace = null;
    }
    if (this.selected < 1 || clip.times.length < 2) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(motion.path(this.selected, clip), 3));
    this.trace = new Line(geometry, new LineBasicMaterial({ color: bodyColour(this.selected) }));
    this.stage.scene.add(this.trace);
  }

  /** The pose of the selected body, in ground components. */
  write(motion: Motion): void {
    const body = this.payload.bodies[this.selected];
    const position = motion.positions[this.selected];
    const turn = motion.turns[this.selected];
    if (!body || !position || !turn) return;
    const angles = new Euler().setFromQuaternion(turn, "ZYX");
    const row = (what: string, values: number[], unit: string): string =>
      `${what}  ${values.map((value) => value.toFixed(3).padStart(8)).join(" ")} ${unit}`;
    const degrees = [angles.x, angles.y, angles.z].map((angle) => (180 / Math.PI) * angle);
    this.card.replaceChildren(
      element("strong", "", body.name),
      element("pre", "", row("x y z", position.toArray(), "m")),
      element("pre", "", row("r p y", degrees, "°")),
    );
  }

  private hover(event: PointerEvent): void {
    if (event.buttons !== 0) return;
    const body = this.pick(event);
    this.tip.hidden = body < 0;
    this.tip.textContent = this.payload.bodies[body]?.name ?? "";
    this.tip.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 12}px)`;
  }

  private pick(event: PointerEvent): number {
    const { clientWidth: width, clientHeight: height } = this.stage.renderer.domElement;
    const at = new Vector2((2 * event.offsetX) / width - 1, 1 - (2 * event.offsetY) / height);
    this.ray.setFromCamera(at, this.stage.camera);
    const hit = this.ray.intersectObjects(this.bodies, true)[0];
    return hit ? (hit.object.userData.body as number) : -1;
  }

  private light(body: number, colour: string): void {
    this.bodies[body]?.traverse((object) => {
      if (object instanceof Mesh && object.material instanceof MeshStandardMaterial) {
        object.material.emissive.set(colour);
      }
    });
  }
}

function place(event: PointerEvent): Vector2 {
  return new Vector2(event.offsetX, event.offsetY);
}
