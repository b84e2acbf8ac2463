// Dots and lines of all marks, drawn in one call each: written anew for every picture, into memory that stays.
import {
  BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial,
  SphereGeometry, type Vector3,
} from "three";

const DOT = new SphereGeometry(1, 10, 6);
const DOTS = new MeshBasicMaterial({ depthTest: false, transparent: true });
const LINES = new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
const FEW = 128; // ends of lines, or dots, for which there is room at first
const tints = new Map<string, Color>();
const PLACE = new Matrix4();

export class Sheet {
  readonly root = new Group();
  private lines = segments(FEW);
  private balls = spheres(FEW);
  private ends = 0;
  private dots = 0;

  constructor() {
    this.root.add(this.lines, this.balls);
  }

  /** What was written is gone. */
  begin(): void {
    this.ends = this.dots = 0;
  }

  dot(at: Vector3, radius: number, colour: string): void {
    const room = this.balls.instanceMatrix.count;
    if (this.dots === room) this.balls = this.put(this.balls, spheres(2 * room), (from, to) => {
      copy(from.instanceMatrix, to.instanceMatrix);
      if (from.instanceColor && to.instanceColor) copy(from.instanceColor, to.instanceColor);
    });
    this.balls.setMatrixAt(this.dots, PLACE.makeScale(radius, radius, radius).setPosition(at));
    this.balls.setColorAt(this.dots, tint(colour));
    this.dots += 1;
  }

  line(a: Vector3, b: Vector3, colour: string): void {
    const room = attribute(this.lines, "position").count;
    if (this.ends === room) this.lines = this.put(this.lines, segments(2 * room), (from, to) => {
      for (const name of ["position", "color"] as const) copy(attribute(from, name), attribute(to, name));
    });
    const { r, g, b: blue } = tint(colour);
    for (const end of [a, b]) {
      attribute(this.lines, "position").setXYZ(this.ends, end.x, end.y, end.z);
      attribute(this.lines, "color").setXYZ(this.ends, r, g, blue);
      this.ends += 1;
    }
  }

  /** Show what was written since. */
  end(): void {
    this.lines.visible = this.ends > 0;
    this.lines.geometry.setDrawRange(0, this.ends);
    send(attribute(this.lines, "position"), this.ends);
    send(attribute(this.lines, "color"), this.ends);
    this.balls.visible = this.dots > 0;
    this.balls.count = this.dots;
    send(this.balls.instanceMatrix, this.dots);
    if (this.balls.instanceColor) send(this.balls.instanceColor, this.dots);
  }

  /** Something with more room takes the place of what is full. */
  private put<T extends LineSegments | InstancedMesh>(full: T, larger: T, keep: (from: T, to: T) => void): T {
    keep(full, larger);
    full.removeFromParent();
    if (full instanceof InstancedMesh) full.dispose(); // its geometry is that of all dots
    else full.geometry.dispose();
    this.root.add(larger);
    return larger;
  }
}

function segments(room: number): LineSegments {
  const geometry = new BufferGeometry();
  for (const name of ["position", "color"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * room), 3).setUsage(DynamicDrawUsage));
  return always(new LineSegments(geometry, LINES));
}

function spheres(room: number): InstancedMesh {
  const made = new InstancedMesh(DOT, DOTS, room);
  made.instanceMatrix.setUsage(DynamicDrawUsage);
  made.setColorAt(0, tint("#ffffff"));
  return always(made);
}

/** Drawn wherever it is, over the solids. */
function always<T extends LineSegments | InstancedMesh>(object: T): T {
  object.frustumCulled = false;
  object.renderOrder = 2;
  return object;
}

const attribute = (lines: LineSegments, name: "position" | "color"): BufferAttribute => lines.geometry.getAttribute(name) as BufferAttribute;

function copy(from: BufferAttribute, to: BufferAttribute): void {
  to.array.set(from.array);
}

/** Only what is used goes to the graphics card. */
function send(to: BufferAttribute, count: number): void {
  to.clearUpdateRanges();
  if (!count) return;
  to.addUpdateRange(0, count * to.itemSize);
  to.needsUpdate = true;
}

function tint(colour: string): Color {
  const found = tints.get(colour) ?? new Color(colour);
  tints.set(colour, found);
  return found;
}
