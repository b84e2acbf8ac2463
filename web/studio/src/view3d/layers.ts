// What the 3-D view can show, and where it can be seen from.
import type { Layer } from "@kinetree/scene/world";

export const SIDES = ["front", "back", "left", "right", "top", "bottom"];

/** Every layer, and what it is called in a sentence. */
export const LAYER_TEXTS: Record<Layer, string> = {
  axes: "axes of joints", points: "points", names: "names of bodies", masses: "centres of mass and inertias", closures: "closures and their gaps",
  forces: "forces", frames: "frames of bodies", grid: "the grid",
};
export const LAYERS = Object.keys(LAYER_TEXTS) as Layer[];

/** Layers that need a run: name, meaning, and what they are called in a sentence. */
export const MORE: readonly [string, string, string][] = [
  ["paths", "Where the selected bodies go in the run that is shown", "paths of bodies in a run"],
  ["reactions", "Forces, and torques with two heads, in joints and closures of the run that is shown", "reactions in a run"],
];
