// Measured curves: a table of the folder or of this machine, its columns named as signals.
import { useEffect, useState, type ReactElement } from "react";
import type { CurvesMessage, FilesMessage, RunState } from "../protocol/api";
import { ask } from "../protocol/client";
import { state, tell, useStudio } from "../store/state";
import { takeRun } from "./jobs";

const CUT = /[,;\t]/;

export function Import({ done }: { done: () => void }): ReactElement {
  const shown = useStudio((s) => s.clock.run);
  const [files, setFiles] = useState<string[]>([]);
  const [name, setName] = useState("");
  const [content, setContent] = useState("");
  const [renamed, setRenamed] = useState<Record<string, string>>({});
  const [signals, setSignals] = useState<string[]>([]);
  useEffect(() => {
    void ask<FilesMessage>("/api/files").then((said) => setFiles(said.files.filter((file) => file.kind === "data").map((file) => file.name)));
    if (shown !== null) void ask<CurvesMessage>(`/api/runs/${shown}/signals`).then((said) => setSignals(said.signals), () => undefined);
  }, [shown]);
  const headings = (content.split("\n").find((line) => line.trim()) ?? "").split(CUT).map((word) => word.trim()).filter(Boolean);
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setName(file.name);
    setContent(await file.text());
  };
  const go = async (): Promise<void> => {
    try {
      const given = Object.fromEntries(Object.entries(renamed).filter(([, word]) => word));
      takeRun(await ask<RunState>("/api/runs/import", { name, content, renamed: given }));
      void state();
      done();
    } catch (error) {
      tell((error as Error).message, true);
    }
  };
  return (
    <form className="result scroll" aria-label="Measured curves" onSubmit={(event) => { event.preventDefault(); void go(); }}>
      <p className="hint">A table of numbers with a line of names; one column is called time.</p>
      <div className="row"><label htmlFor="measured-file">file</label><div className="inputs">
        <input id="measured-file" type="file" accept=".csv,.txt,.tsv" onChange={(event) => void read(event.target.files?.[0])} /></div></div>
      {files.length > 0 && <div className="row"><label htmlFor="measured-name">or of the folder</label><div className="inputs">
        <select id="measured-name" className="entry" value={name} onChange={(event) => { setName(event.target.value); setContent(""); }}>
          <option value="">…</option>{files.map((one) => <option key={one}>{one}</option>)}
        </select></div></div>}
      {headings.map((heading) => (
        <div key={heading} className="row"><label htmlFor={`column-${heading}`}>{heading}</label><div className="inputs">
          <input id={`column-${heading}`} className="entry" list="known-signals" placeholder="its own name" value={renamed[heading] ?? ""}
            onChange={(event) => setRenamed({ ...renamed, [heading]: event.target.value.trim() })} /></div></div>
      ))}
      <datalist id="known-signals">{signals.map((one) => <option key={one} value={one} />)}</datalist>
      <footer><button type="submit" className="primary" disabled={!name}>Show as a run</button></footer>
    </form>
  );
}
