// Code of the equations for another program: any quantity in any language, an FMU, a C package; as an archive or a folder.
import { useCallback, useEffect, useState, type ReactElement } from "react";
import { perform } from "../actions/table";
import type { QuantitiesMessage, QuantityRow, RunState, TargetRow, TargetsMessage, WrittenMessage } from "../protocol/api";
import { ask, download } from "../protocol/client";
import { cancel, isGoing, title } from "../runs/jobs";
import { RunForm } from "../runs/RunForm";
import { tell, useStudio, type Values } from "../store/state";

const PATIENCE = 300; // after the last choice, before it is tried [ms]

/** Options that only code of one quantity has, and those of a whole model. */
const OF_ONE = ["of", "by", "parameters"];
const OF_WHOLE = ["fmi", "output", "input", "step"];

export default function Code(): ReactElement {
  const made = useStudio((s) => s.runs).filter((run) => run.analysis === "generate");
  const [targets, setTargets] = useState<TargetRow[]>([]);
  const [quantities, setQuantities] = useState<QuantityRow[]>([]);
  const [chosen, setChosen] = useState<Values>({});
  useEffect(() => {
    void ask<TargetsMessage>("/api/targets").then((said) => setTargets(said.targets), () => undefined);
    void ask<QuantitiesMessage>("/api/quantities").then((said) => setQuantities(said.quantities), () => undefined);
  }, []);
  const watch = useCallback((options: Values) => setChosen(options), []);
  const of = String(chosen["of"] ?? "forward");
  const target = String(chosen["target"] ?? "c");
  const choices = {
    target: targets.length ? targets.map((row) => row.name) : [target],
    formalism: quantities.find((row) => row.name === of)?.formalisms ?? [],
  };
  const isWhole = targets.find((row) => row.name === target)?.whole ?? false;
  const { trial, blocked } = useTrial(target, of, String(chosen["formalism"] ?? ""));
  return (
    <div className="runs code">
      <section className="run-list" aria-label="Generate code"><RunForm only="generate" choices={choices} watch={watch} blocked={blocked} idle={isWhole ? OF_ONE : OF_WHOLE} /></section>
      <section className="result scroll" aria-label="Archives" tabIndex={0}>
        <Trial trial={trial} target={targets.find((row) => row.name === target)} />
        <div className="tools"><button type="button" onClick={() => perform("share-live")}>Share a page that simulates</button> <span className="hint">one file with sliders, for browsers without a network</span></div>
        {!made.length && <p className="hint">Choose a language and a quantity: the files come as an archive, or go into a folder beside the model.</p>}
        {made.length > 0 && <table className="facts"><tbody>{made.toReversed().map((run) => <Made key={run.id} run={run} />)}</tbody></table>}
      </section>
    </div>
  );
}

/** What a target would write, tried before anything is started; null while it is tried. */
function useTrial(target: string, of: string, formalism: string): { trial: TargetsMessage | string | null; blocked: boolean } {
  const revision = useStudio((s) => s.check?.revision);
  const [trial, setTrial] = useState<TargetsMessage | string | null>(null);
  useEffect(() => {
    let current = true;
    setTrial(null);
    const due = window.setTimeout(() => {
      const query = `target=${encodeURIComponent(target)}&of=${of}&formalism=${encodeURIComponent(formalism)}`;
      ask<TargetsMessage>(`/api/targets?${query}`).then((said) => current && setTrial(said), (error: Error) => current && setTrial(error.message));
    }, PATIENCE);
    return () => {
      current = false;
      window.clearTimeout(due);
    };
  }, [target, of, formalism, revision]);
  return { trial, blocked: typeof trial === "string" || (trial !== null && trial.problem !== "") };
}

function Trial({ trial, target }: { trial: TargetsMessage | string | null; target: TargetRow | undefined }): ReactElement {
  const name = target ? `${target.name} · ${target.text}` : "";
  if (trial === null) return <p id="trial" className="hint" role="status">{name}: trying what it can express…</p>;
  const problem = typeof trial === "string" ? trial : trial.problem;
  if (problem) return <p id="trial" className="error" role="status">✕ {name}: {problem}</p>;
  const files = Object.entries((trial as TargetsMessage).files);
  return (
    <div id="trial" role="status">
      <p><span className="fine">✓</span> {name}: {files.length} {files.length === 1 ? "file" : "files"} can be written</p>
      <ul className="files">{files.slice(0, 12).map(([file, size]) => <li key={file}>{file} <span className="unit-of">{sized(size)}</span></li>)}{files.length > 12 && <li>…</li>}</ul>
    </div>
  );
}

const sized = (size: number): string => (size < 10_000 ? `${size} B` : `${Math.round(size / 1000)} KB`);

function Made({ run }: { run: RunState }): ReactElement {
  const target = String(run.options["target"] ?? "code");
  const [folder, setFolder] = useState(`${target}_${String(run.options["of"] ?? "model")}`.replaceAll("-", "_"));
  const write = async (): Promise<void> => {
    try {
      const said = await ask<WrittenMessage>(`/api/runs/${run.id}/folder`, { name: folder.trim() });
      tell(`${said.files.length} files are in the folder ${said.folder} beside the model`);
    } catch (error) {
      tell((error as Error).message, true);
    }
  };
  return (
    <tr>
      <th scope="row">{title(run)}</th>
      <td>{Object.entries(run.options).map(([name, value]) => `${name} ${String(value)}`).join(", ")}</td>
      <td>
        {isGoing(run) && <button type="button" onClick={() => void cancel(run.id)}>cancel</button>}
        {run.state === "finished" && <span className="hand-over">
          <button type="button" onClick={() => download(`/api/runs/${run.id}/archive.zip`, `${target}${run.id}.zip`)}>download</button>
          or <input className="entry" aria-label={`folder for run ${run.id}`} value={folder} spellCheck={false} onChange={(event) => setFolder(event.target.value)} />
          <button type="button" disabled={!folder.trim()} onClick={() => void write()}>write into this folder</button>
        </span>}
        {run.state === "failed" && <span className="error">{run.error}</span>}
      </td>
    </tr>
  );
}
