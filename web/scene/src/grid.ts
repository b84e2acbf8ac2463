// Lines of the floor, which end nowhere: they fade with the distance from the middle.
import { BufferGeometry, Float32BufferAttribute, LineBasicMaterial, LineSegments, type Color } from "three";

const PIECES = 24; // of a line, each with its own paleness at both ends
const OPACITY = 0.85;
const FULL = 0.35; // share of the way out up to which nothing fades

/** A square of so many cells in the plane of x and z; the lines through the middle have a colour of their own. */
export function makeGrid(cells: number, cell: number, main: Color, other: Color): LineSegments {
  const half = (cells * cell) / 2;
  const [places, colours]: [number[], number[]] = [[], []];
  const end = (x: number, z: number, { r, g, b }: Color): void => {
    places.push(x, 0, z);
    colours.push(r, g, b, OPACITY * paleness(Math.hypot(x, z) / half));
  };
  for (let k = 0; k <= cells; k++) {
    const across = k * cell - half;
    const colour = 2 * k === cells ? main : other;
    for (let piece = 0; piece < PIECES; piece++) {
      for (const along of [piece, piece + 1].map((n) => (2 * n * half) / PIECES - half)) end(along, across, colour);
      for (const along of [piece, piece + 1].map((n) => (2 * n * half) / PIECES - half)) end(across, along, colour);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 4));
  return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
}

/** 1 in the middle, 0 from the edge on. */
function paleness(share: number): number {
  const x = Math.min(1, Math.max(0, (1 - share) / (1 - FULL)));
  return x * x * (3 - 2 * x);
}
