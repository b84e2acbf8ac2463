// Springs and rods between points of two bodies, stretched to fit at every frame.
import { Curve, CylinderGeometry, Mesh, Quaternion, TubeGeometry, Vector3 } from "three";
import { solidMaterial } from "./looks";
import type { LinkData } from "./payload";

/** Where bodies are, by number. */
export interface Poses {
  readonly positions: readonly Vector3[];
  readonly turns: readonly Quaternion[];
}

const TURNS = 8;
const STRAIGHT = 0.12;
const Z = new Vector3(0, 0, 1);

/** A wire of unit length along z: straight ends, a helix between. */
class Helix extends Curve<Vector3> {
  constructor(private readonly radius: number) {
    super();
  }

  override getPoint(u: number, target = new Vector3()): Vector3 {
    const coil = (u - STRAIGHT) / (1 - 2 * STRAIGHT);
    const out = this.radius * smooth(coil * TURNS) * smooth((1 - coil) * TURNS);
    const angle = 2 * Math.PI * TURNS * Math.min(1, Math.max(0, coil));
    return target.set(out * Math.cos(angle), out * Math.sin(angle), u);
  }
}

function smooth(x: number): number {
  const y = Math.min(1, Math.max(0, x));
  return y * y * (3 - 2 * y);
}

export class Stretch {
  readonly mesh: Mesh;
  private readonly a = new Vector3();
  private readonly b = new Vector3();
  private readonly turn = new Quaternion();

  constructor(private readonly data: LinkData, fine = true) {
    const { radius, length } = data;
    const unit = length > 0 ? length : 1;
    const geometry = data.kind === "spring"
      ? new TubeGeometry(new Helix(radius / unit), 160, (0.16 * radius) / unit, 6)
      : new CylinderGeometry(radius / unit, radius / unit, 1, 16)
          .rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const colour = data.kind === "spring" ? "#d0a13a" : "#9aa3ad";
    this.mesh = new Mesh(geometry, solidMaterial(fine, { color: colour, roughness: 0.4, metalness: 0.3 }));
    this.mesh.scale.setScalar(unit);
    this.mesh.name = data.name;
    this.mesh.castShadow = true;
  }

  update(motion: Poses): void {
    end(motion, this.data.from, this.a);
    end(motion, this.data.to, this.b);
    this.mesh.position.copy(this.a);
    const d = this.b.sub(this.a);
    const length = d.length();
    if (length < 1e-12) return;
    this.mesh.quaternion.copy(this.turn.setFromUnitVectors(Z, d.divideScalar(length)));
    this.mesh.scale.z = length;
  }
}

function end(motion: Poses, place: LinkData["from"], out: Vector3): void {
  const turn = motion.turns[place.body];
  const position = motion.positions[place.body];
  if (turn && position) out.fromArray(place.at).applyQuaternion(turn).add(position);
}
