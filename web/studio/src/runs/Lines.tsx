// How two texts differ, line by line.
import type { ReactElement } from "react";

export function Lines({ lines }: { lines: string[] }): ReactElement {
  return (
    <pre className="lines" aria-label="Difference of the texts">{lines.map((line, k) => (
      <span key={k} className={line.startsWith("+") ? "fine" : line.startsWith("-") ? "error" : ""}>{line}{"\n"}</span>))}</pre>
  );
}
