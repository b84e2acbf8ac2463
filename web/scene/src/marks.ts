// What solids do not show: points, axes, centres of mass with ellipsoids of inertia, closures with their gaps, forces, names.
import {
  ArrowHelper, BufferGeometry, CanvasTexture, Color, Group, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial,
  Quaternion, SphereGeometry, Sprite, SpriteMaterial, Vector3, type Object3D,
} from "three";
import { isSolid, type SolidMaterial } from "./looks";
import type { Theme } from "./stage";
import type { Poses } from "./stretch";

/** Something that a solid does not show. */
export interface Mark {
  path: string;
  kind: "point" | "turn" | "shift" | "mass" | "closure" | "force";
  places: { body: number; at: number[] }[];
  axis: number[];
  /** Half axes of an ellipsoid of the same inertia [m], and rows of its directions in the body frame. */
  size: number[];
  axes: number[][];
  /** How far a closure stays open. */
  gap: number;
}

/** The objects of a mark, where the bodies are now. */
export function drafts(mark: Mark, poses: Poses, size: number, colour: string, open: boolean): Object3D[] {
  const [a, b] = mark.places.map((place) => at(poses, place.body, place.at));
  if (!a) return [];
  const turn = poses.turns[mark.places[0]?.body ?? 0] ?? new Quaternion();
  if (mark.kind === "turn" || mark.kind === "shift") {
    const axis = new Vector3(...mark.axis).applyQuaternion(turn);
    if (mark.kind === "shift") return [new ArrowHelper(axis, a, 0.16 * size, colour, 0.03 * size, 0.02 * size)];
    return [line([a.clone().addScaledVector(axis, -0.09 * size), a.clone().addScaledVector(axis, 0.09 * size)], colour)];
  }
  if (mark.kind === "mass") return [ball(a, 0.008 * size, colour), ...ellipsoid(mark, a, turn, colour)];
  if (b && (a.distanceTo(b) > 1e-4 * size || open)) {
    return [line([a, b], colour), ball(a, 0.009 * size, colour), ball(b, 0.009 * size, colour)];
  }
  return [ball(a, 0.008 * size, colour)];
}

function ellipsoid(mark: Mark, at: Vector3, turn: Quaternion, colour: string): Object3D[] {
  const [a, b] = mark.axes.map((row) => new Vector3(...row));
  if (!a || !b || !mark.size.some((half) => half > 0)) return [];
  const made = new Mesh(new SphereGeometry(1, 20, 12), new MeshBasicMaterial({ color: colour, wireframe: true, transparent: true, opacity: 0.25 }));
  const least = 0.01 * Math.max(...mark.size);
  made.scale.set(...(mark.size.map((half) => Math.max(half, least)) as [number, number, number]));
  const own = new Matrix4().makeBasis(a, b, a.clone().cross(b)); // mirrored axes have the same ellipsoid
  made.quaternion.copy(turn).multiply(new Quaternion().setFromRotationMatrix(own));
  made.position.copy(at);
  return [made];
}

function at(poses: Poses, body: number, place: number[]): Vector3 {
  const made = new Vector3(...place);
  const [turn, position] = [poses.turns[body], poses.positions[body]];
  return turn && position ? made.applyQuaternion(turn).add(position) : made;
}

export function line(points: Vector3[], colour: string): Line {
  const made = new Line(new BufferGeometry().setFromPoints(points), new LineBasicMaterial({ color: colour, depthTest: false, transparent: true }));
  made.renderOrder = 2;
  return made;
}

function ball(at: Vector3, radius: number, colour: string): Mesh {
  const made = new Mesh(new SphereGeometry(radius, 10, 6), new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }));
  made.position.copy(at);
  made.renderOrder = 2;
  return made;
}

/** Seen even where something stands before it. */
export function over<T extends Object3D>(object: T): T {
  object.traverse((part) => {
    if (!(part instanceof Mesh || part instanceof Line)) return;
    Object.assign(part.material, { depthTest: false, transparent: true });
    part.renderOrder = 2;
  });
  return object;
}

export function pale(group: Group): Group {
  group.traverse((part) => {
    if (part instanceof Mesh && isSolid(part.material)) {
      part.material.transparent = true;
      part.material.opacity = 0.25;
      part.material.vertexColors = false;
      part.material.color = new Color("#6b7280");
      part.material.depthWrite = false;
    }
  });
  return group;
}

/** Nearly see-through, or as it was. */
export function fade(material: SolidMaterial, clear: boolean, faint: boolean): void {
  const own = (material.userData["opacity"] as number | undefined) ?? material.opacity;
  material.userData["opacity"] = own;
  if (material.transparent !== (clear || faint)) material.needsUpdate = true;
  material.transparent = clear || faint;
  material.opacity = faint ? 0.15 * own : own;
  material.depthWrite = !material.transparent;
}

/** A name that faces the camera. */
export function words(text: string, at: Vector3, size: number, theme: Theme): Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = 256;
  canvas.height = 48;
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.font = "28px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 5;
    pen.strokeStyle = theme === "dark" ? "#15181d" : "#ffffff";
    pen.strokeText(text, 128, 24);
    pen.fillStyle = theme === "dark" ? "#e6eaf0" : "#1d232b";
    pen.fillText(text, 128, 24);
  }
  const made = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), depthTest: false, transparent: true }));
  made.position.copy(at);
  made.scale.set(0.22 * size, 0.041 * size, 1);
  made.renderOrder = 3;
  return made;
}
