// Small pictures, drawn in the colour of the text.
import type { ReactElement } from "react";

const PATHS: Record<string, string> = {
  save: "M3 3h8l2 2v8H3zM5 3v4h6V3M5 13v-4h6v4",
  undo: "M6 3L3 6l3 3M3 6h6a4 4 0 0 1 0 8H6",
  redo: "M10 3l3 3-3 3M13 6H7a4 4 0 0 0 0 8h3",
  play: "M5 3l8 5-8 5z",
  search: "M7 3a4 4 0 1 1 0 8a4 4 0 0 1 0-8M10 10l4 4",
  menu: "M2 4h12M2 8h12M2 12h12",
  moon: "M12 10A5.5 5.5 0 0 1 6 3a5.5 5.5 0 1 0 6 7z",
};

export function Icon({ name }: { name: string }): ReactElement {
  return <svg className="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d={PATHS[name] ?? ""} /></svg>;
}
