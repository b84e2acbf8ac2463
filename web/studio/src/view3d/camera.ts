// Commands to the 3-D view that is there; without one they do nothing.
import type { World } from "@kinetree/scene/world";
import { download } from "../protocol/client";

let shown: World | null = null;

export function showing(world: World | null): void {
  shown = world;
}

/** See the mechanism from a side, or all of it. */
export function look(side: string): void {
  shown?.look(side);
}

/** The view as it is, as a PNG file. */
export function picture(): void {
  if (shown) download(shown.picture(), "mechanism.png");
}
