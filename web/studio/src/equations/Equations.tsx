// Equations of the selected element: those about it, those it enters; a name leads to its definition, its elements are lit.
import { useEffect, useRef, useState, type ReactElement } from "react";
import type { EquationRow, EquationsMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import { shown } from "../store/shown";
import { put, select, useStudio } from "../store/state";

const QUANTITIES = ["forward", "inverse", "mass_bias", "mass_matrix", "constraints", "kinematics", "energy"];
const SECTIONS = ["bodies", "joints", "closures", "forces"];

export default function Equations(): ReactElement {
  const path = useStudio((s) => s.selection.find((one) => SECTIONS.includes(one.split(".")[0] ?? "")));
  const revision = useStudio((s) => s.check?.revision);
  const [quantity, setQuantity] = useState("forward");
  const [page, setPage] = useState(0);
  const [found, setFound] = useState<EquationsMessage | null>(null);
  const [problem, setProblem] = useState("");
  const [name, setName] = useState("");
  const element = path?.split(".").slice(0, 2).join(".");
  useEffect(() => setPage(0), [element, quantity]);
  useEffect(() => {
    if (!element) return undefined;
    let current = true;
    setProblem("");
    ask<EquationsMessage>(`/api/equations?element=${encodeURIComponent(element)}&of=${quantity}&page=${page}`).then((said) => {
      if (!current) return;
      setFound(said);
      document.body.dataset["equations"] = element;
      shown("equations");
    }, (error: Error) => current && setProblem(error.message));
    return () => {
      current = false;
    };
  }, [element, quantity, page, revision]);
  const pick = (word: string): void => {
    setName(word);
    put({ lit: found?.elements[word] ?? [] });
  };
  if (!element) return <p className="hint">Select a body, joint, closure or force to see its equations.</p>;
  const told = found?.element === element ? found : null;
  return (
    <div className="equations">
      <div className="tools" role="toolbar" aria-label="Equations">
        <label htmlFor="quantity">equations of</label>
        <select id="quantity" className="entry" value={quantity} onChange={(event) => setQuantity(event.target.value)}>
          {QUANTITIES.map((one) => <option key={one}>{one}</option>)}
        </select>
        <strong>{element.replace(".", " ")}</strong>
        {told && <span id="equation-count">{told.owned} own, {told.entered} it enters, of {told.total}</span>}
        {told && <Pages page={page} count={Math.ceil((told.owned + told.entered) / 60)} go={setPage} />}
      </div>
      {problem && <p className="error">{problem}</p>}
      {!told && !problem && <p className="hint">The equations are being derived…</p>}
      {told && <Definition name={name} found={told} />}
      {told && <ol className="rows">{told.rows.map((row) => <Row key={row.name} row={row} found={told} name={name} pick={pick} />)}</ol>}
    </div>
  );
}

function Pages({ page, count, go }: { page: number; count: number; go: (page: number) => void }): ReactElement | null {
  if (count < 2) return null;
  return (
    <span>
      <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>earlier</button> page {page + 1} of {count}{" "}
      <button type="button" disabled={page + 1 >= count} onClick={() => go(page + 1)}>later</button>
    </span>
  );
}

/** The chosen name: where it is defined, what uses it, which elements it is about. */
function Definition({ name, found }: { name: string; found: EquationsMessage }): ReactElement | null {
  if (!name) return <p className="hint">Click a name in an equation: its definition, its uses, and its elements lit in the drawings.</p>;
  const row = found.rows.find((one) => one.name === name);
  const uses = found.rows.filter((one) => one.uses.includes(name)).map((one) => one.name);
  return (
    <p className="definition" id="definition">
      <strong>{name}</strong>: {row ? <>defined here{row.about ? ` (${row.about})` : ""}</> : "defined elsewhere, or given"}; used by {uses.length || "none"}
      {uses.length > 0 && ` of these: ${uses.slice(0, 8).join(", ")}`}; about{" "}
      {(found.elements[name] ?? []).map((path) => <button key={path} type="button" className="link" onClick={() => select([path])}>{path}</button>)}
      {!(found.elements[name] ?? []).length && "the model as a whole"}
    </p>
  );
}

function Row({ row, found, name, pick }: { row: EquationRow; found: EquationsMessage; name: string; pick: (name: string) => void }): ReactElement {
  const host = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const parsed = new DOMParser().parseFromString(row.formula, "text/html").querySelector("math");
    host.current?.replaceChildren(...(parsed ? [document.importNode(parsed, true)] : []));
    host.current?.querySelectorAll<HTMLElement>("[data-n]").forEach((part) => {
      part.dataset["name"] = found.names[part.dataset["n"] ?? ""] ?? "";
    });
  }, [row, found]);
  useEffect(() => {
    host.current?.querySelectorAll<HTMLElement>("[data-n]").forEach((part) => part.classList.toggle("picked", found.names[part.dataset["n"] ?? ""] === name && name !== ""));
  }, [name, row, found]);
  const take = (target: EventTarget): void => {
    const part = (target as Element).closest<HTMLElement>("[data-n]");
    const word = part ? found.names[part.dataset["n"] ?? ""] : undefined;
    if (word) pick(word);
  };
  return (
    <li className={row.role} data-name={row.name}>
      <span ref={host} className="formula" onClick={(event) => take(event.target)} />
      <select className="entry names" aria-label={`names in the equation of ${row.name}`} value="" onChange={(event) => pick(event.target.value)}>
        <option value="">names</option>
        {[row.name, ...row.uses].map((word) => <option key={word}>{word}</option>)}
      </select>
      <span className="about">{row.role === "owns" ? "" : "enters · "}{row.about}</span>
    </li>
  );
}
