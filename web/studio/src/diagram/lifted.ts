// How far bodies are from their places while they are dragged: told to them and to the lines that end at them, to nobody else.
import { useCallback, useSyncExternalStore } from "react";

export interface Way {
  x: number;
  y: number;
}

const NONE: Way = { x: 0, y: 0 };
const ways = new Map<string, Way>();
const told = new Map<string, Set<() => void>>();

/** A body is so far from its place [px of the drawing]; at its place again without a way. */
export function lift(id: string, way: Way = NONE): void {
  if (way.x || way.y) ways.set(id, way);
  else if (!ways.delete(id)) return;
  for (const tell of told.get(id) ?? []) tell();
}

/** All bodies are at their places. */
export function lay(): void {
  for (const id of [...ways.keys()]) lift(id);
}

/** How far a body is from its place. */
export function useWay(id: string): Way {
  const listen = useCallback((tell: () => void) => {
    const here = told.get(id) ?? new Set();
    told.set(id, here.add(tell));
    return () => {
      here.delete(tell);
      if (!here.size && told.get(id) === here) told.delete(id);
    };
  }, [id]);
  return useSyncExternalStore(listen, () => ways.get(id) ?? NONE);
}
