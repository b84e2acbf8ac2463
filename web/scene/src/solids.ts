// Solids of a body, merged into one mesh (and one more for what is seen through).
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry,
  CylinderGeometry, Group, Matrix4, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, SRGBColorSpace,
  TorusGeometry, Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { solidMaterial } from "./looks";
import { unpack, type BodyData, type Part } from "./payload";

const PALETTE = [
  "#4c7bd9", "#e08a3c", "#3fa58a", "#c95d63", "#8a6fc9", "#c2a13a", "#4aa3c7", "#b8688f",
  "#7d9a4b", "#a0735a",
];
const GROUND = "#8b929c";

/** Colour of a body that gives none itself; neighbours in the list differ. */
export function bodyColour(index: number): string {
  return index === 0 ? GROUND : (PALETTE[(index - 1) % PALETTE.length] ?? GROUND);
}

const MANY = 150; // parts of a mechanism
const LEAST = 0.6;

const DARKEST = 0.3; // lightness below which light and shade cannot be told apart

/** A colour that is not so dark that what has it loses its form. */
function lifted(colour: Color): Color {
  const { h, s, l } = colour.getHSL({ h: 0, s: 0, l: 0 }, SRGBColorSpace);
  return l < DARKEST ? colour.setHSL(h, s, DARKEST * (0.6 + 0.4 * (l / DARKEST)), SRGBColorSpace) : colour;
}

/** How fine round solids are drawn: less so in a mechanism of very many parts, each of which is small then. */
export function detailOf(bodies: readonly BodyData[]): number {
  const parts = bodies.reduce((sum, body) => sum + body.parts.length, 0);
  return parts > MANY ? LEAST : 1;
}

/** The body as a group whose frame is the body frame; `index` is kept for picking. */
export function makeBody(data: BodyData, index: number, detail: number, fine = true): Group {
  const group = new Group();
  group.name = data.name;
  const solid = data.parts.filter((part) => (part.opacity ?? 1) >= 1);
  const clear = data.parts.filter((part) => (part.opacity ?? 1) < 1);
  const sets: [Part[], boolean][] = [[solid, false], [clear, true]];
  for (const [parts, transparent] of sets) {
    if (parts.length === 0) continue;
    const geometry = mergeGeometries(parts.map((part) => colouredGeometry(part, index, detail)));
    const material = solidMaterial(fine, {
      vertexColors: true, roughness: 0.5, metalness: 0.05, transparent,
      opacity: transparent ? Math.min(...parts.map((part) => part.opacity ?? 1)) : 1,
      depthWrite: !transparent,
    });
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = !transparent;
    mesh.receiveShadow = !transparent;
    mesh.userData = { body: index, clear: transparent };
    if (transparent) group.add(veil(geometry, index));
    group.add(mesh);
  }
  return group;
}

/**
 * Depth of what is seen through, drawn just before it: of a shell only the nearest surface is blended, whatever the
 * order of its triangles; of two shells the farther one is drawn first.
 */
function veil(geometry: BufferGeometry, index: number): Mesh {
  const made = new Mesh(geometry, new MeshBasicMaterial({ colorWrite: false, transparent: true }));
  made.userData = { body: index, veil: true };
  return made;
}

function colouredGeometry(part: Part, index: number, detail: number): BufferGeometry {
  const geometry = shape(part, detail);
  for (const name of Object.keys(geometry.attributes)) {
    if (name !== "position" && name !== "normal") geometry.deleteAttribute(name);
  }
  const [w = 1, x = 0, y = 0, z = 0] = part.turn;
  const place = new Matrix4().compose(
    new Vector3(...part.at), new Quaternion(x, y, z, w), new Vector3(1, 1, 1),
  );
  geometry.applyMatrix4(place);
  const colour = lifted(new Color(part.colour ?? bodyColour(index)));
  const count = geometry.getAttribute("position").count;
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) colour.toArray(colours, 3 * i);
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  return geometry;
}

/** Geometry with its axis along z, centred; round ones of fewer facets at less detail. */
function shape(part: Part, detail: number): BufferGeometry {
  const facets = (most: number): number => Math.max(6, 2 * Math.round(0.5 * detail * most));
  const radius = part.radius ?? 0.05;
  const length = part.length ?? 0.1;
  const [a = 0.1, b = 0.1, c = 0.1] = part.size ?? [];
  switch (part.kind) {
    case "box":
      return new BoxGeometry(a, b, c);
    case "cylinder":
      return new CylinderGeometry(radius, radius, length, facets(20)).rotateX(Math.PI / 2);
    case "cone":
      return new ConeGeometry(radius, length, facets(20)).rotateX(Math.PI / 2);
    case "frustum":
      return new CylinderGeometry(part.top ?? radius, radius, length, facets(20)).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(radius, length, detail < 1 ? 2 : 4, facets(14)).rotateX(Math.PI / 2);
    case "torus":
      return new TorusGeometry(radius, part.tube ?? radius / 6, facets(12), facets(40));
    case "mesh":
      return triangles(part);
    case "sphere":
      return new SphereGeometry(radius, facets(18), facets(12));
  }
}

function triangles(part: Part): BufferGeometry {
  const columns = part.triangles ? unpack(part.triangles) : [];
  const rows = part.triangles?.rows ?? 0;
  const flat = new Float32Array(9 * rows);
  columns.forEach((column, c) => column.forEach((value, r) => (flat[9 * r + c] = value)));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(flat, 3));
  geometry.computeVertexNormals();
  geometry.setIndex(Array.from({ length: 3 * rows }, (_, k) => k)); // as all other shapes have one
  return geometry;
}
