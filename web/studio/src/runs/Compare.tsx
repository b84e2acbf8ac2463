// Two runs side by side: which curves differ by how much, and what differs in text and options.
import { useEffect, useState, type ReactElement } from "react";
import type { ComparisonMessage, ValueDifference } from "../protocol/api";
import { ask } from "../protocol/client";
import { short, written } from "../panel/inputs";
import { useStudio } from "../store/state";
import { title } from "./jobs";
import { Lines } from "./Lines";

/** The first of these runs, and one of the others. */
export function Compare({ ids }: { ids: number[] }): ReactElement {
  const [wish, setWish] = useState<number | null>(null);
  const first = ids[0] ?? 0;
  const others = ids.slice(1);
  const second = wish !== null && others.includes(wish) ? wish : (others[0] ?? 0);
  return <Pair key={`${first} ${second}`} first={first} second={second} others={others} choose={setWish} />;
}

function Pair({ first, second, others, choose }: { first: number; second: number; others: number[]; choose: (id: number) => void }): ReactElement {
  const runs = useStudio((s) => s.runs);
  const named = (id: number): string => {
    const run = runs.find((one) => one.id === id);
    return run ? title(run) : `run ${id}`;
  };
  const [absolute, setAbsolute] = useState("0");
  const [relative, setRelative] = useState("0.01");
  const [found, setFound] = useState<ComparisonMessage | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const body = { runs: [first, second], signals: [], absolute: Number(absolute) || 0, relative: Number(relative) || 0 };
    ask<ComparisonMessage>("/api/compare", body).then((said) => {
      setFound(said);
      setProblem("");
      document.body.dataset["compared"] = `${first} ${second}`;
    }, (error: Error) => setProblem(error.message));
  }, [first, second, absolute, relative]);
  return (
    <section className="result scroll" aria-label={`Run ${second} compared with run ${first}`} tabIndex={0}>
      <div className="tools">
        {others.length > 1
          ? <select className="entry" aria-label="run that is compared" value={second} onChange={(event) => choose(Number(event.target.value))}>{others.map((id) => <option key={id} value={id}>{named(id)}</option>)}</select>
          : <strong>{named(second)}</strong>}
        <strong>compared with {named(first)}</strong>
        <label>may be apart by <input className="entry number" aria-label="absolute tolerance" value={absolute} onChange={(event) => setAbsolute(event.target.value)} /></label>
        <label>and by a share of the span <input className="entry number" aria-label="relative tolerance" value={relative} onChange={(event) => setRelative(event.target.value)} /></label>
        {found && <span id="compared" className={found.signals.every((row) => row.within) ? "fine" : "warning"}>
          {found.signals.filter((row) => row.within).length} of {found.signals.length} curves within
        </span>}
      </div>
      {problem && <p className="error">{problem}</p>}
      {found && <Differences title="what differs in the model" rows={found.entries} first={first} second={second} />}
      {found && <Differences title="options" rows={found.options} first={first} second={second} />}
      {found && found.lines.length > 0 && <Lines lines={found.lines} />}
      {found && (
        <table className="facts" aria-label="Curves of both runs">
          <thead><tr><th scope="col">signal</th><th scope="col">largest difference</th><th scope="col">at</th><th scope="col">span</th><th scope="col">within</th></tr></thead>
          <tbody>{found.signals.map((row) => (
            <tr key={row.name}><th scope="row">{row.name} <span className="unit-of">{row.unit}</span></th><td>{short(row.largest)}</td><td>{short(row.at)} s</td><td>{short(row.span)}</td>
              <td className={row.within ? "fine" : "warning"}>{row.within ? "yes" : `no, from ${short(row.first_outside ?? 0)} s`}</td></tr>
          ))}</tbody>
        </table>
      )}
    </section>
  );
}

function Differences({ title, rows, first, second }: { title: string; rows: ValueDifference[]; first: number; second: number }): ReactElement | null {
  if (!rows.length) return null;
  return (
    <table className="facts" aria-label={title}>
      <thead><tr><th scope="col">{title}</th><th scope="col">run {first}</th><th scope="col">run {second}</th></tr></thead>
      <tbody>{rows.map((row) => <tr key={row.path}><th scope="row">{row.path}</th><td>{written(row.first)}</td><td>{written(row.second)}</td></tr>)}</tbody>
    </table>
  );
}
