// Equations of the selected element, or of all: those about it, those it enters; a name leads to its definition, its elements are lit.
import { useEffect, useState, type ReactElement } from "react";
import type { EquationRow, EquationsMessage, QuantitiesMessage, QuantityRow } from "../protocol/api";
import { ask } from "../protocol/client";
import { recall, remember } from "../store/remember";
import { percent } from "../diagram/overlays";
import { shown } from "../store/shown";
import { put, tell, useStudio } from "../store/state";
import { Definition } from "./Definition";
import { Formula } from "./Formula";

const SECTIONS = ["bodies", "joints", "closures", "forces", "states", "drives", "parameters"];

/** What is derived, and by which formalism; the usual one where none is named. */
interface Derived {
  quantity: string;
  formalism: string;
}

export default function Equations(): ReactElement {
  const path = useStudio((s) => s.selection.find((one) => SECTIONS.includes(one.split(".")[0] ?? "")));
  const [derived, setDerived] = useState<Derived>(() => recall("derived", { quantity: "forward", formalism: "" }));
  const [page, setPage] = useState(0);
  const [name, setName] = useState("");
  const element = path?.split(".").slice(0, 2).join(".") ?? ""; // none: the whole Program
  const query = `of=${derived.quantity}&formalism=${encodeURIComponent(derived.formalism)}`;
  useEffect(() => setPage(0), [element, query]);
  const { told, problem } = useEquations(element, query, page);
  const take = (change: Partial<Derived>): void => {
    const next = { ...derived, ...change };
    setDerived(next);
    remember("derived", next);
  };
  const pick = (word: string): void => {
    setName(word);
    put({ lit: told?.elements[word] ?? [] });
  };
  return (
    <div className="equations">
      <div className="tools" role="toolbar" aria-label="Equations">
        <Derivation {...derived} take={take} />
        <strong>{element ? element.replace(/^bodies/, "body").replace(/s\./, " ").replace(".", " ") : "the whole model"}</strong>
        {told && <span id="equation-count">{element ? `${told.owned} own, ${told.entered} it enters, of ${told.total} equations` : `${told.total} equations; select an element to see its own`}</span>}
        {told && element !== "" && <Share operations={told.operations as [number, number]} formalism={told.formalism} />}
        {told && <Pages page={page} count={told.pages} go={setPage} />}
      </div>
      {problem && <p className="error">{problem}</p>}
      {!told && !problem && <p className="hint">The equations are being derived… <button type="button" onClick={stop}>Stop</button></p>}
      {told && <Definition name={name} query={query} pick={pick} />}
      {told && <ol className="rows">{told.rows.map((row) => <Row key={row.name} row={row} found={told} name={name} pick={pick} />)}</ol>}
    </div>
  );
}

/** A page of equations of an element; asked for anew when something of it changes. */
function useEquations(element: string, query: string, page: number): { told: EquationsMessage | null; problem: string } {
  const revision = useStudio((s) => s.check?.revision);
  const [found, setFound] = useState<{ said: EquationsMessage; query: string } | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let current = true;
    setProblem("");
    ask<EquationsMessage>(`/api/equations?element=${encodeURIComponent(element)}&${query}&page=${page}`).then((said) => {
      if (!current) return;
      setFound({ said, query });
      document.body.dataset["equations"] = element || "all";
      shown("equations");
    }, (error: Error) => {
      if (!current) return;
      setFound(null);
      setProblem(error.message);
    });
    return () => {
      current = false;
    };
  }, [element, query, page, revision]);
  return { told: found?.said.element === element && found.query === query ? found.said : null, problem };
}

/** End a derivation that takes too long. */
const stop = (): void => void ask("/api/equations", undefined, "DELETE").catch((error: Error) => tell(error.message, true));

/** Which quantity, by which formalism: rows of the table that Python has. */
function Derivation({ quantity, formalism, take }: Derived & { take: (change: Partial<Derived>) => void }): ReactElement {
  const [rows, setRows] = useState<QuantityRow[]>([]);
  useEffect(() => void ask<QuantitiesMessage>("/api/quantities").then((said) => setRows(said.quantities), () => undefined), []);
  const row = rows.find((one) => one.name === quantity);
  const listed = rows.length ? rows.map((one) => one.name) : [quantity];
  return (
    <>
      <label htmlFor="quantity">equations of</label>
      <select id="quantity" className="entry" title={row?.text ?? ""} value={quantity} onChange={(event) => take({ quantity: event.target.value, formalism: "" })}>
        {listed.map((one) => <option key={one} value={one}>{one.replaceAll("_", " ")}</option>)}
      </select>
      <label htmlFor="formalism">by</label>
      <select id="formalism" className="entry" value={formalism} onChange={(event) => take({ formalism: event.target.value })}>
        <option value="">the usual formalism</option>
        {(row?.formalisms ?? [formalism]).filter(Boolean).map((one) => <option key={one} value={one}>{one.replaceAll("_", " ")}</option>)}
      </select>
    </>
  );
}

function Share({ operations: [all, own], formalism }: { operations: [number, number]; formalism: string }): ReactElement {
  const share = all > 0 ? ` (${percent(own / all)})` : "";
  return <span id="equation-share" className="dim">· {own} of {all} operations{share}{formalism && `, ${formalism.replaceAll("_", " ")}`}</span>;
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

function Row({ row, found, name, pick }: { row: EquationRow; found: EquationsMessage; name: string; pick: (name: string) => void }): ReactElement {
  return (
    <li className={row.role} data-name={row.name}>
      <Formula markup={row.formula} names={found.names} chosen={name} pick={pick} />
      <select className="entry names" aria-label={`names in the equation of ${row.name}`} value="" onChange={(event) => pick(event.target.value)}>
        <option value="">names</option>
        {[row.name, ...row.uses].map((word) => <option key={word}>{word}</option>)}
      </select>
      <span className="about">{row.role === "owns" ? "" : "enters · "}{row.about}</span>
    </li>
  );
}
