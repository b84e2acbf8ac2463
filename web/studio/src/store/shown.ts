// When something is on the screen, on the browser's own time line: what benchmarks and profiles read.

/** Mark the frame after the next one, when what is put now has been drawn. */
export function shown(what: "diagram" | "solid" | "text" | "findings" | "checked" | "equations" | "curves", revision = 0): void {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const name = `kinetree:${what}`;
    performance.clearMarks(name); // the last one is kept: a page may stay open for days
    performance.mark(name, { detail: revision });
  }));
}
