// What stays over a reload: places of panes and choices of looks, in the browser alone.
const STEM = "kinetree-studio-";

export function recall<T>(name: string, otherwise: T): T {
  try {
    const found = window.localStorage.getItem(STEM + name);
    return found === null ? otherwise : (JSON.parse(found) as T);
  } catch {
    return otherwise;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    window.localStorage.setItem(STEM + name, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing forgets it
  }
}
