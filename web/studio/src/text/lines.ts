// Lines and elements: which element the cursor is in, and where an element stands.
import type { Text } from "@codemirror/state";
import { pathAt } from "./complete";

const KEY = /^(\s*)([\w-]+)\s*:/;

/** The path of the element of a line: section and name. */
export function elementOf(doc: Text, line: number): string {
  const text = doc.line(line).text;
  const own = KEY.exec(text);
  const indent = own?.[1]?.length ?? (/^\s*/.exec(text)?.[0].length ?? 0);
  const path = [...pathAt(doc, line, indent), ...(own?.[2] ? [own[2]] : [])];
  return path[0] === "ground" ? "ground" : path.slice(0, 2).join(".");
}

/** First line of an element; 0 where it is not found. */
export function lineOf(doc: Text, path: string): number {
  const steps = path.split(".");
  let line = 0;
  let indent = -1;
  for (const step of steps) {
    let [found, own] = [0, line === 0 ? 0 : -1]; // own: how far what stands directly below is set in
    for (let k = line + 1; k <= doc.lines; k += 1) {
      const row = KEY.exec(doc.line(k).text);
      if (!row) continue;
      const depth = row[1]?.length ?? 0;
      if (line > 0 && depth <= indent) break;
      if (own < 0) own = depth;
      if (row[2] === step && depth === own) {
        found = k;
        indent = depth;
        break;
      }
    }
    if (!found) return line;
    line = found;
  }
  return line;
}
