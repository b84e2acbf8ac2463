// A point that was moved in 3-D: an edit of its coordinates in the text.
import { edit, isMapping } from "../store/document";
import { at } from "../store/model";
import { state, tell } from "../store/state";

/** Give a point its place in the frame of its body [m]; coordinates that did not change stay as they are written. */
export async function movePoint(path: string, place: readonly number[], before: readonly number[]): Promise<void> {
  const steps = path.split(".");
  const found = at(state().data, steps);
  const row = isMapping(found) ? found["position"] : found;
  const written: unknown[] = Array.isArray(row) ? row : [0, 0, 0];
  const next = written.map((old, k) => (place[k] === before[k] ? old : place[k]));
  if (written.some((old, k) => typeof old === "string" && next[k] !== old)) {
    tell(`${path}: it is given by an expression; change that in the form, or its parameters`, true);
    return;
  }
  await edit([["set", isMapping(found) ? [...steps, "position"] : steps, next]], `move ${path}`);
}
