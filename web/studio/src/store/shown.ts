// When something is on the screen, on the browser's own time line: what benchmarks and profiles read.

type What = "diagram" | "solid" | "text" | "findings" | "checked" | "equations" | "curves";

/** Mark the end of the next frame, in which what is put now is drawn. */
export function shown(what: What, revision = 0): void {
  requestAnimationFrame(() => drawn(what, revision));
}

/** Mark the end of the frame that is being drawn. */
export function drawn(what: What, revision = 0): void {
  window.setTimeout(() => {
    const name = `kinetree:${what}`;
    performance.clearMarks(name); // the last one is kept: a page may stay open for days
    performance.mark(name, { detail: revision });
  });
}
