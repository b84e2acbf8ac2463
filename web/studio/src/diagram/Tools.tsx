// The palette of the diagram: click, then click where it goes; or drag; or a key.
import type { ReactElement } from "react";
import { put, useStudio } from "../store/state";

export function Tools(): ReactElement {
  const tool = useStudio((s) => s.tool);
  const arm = (kind: "body" | "point"): void => put({ tool: tool?.kind === kind ? null : { kind } });
  return (
    <div className="tools" role="toolbar" aria-label="Diagram">
      <button
        type="button" aria-pressed={tool?.kind === "body"} draggable title="Body (B): click, then click a place; or drag it there"
        onClick={() => arm("body")} onDragStart={(event) => event.dataTransfer.setData("text/plain", "kinetree-body")}
      >Body</button>
      <button type="button" aria-pressed={tool?.kind === "point"} title="Point: click, then click a body" onClick={() => arm("point")}>Point</button>
      <button type="button" title="Connect two places by a joint, closure or force (C); or drag from anchor to anchor" onClick={() => put({ sheet: "connect" })}>
        Connect
      </button>
      <button type="button" title="Add any element (A)" onClick={() => put({ sheet: "add" })}>Add…</button>
      <button type="button" title="Show all (Home)" onClick={() => window.dispatchEvent(new Event("kinetree-fit"))}>Fit</button>
      {tool && <span className="hint">{tool.kind === "body" ? "click a place" : "click a body"} · Esc gives up</span>}
    </div>
  );
}
