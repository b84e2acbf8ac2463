// The bar at the top: the file and whether it is saved, the usual commands, the search for all others.
import type { ReactElement } from "react";
import { spelled } from "../actions/keys";
import { command, perform } from "../actions/table";
import { isGoing } from "../runs/jobs";
import { paint, put, useStudio } from "../store/state";
import { Icon } from "./Icon";

export function TopBar(): ReactElement {
  const file = useStudio((s) => s.document?.file ?? "");
  const saved = useStudio((s) => s.document?.saved ?? true);
  const undo = useStudio((s) => s.document?.undo ?? null);
  const redo = useStudio((s) => s.document?.redo ?? null);
  const going = useStudio((s) => s.runs).filter(isGoing);
  const dark = useStudio((s) => s.dark);
  return (
    <header className="bar">
      <button type="button" className="icon" aria-label="Menu" title="Menu" onClick={() => put({ sheet: "menu" })}><Icon name="menu" /></button>
      <h1 id="file" title={saved ? "saved" : "not saved"}>{file}{saved ? "" : " ●"}</h1>
      <div role="toolbar" aria-label="Document" className="group">
        <Do name="save" off={saved} text="Save" />
        <Do name="undo" off={undo === null} hint={undo ?? ""} />
        <Do name="redo" off={redo === null} hint={redo ?? ""} />
      </div>
      <Do name="run" off={false} text="Run" primary />
      {going.map((run) => (
        <span key={run.id} className="going">
          <progress max={1} {...(run.progress === null ? {} : { value: run.progress })} aria-label={`progress of run ${run.id}`} />
          {run.left !== null && <span className="dim">{Math.ceil(run.left)} s left</span>}
          <button type="button" onClick={() => perform("cancel")}>Cancel</button>
        </span>
      ))}
      <button type="button" className="search" onClick={() => put({ sheet: "palette" })}><Icon name="search" />Search commands <kbd>{spelled("Mod+K")}</kbd></button>
      <button type="button" className="icon" aria-label="Light or dark" title="Light or dark" onClick={() => paint(dark ? "light" : "dark")}><Icon name="moon" /></button>
      <button type="button" className="icon" aria-label="Keys" title="Keys (?)" onClick={() => put({ sheet: "keys" })}>?</button>
    </header>
  );
}

function Do({ name, off, text, hint, primary }: { name: string; off: boolean; text?: string; hint?: string; primary?: boolean }): ReactElement {
  const row = command(name);
  const key = row.key ? ` (${spelled(row.key)})` : "";
  return (
    <button
      type="button" id={name} disabled={off} className={primary ? "primary" : text ? "" : "icon"} title={`${row.label}${hint ? ` ${hint}` : ""}${key}`}
      aria-label={text ? undefined : row.label} onClick={() => perform(name)}
    >{row.icon && <Icon name={row.icon} />}{text}</button>
  );
}
