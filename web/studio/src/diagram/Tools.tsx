// The palette of the diagram: click, then click where it goes; or drag; or a key.
import type { ReactElement } from "react";
import { overlay, put, useStudio } from "../store/state";

export function Tools(): ReactElement {
  const tool = useStudio((s) => s.tool);
  const overlays = useStudio((s) => s.overlays);
  const counting = useStudio((s) => s.overlays.includes("shares") && s.shares === null);
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
      <details className="dropdown">
        <summary>Show</summary>
        <div>
          <label title="What is wrong with bodies, joints and ties"><input type="checkbox" checked={overlays.includes("checks")} onChange={() => overlay("checks")} />check marks</label>
          <label title="Independent, dependent and driven coordinates"><input type="checkbox" checked={overlays.includes("roles")} onChange={() => overlay("roles")} />roles of coordinates</label>
          <label title="Of forward dynamics"><input type="checkbox" checked={overlays.includes("shares")} onChange={() => overlay("shares")} />shares of the operations</label>
        </div>
      </details>
      {overlays.includes("roles") && (
        <span className="legend" role="note">
          {["independent", "dependent", "driven"].map((role) => <span key={role}><svg width="16" height="16" aria-hidden="true"><circle className={`sign ${role}`} cx="8" cy="8" r="6" /></svg>{role}</span>)}
        </span>
      )}
      {counting && <span className="hint">counting operations …</span>}
      {tool && <span className="hint">{tool.kind === "body" ? "click a place" : "click a body"} · Esc gives up</span>}
    </div>
  );
}
