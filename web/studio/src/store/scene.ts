// The 3-D scene: bodies that did not change are not sent again.
import type { BodyData, LinkData, Part, Payload } from "@kinetree/scene/payload";
import type { Mark } from "@kinetree/scene/world";
import type { SceneMark, SceneMessage } from "../protocol/api";
import type { Scene } from "./state";

/** The scene that is told, whole or as a difference to the one of before. */
export function sceneOf(said: SceneMessage, known: Scene | null): Scene {
  return { payload: merged(known?.payload ?? null, said), marks: marks(said), revision: said.revision };
}

/** The scene of before, with what changed. */
function merged(before: Payload | null, said: SceneMessage): Payload {
  const old = new Map(said.since === null ? [] : (before?.bodies ?? []).map((body) => [body.name, body]));
  const fresh = new Map(said.bodies.map((body) => [body.name, body as unknown as BodyData]));
  const bodies = said.names.map((name) => fresh.get(name) ?? old.get(name) ?? { name, parts: [] as Part[] });
  const offset = said.poses.flat();
  return {
    title: "", note: "", warnings: said.warnings, up: said.up, floor: said.floor, size: said.size, low: said.low, high: said.high, follow: 0,
    bodies, links: said.links as unknown as LinkData[], poses: { rows: 1, columns: offset.length, offset, scale: [], data: "" },
    clips: [], signals: [], shown: [],
  };
}

function marks(said: SceneMessage): Mark[] {
  const place = (mark: SceneMark): Mark["places"][number] => ({ body: mark.body, at: mark.at });
  const plain = { axis: [], size: [], axes: [], gap: 0 };
  return [
    ...said.points.map((mark): Mark => ({ ...plain, path: mark.path, kind: "point", places: [place(mark)] })),
    ...said.axes.filter((mark) => mark.axis).map((mark): Mark => ({
      ...plain, path: mark.path, kind: mark.letter === "T" ? "shift" : "turn", places: [place(mark)], axis: mark.axis ?? [],
    })),
    ...said.masses.filter((mark) => mark.mass > 0).map((mark): Mark => ({
      ...plain, path: `bodies.${said.names[mark.body] ?? ""}`, kind: "mass", places: [mark], size: mark.radii, axes: mark.axes,
    })),
    ...said.ties.map((tie): Mark => ({
      ...plain, path: tie.path, kind: tie.path.startsWith("closures") ? "closure" : "force", places: tie.ends.map(place), gap: tie.gap,
    })),
  ];
}
