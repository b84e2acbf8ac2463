// How far a motion goes: what travels over the ground, and the room that bodies fill. Poses are w, x, y, z and position.
import { Box3, Matrix4, Mesh, Quaternion, Vector3, type Group } from "three";

type Pose = ArrayLike<number>;

const ONE = new Vector3(1, 1, 1);

export const originOf = (pose: Pose): Vector3 => new Vector3(pose[4] ?? 0, pose[5] ?? 0, pose[6] ?? 0);

/** Number of the first body that goes farther over the ground than that [m], the ground being 0; 0 where none does. */
export function traveller(frames: Pose[][], up: Vector3, far: number): number {
  const first = (frames[0] ?? []).map(originOf);
  return 1 + first.findIndex((start, k) => frames.some((frame) => {
    const way = originOf(frame[k] ?? []).sub(start);
    return way.addScaledVector(up, -way.dot(up)).length() > far;
  }));
}

/** Widen a box by all that bodies, given by boxes of their own, fill in some frames. */
export function reach(frames: Pose[][], boxes: Box3[], room: Box3): void {
  const [turn, pose] = [new Quaternion(), new Matrix4()];
  for (const frame of frames) {
    frame.forEach((row, k) => {
      const box = boxes[k];
      if (!box || box.isEmpty()) return;
      pose.compose(originOf(row), turn.set(row[1] ?? 0, row[2] ?? 0, row[3] ?? 0, row[0] ?? 1).normalize(), ONE);
      room.union(box.clone().applyMatrix4(pose));
    });
  }
}

/** The box of a body's solids in its own frame. */
export function ownBox(group: Group | undefined): Box3 {
  const made = new Box3();
  for (const part of group?.children ?? []) {
    if (!(part instanceof Mesh)) continue;
    part.geometry.computeBoundingBox();
    part.updateMatrix();
    if (part.geometry.boundingBox) made.union(part.geometry.boundingBox.clone().applyMatrix4(part.matrix));
  }
  return made;
}
