// The opaque solids of all bodies in one call: each body is an instance with its own geometry and place.
import { BatchedMesh, Matrix4, Mesh, type BufferGeometry, type Group, type Scene } from "three";
import type { SolidMaterial } from "./looks";

const NOWHERE = new Matrix4();

/** The mesh of a body that is not seen through, if it has one. */
export function opaque(group: Group): Mesh<BufferGeometry, SolidMaterial> | undefined {
  return group.children.find((part): part is Mesh<BufferGeometry, SolidMaterial> => part instanceof Mesh && part.userData["clear"] === false);
}

/** Bodies by name; what is drawn here is not drawn by its own group, which stays for picking. */
export class Batch {
  private mesh: BatchedMesh | null = null;
  private readonly rows = new Map<string, number>();

  constructor(private readonly scene: Scene) {}

  /** Take all bodies anew: their geometries are copied, not made. */
  take(groups: Iterable<[string, Group]>): void {
    this.clear();
    const found = [...groups].flatMap(([name, group]) => {
      const own = opaque(group);
      return own ? [{ name, own }] : [];
    });
    const first = found[0];
    if (!first) return;
    const vertices = found.reduce((sum, { own }) => sum + own.geometry.getAttribute("position").count, 0);
    const corners = found.reduce((sum, { own }) => sum + (own.geometry.index?.count ?? 0), 0);
    const mesh = new BatchedMesh(found.length, vertices, corners, first.own.material.clone());
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.sortObjects = false;
    mesh.frustumCulled = false; // bodies move away from where its sphere was measured; each is culled by itself
    for (const { name, own } of found) {
      const row = mesh.addInstance(mesh.addGeometry(own.geometry));
      mesh.setMatrixAt(row, NOWHERE);
      this.rows.set(name, row);
      own.visible = false;
    }
    mesh.raycast = () => undefined; // picking asks the groups
    this.mesh = mesh;
    this.scene.add(mesh);
  }

  /** Where a body is. */
  place(name: string, matrix: Matrix4): void {
    const row = this.rows.get(name);
    if (row !== undefined) this.mesh?.setMatrixAt(row, matrix);
  }

  /** Whether a body is drawn here; one that is drawn alone has looks of its own. */
  show(name: string, group: Group, alone: boolean): void {
    const row = this.rows.get(name);
    const own = opaque(group);
    if (row === undefined || !own) return;
    own.visible = alone;
    this.mesh?.setVisibleAt(row, !alone && group.visible);
  }

  private clear(): void {
    this.rows.clear();
    if (!this.mesh) return;
    this.mesh.removeFromParent();
    (this.mesh.material as SolidMaterial).dispose();
    this.mesh.dispose();
    this.mesh = null;
  }
}
