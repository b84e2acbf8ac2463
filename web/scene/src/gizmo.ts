// Three arrows at a point of a body: it is moved along them, and told in the frame of its body.
import { Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Stage } from "./stage";

const DIGITS = 4; // of the size of the mechanism

/** Told the path of a point, where it shall be and where it was, in the frame of its body [m]. */
export type Put = (path: string, at: number[], before: number[]) => void;

export class Gizmo {
  private readonly arrows: TransformControls;
  private readonly handle = new Object3D();
  private readonly own = new Vector3();
  private readonly origin = new Vector3();
  private readonly turn = new Quaternion();
  private path = "";

  /** `moved` is called while a point is moved, `put` at the end. */
  constructor(private readonly stage: Stage, size: () => number, moved: () => void, put: Put) {
    this.arrows = new TransformControls(stage.camera, stage.renderer.domElement);
    this.arrows.setSpace("local");
    this.arrows.setSize(0.7);
    this.arrows.addEventListener("change", moved);
    this.arrows.addEventListener("dragging-changed", ({ value }) => {
      stage.controls.enabled = !value;
      if (value || !this.path) return;
      const unit = 10 ** (Math.floor(Math.log10(size())) + 1 - DIGITS);
      const now = this.place().toArray().map((x, k) => {
        const old = this.own.getComponent(k);
        return Math.abs(x - old) < 0.5 * unit ? old : Number((Math.round(x / unit) * unit).toPrecision(12));
      });
      if (now.some((x, k) => x !== this.own.getComponent(k))) put(this.path, now, this.own.toArray());
    });
    stage.scene.add(this.handle, this.arrows.getHelper());
  }

  /** Whether the pointer is on an arrow. */
  get busy(): boolean {
    return this.arrows.dragging || this.arrows.axis !== null;
  }

  /** Hold a point, at a place in the frame of its body. */
  attach(path: string, own: number[], origin: Vector3, turn: Quaternion): void {
    if (this.arrows.dragging) return;
    this.path = path;
    this.own.fromArray(own);
    this.origin.copy(origin);
    this.turn.copy(turn);
    this.handle.position.copy(this.own).applyQuaternion(turn).add(origin);
    this.handle.quaternion.copy(turn);
    this.handle.updateMatrixWorld();
    this.arrows.camera = this.stage.camera;
    this.arrows.attach(this.handle);
  }

  detach(): void {
    this.path = "";
    this.arrows.detach();
  }

  private place(): Vector3 {
    return this.handle.position.clone().sub(this.origin).applyQuaternion(this.turn.clone().invert());
  }
}
