// What a run was made from: its name, settings, manifest and text, and how the text differs from the present one.
import { useEffect, useState, type ReactElement } from "react";
import { TextInput, written } from "../panel/inputs";
import type { DifferenceMessage, ManifestMessage, RunState } from "../protocol/api";
import { ask, downloadText } from "../protocol/client";
import { difference } from "../protocol/text";
import { edit, flush } from "../store/document";
import { put, state, tell, useStudio } from "../store/state";
import { Lines } from "./Lines";
import { hold, takeRun, title } from "./jobs";

export function MadeFrom({ run }: { run: RunState }): ReactElement {
  const revision = useStudio((s) => s.document?.revision);
  const [made, setMade] = useState<ManifestMessage | null>(null);
  const [lines, setLines] = useState<string[]>([]);
  useEffect(() => {
    void ask<ManifestMessage>(`/api/runs/${run.id}/manifest`).then(setMade, (error: Error) => tell(error.message, true));
  }, [run.id, run.state]);
  useEffect(() => {
    void ask<DifferenceMessage>(`/api/document/diff?against=${run.id}`).then((said) => setLines(said.lines), () => setLines([]));
  }, [run.id, revision]);
  const rename = async (text: string): Promise<void> => {
    if (text.trim()) takeRun(await ask<RunState>(`/api/runs/${run.id}/title`, { title: text.trim() }));
  };
  const takeText = async (): Promise<void> => {
    if (!made) return;
    await flush();
    await edit([difference(state().document?.text ?? "", made.text)], `the text of run ${run.id}`);
  };
  const again = (): void => {
    hold(run.analysis, run.options);
    put({ sheet: "run" });
  };
  const measured = run.analysis === "measured";
  return (
    <section className="result scroll" aria-label={`What run ${run.id} was made from`} tabIndex={0}>
      <div className="tools">
        <label htmlFor="run-title">name</label><TextInput id="run-title" value={run.title} commit={(text) => void rename(text)} />
        {!measured && <button type="button" onClick={again}>these settings again…</button>}
        <button type="button" disabled={!lines.length} title="One edit, which can be undone" onClick={() => void takeText()}>take its text back</button>
        <button type="button" disabled={!made} onClick={() => made && downloadText(made.text, `run${run.id}.yaml`, "text/yaml")}>download its text</button>
      </div>
      {lines.length === 0 && <p className="hint">The text is the one that {title(run)} was made from.</p>}
      {lines.length > 0 && <><p className="hint">How the present text differs from that of {title(run)}:</p><Lines lines={lines} /></>}
      <Facts title="settings" rows={run.options} />
      {made && <Facts title="manifest" rows={made.manifest} />}
    </section>
  );
}

function Facts({ title: name, rows }: { title: string; rows: Record<string, unknown> }): ReactElement | null {
  const listed = Object.entries(rows);
  if (!listed.length) return null;
  return (
    <table className="facts" aria-label={name}>
      <thead><tr><th scope="col" colSpan={2}>{name}</th></tr></thead>
      <tbody>{listed.map(([word, value]) => <tr key={word}><th scope="row">{word}</th><td>{written(value)}</td></tr>)}</tbody>
    </table>
  );
}
