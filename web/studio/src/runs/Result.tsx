// What an analysis says: facts, rows, modes that can be animated, a rest that can be taken as start.
import { useEffect, useState, type ReactElement } from "react";
import type { ResultMessage, RunState } from "../protocol/api";
import { ask, download } from "../protocol/client";
import { wind } from "../store/state";
import { takeRest } from "../view3d/start";
import { title } from "./jobs";
import { Roots } from "./Roots";

/** What an analysis says, as rows. */
export function Result({ run }: { run: RunState }): ReactElement {
  const [result, setResult] = useState<Record<string, unknown> | null>(null);
  useEffect(() => {
    void ask<ResultMessage>(`/api/runs/${run.id}/result`).then((said) => {
      setResult(said.result);
      document.body.dataset["result"] = String(run.id);
    }, () => setResult(null));
  }, [run.id]);
  if (!result) return <p className="hint">…</p>;
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value) && typeof value[0] === "object" && value[0] !== null) as [string, Record<string, unknown>[]][];
  const plain = Object.entries(result).filter(([name]) => !lists.some(([other]) => other === name));
  return (
    <section className="result scroll" aria-label={`Result of ${title(run)}`} tabIndex={0}>
      {run.analysis === "equilibrium" && <button type="button" className="primary" onClick={() => void takeRest(run.id)}>Take as start</button>}
      {run.analysis === "generate" && <button type="button" className="primary" onClick={() => download(`/api/runs/${run.id}/archive.zip`, `run${run.id}.zip`)}>Download archive</button>}
      {run.analysis === "film" && <Film run={run} kind={String(result["file"] ?? "").split(".").at(-1) ?? ""} />}
      {run.analysis === "modes" && <Roots run={run.id} rows={lists.find(([name]) => name === "modes")?.[1] ?? []} />}
      {lists.map(([name, rows]) => <Rows key={name} run={run} name={name} rows={rows} />)}
      <table className="facts"><tbody>{plain.map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{told(value)}</td></tr>)}</tbody></table>
    </section>
  );
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

function told(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(6);
  if (Array.isArray(value)) return value.map(told).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function Rows({ run, name, rows }: { run: RunState; name: string; rows: Record<string, unknown>[] }): ReactElement {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => typeof rows[0]?.[column] !== "object");
  return (
    <table className="facts" aria-label={name}>
      <thead><tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}{name === "modes" && <th scope="col">motion</th>}</tr></thead>
      <tbody>{rows.map((row, k) => (
        <tr key={k}>{columns.map((column) => <td key={column}>{told(row[column])}</td>)}
          {name === "modes" && <td><button type="button" aria-label={`animate mode ${k + 1}`} onClick={() => wind({ run: run.id, clip: k, t: 0, playing: true })}>animate</button></td>}</tr>
      ))}</tbody>
    </table>
  );
}
