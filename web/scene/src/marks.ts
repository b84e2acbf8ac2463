// What solids do not show: points, axes, centres of mass with ellipsoids of inertia, closures with their gaps, forces, names.
import { ArrowHelper, BufferGeometry, Color, Group, Line, LineBasicMaterial, Mesh, Quaternion, Vector3, type Object3D } from "three";
import { isSolid, type SolidMaterial } from "./looks";
import type { Sheet } from "./sheet";
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

const ROUND = 40; // pieces of an ellipse

/** Write a mark into a sheet, where the bodies are now; what takes objects of its own is given. */
export function drafts(mark: Mark, poses: Poses, size: number, colour: string, open: boolean, sheet: Sheet): Object3D[] {
  const [a, b] = mark.places.map((place) => at(poses, place.body, place.at));
  if (!a) return [];
  const turn = poses.turns[mark.places[0]?.body ?? 0] ?? new Quaternion();
  if (mark.kind === "turn" || mark.kind === "shift") {
    const axis = new Vector3(...mark.axis).applyQuaternion(turn);
    if (mark.kind === "shift") return [new ArrowHelper(axis, a, 0.16 * size, colour, 0.03 * size, 0.02 * size)];
    sheet.line(a.clone().addScaledVector(axis, -0.09 * size), a.clone().addScaledVector(axis, 0.09 * size), colour);
    return [];
  }
  const apart = b !== undefined && (a.distanceTo(b) > 1e-4 * size || open);
  for (const place of apart ? [a, b] : [a]) sheet.dot(place, (apart ? 0.009 : 0.008) * size, colour);
  if (apart) sheet.line(a, b, colour);
  if (mark.kind === "mass") ellipsoid(mark, a, turn, colour, sheet);
  return [];
}

/** An ellipsoid by its three main sections: one of a whole car does not veil what lies in it. */
function ellipsoid(mark: Mark, at: Vector3, turn: Quaternion, colour: string, sheet: Sheet): void {
  const [a, b] = mark.axes.map((row) => new Vector3(...row));
  if (!a || !b) return;
  const ways = [a, b, a.clone().cross(b)].map((way, k) => way.applyQuaternion(turn).multiplyScalar(mark.size[k] ?? 0));
  for (const [one, other] of [[0, 1], [1, 2], [2, 0]] as const) {
    const [first, second] = [ways[one], ways[other]];
    if (!first || !second) continue;
    let before = at.clone().add(first);
    for (let k = 1; k <= ROUND; k += 1) {
      const angle = (2 * Math.PI * k) / ROUND;
      const next = at.clone().addScaledVector(first, Math.cos(angle)).addScaledVector(second, Math.sin(angle));
      sheet.line(before, next, colour);
      before = next;
    }
  }
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
  group.remove(...group.children.filter((part) => part.userData["veil"]));
  group.traverse((part) => {
    if (part instanceof Mesh && isSolid(part.material)) {
      part.material.transparent = true;
      part.material.opacity = 0.35;
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
