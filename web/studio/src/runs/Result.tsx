// What an analysis says: facts, rows, modes that can be animated, values and a rest that can be taken into the text.
import { useEffect, useState, type ReactElement } from "react";
import type { ResultMessage, RunState } from "../protocol/api";
import { ask, download } from "../protocol/client";
import type { Operation } from "../protocol/text";
import { edit, isMapping } from "../store/document";
import { tell, wind } from "../store/state";
import { takeRest } from "../view3d/start";
import { isGoing, title } from "./jobs";
import { Matrix, type Table } from "./Matrix";
import { Roots } from "./Roots";
import { Rows, told } from "./Rows";

/** What an analysis says, as rows; of one that goes or was cancelled, what it has so far. */
export function Result({ run }: { run: RunState }): ReactElement {
  const [result, setResult] = useState<Record<string, unknown> | null>(null);
  useEffect(() => {
    let current = true;
    void ask<ResultMessage>(`/api/runs/${run.id}/result`).then((said) => {
      if (!current) return;
      setResult(said.result);
      document.body.dataset["result"] = String(run.id);
    }, () => current && setResult(null));
    return () => {
      current = false;
    };
  }, [run.id, run.state, run.progress]);
  if (!result) return <p className="hint">…</p>;
  const operations = (Array.isArray(result["operations"]) ? result["operations"] : []) as Operation[];
  const warnings = [result["warnings"] ?? []].flat().filter(Boolean).map(String);
  const rest = Object.entries(result).filter(([name]) => !["operations", "warnings", "error"].includes(name));
  const isPart = run.state !== "finished" && rest.length > 0;
  const named = Object.entries(isMapping(result["parameters"]) ? result["parameters"] : {}); // best values
  const lists = rest.filter(([, value]) => Array.isArray(value) && typeof value[0] === "object" && value[0] !== null && !Array.isArray(value[0])) as [string, Record<string, unknown>[]][];
  const tables = rest.filter(([, value]) => Array.isArray(value) && Array.isArray(value[0])) as [string, Table][];
  const isIndex = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === "number";
  const plain = rest.filter(([name]) => ![...lists, ...tables].some(([other]) => other === name) && !(name === "parameters" && named.length))
    .sort(([, a], [, b]) => Number(isIndex(a)) - Number(isIndex(b))); // words before lists of numbers
  const take = async (): Promise<void> => {
    await edit(operations, `values of run ${run.id}`);
    tell(`${operations.length} ${operations.length === 1 ? "value of the text is" : "values of the text are"} those of ${title(run)} now`);
  };
  return (
    <section className="result scroll" aria-label={`Result of ${title(run)}`} tabIndex={0}>
      {run.error && run.state === "failed" && <p className="error">{run.error}</p>}
      {isPart && <p className="hint" role="status">{isGoing(run) ? "So far" : "What was found until it ended"}:</p>}
      {warnings.map((text) => <p key={text} className="warning">▲ {text}</p>)}
      {run.analysis === "equilibrium" && <button type="button" className="primary" onClick={() => void takeRest(run.id)}>Take as start</button>}
      {operations.length > 0 && <button type="button" className="primary" onClick={() => void take()}>Take these values into the text</button>}
      {run.analysis === "generate" && <button type="button" className="primary" onClick={() => download(`/api/runs/${run.id}/archive.zip`, `run${run.id}.zip`)}>Download archive</button>}
      {run.analysis === "film" && <Film run={run} kind={String(result["file"] ?? "").split(".").at(-1) ?? ""} />}
      {run.analysis === "modes" && <Roots run={run.id} rows={lists.find(([name]) => name === "modes")?.[1] ?? []} />}
      {lists.map(([name, rows]) => <Rows key={name} name={name} rows={rows} {...(name === "modes" ? { action: { title: "motion", of: (k: number) => <Animate run={run.id} mode={k} /> } } : {})} />)}
      {named.length > 0 && <Rows name="best values" rows={named.map(([parameter, value]) => ({ parameter, value }))} />}
      {tables.map(([name, table]) => <Matrix key={name} name={name} table={table} facts={result} />)}
      {plain.length > 0 && <table className="facts"><tbody>{plain.map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{told(value)}</td></tr>)}</tbody></table>}
    </section>
  );
}

function Animate({ run, mode }: { run: number; mode: number }): ReactElement {
  return <button type="button" aria-label={`animate mode ${mode + 1}`} onClick={() => wind({ run, clip: mode, t: 0, playing: true })}>animate</button>;
}

/** The film that was made, and how to keep it. */
function Film({ run, kind }: { run: RunState; kind: string }): ReactElement {
  const path = `/api/runs/${run.id}/film`;
  return (
    <div className="film">
      <button type="button" className="primary" onClick={() => download(path, `film${run.id}.${kind}`)}>Download film</button>
      {kind === "gif" && <img src={path} alt={`The motion of run ${String(run.options["run"])}`} />}
    </div>
  );
}
