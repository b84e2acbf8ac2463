// Poses of all bodies at any time: between two frames places are mixed and turns follow the arc.
import { Matrix4, Quaternion, Vector3 } from "three";
import { unpack, type ClipData, type Payload } from "./payload";

const PER_BODY = 7;

export class Motion {
  readonly positions: Vector3[];
  readonly turns: Quaternion[];
  private readonly columns: Float32Array[];
  private readonly next = new Quaternion();

  constructor(payload: Payload) {
    this.columns = unpack(payload.poses);
    this.positions = payload.bodies.map(() => new Vector3());
    this.turns = payload.bodies.map(() => new Quaternion());
    for (let body = 1; body < this.positions.length; body++) this.place(body, 0, 0, 0);
  }

  /** Place of the origin of a body at the first of all frames. */
  start(body: number): Vector3 {
    return new Vector3(this.at(body, 4, 0), this.at(body, 5, 0), this.at(body, 6, 0));
  }

  /** Put every body where it is at time t of a clip; the ground is body 0 and stays. */
  seek(clip: ClipData, t: number): void {
    const { row, share } = locate(clip.times, t);
    const a = clip.first + row;
    const b = clip.first + Math.min(row + 1, clip.times.length - 1);
    for (let body = 1; body < this.positions.length; body++) {
      this.place(body, a, b, share);
    }
  }

  /** Places of the origin of a body over a clip, x, y, z in turn. */
  path(body: number, clip: ClipData): Float32Array {
    const out = new Float32Array(3 * clip.times.length);
    for (let r = 0; r < clip.times.length; r++) {
      for (let k = 0; k < 3; k++) out[3 * r + k] = this.at(body, 4 + k, clip.first + r);
    }
    return out;
  }

  private place(body: number, a: number, b: number, share: number): void {
    const turn = this.turns[body];
    const position = this.positions[body];
    if (!turn || !position) return;
    turn.set(this.at(body, 1, a), this.at(body, 2, a), this.at(body, 3, a), this.at(body, 0, a));
    position.set(this.at(body, 4, a), this.at(body, 5, a), this.at(body, 6, a));
    if (share > 0) {
      this.next.set(
        this.at(body, 1, b), this.at(body, 2, b), this.at(body, 3, b), this.at(body, 0, b),
      );
      turn.normalize().slerp(this.next.normalize(), share);
      position.x += share * (this.at(body, 4, b) - position.x);
      position.y += share * (this.at(body, 5, b) - position.y);
      position.z += share * (this.at(body, 6, b) - position.z);
    }
    turn.normalize();
  }

  private at(body: number, component: number, row: number): number {
    return this.columns[(body - 1) * PER_BODY + component]?.[row] ?? 0;
  }
}

/** The turn of a rotation matrix that is given row by row. */
export function turnOf(rows: ArrayLike<number>): Quaternion {
  const at = (i: number): number => rows[i] ?? 0;
  return new Quaternion().setFromRotationMatrix(
    new Matrix4().set(at(0), at(1), at(2), 0, at(3), at(4), at(5), 0, at(6), at(7), at(8), 0, 0, 0, 0, 1),
  );
}

/** The frame before t, and how far t is on the way to the next one (0 to 1). */
export function locate(times: ArrayLike<number>, t: number): { row: number; share: number } {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= t) low = middle;
    else high = middle;
  }
  const start = times[low] ?? 0;
  const step = (times[high] ?? 0) - start;
  const share = step > 0 ? Math.min(1, Math.max(0, (t - start) / step)) : 0;
  return { row: low, share };
}
