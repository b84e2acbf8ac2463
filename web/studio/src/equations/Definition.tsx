// The name that was clicked: how it is defined, its unit and value, what uses it, which elements it is about.
import { useEffect, useState, type ReactElement } from "react";
import type { SymbolMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import { short } from "../panel/inputs";
import { put, select } from "../store/state";
import { Formula } from "./Formula";

const MOST = 12; // uses that are listed

export function Definition({ name, query, pick }: { name: string; query: string; pick: (name: string) => void }): ReactElement {
  const [found, setFound] = useState<SymbolMessage | null>(null);
  useEffect(() => {
    if (!name) return undefined;
    let current = true;
    ask<SymbolMessage>(`/api/symbols?name=${encodeURIComponent(name)}&${query}`).then((said) => {
      if (!current) return;
      setFound(said);
      put({ lit: said.elements });
      document.body.dataset["symbol"] = said.name;
    }, () => current && setFound(null));
    return () => {
      current = false;
    };
  }, [name, query]);
  if (!name) return <p className="hint">Click a name in an equation: its definition, its uses, and its elements lit in the drawings.</p>;
  if (found?.name !== name) return <p className="definition" id="definition"><strong>{name}</strong></p>;
  const { definition: row } = found;
  return (
    <div className="definition" id="definition">
      <p>
        <Formula markup={found.symbol} names={{}} chosen="" pick={pick} /> <strong>{name}</strong>
        {found.unit && <span className="unit-of"> {found.unit}</span>}
        {row ? ` · ${row.about}` : found.value === null ? " · an input" : ` · a given number, = ${short(found.value)}`}
      </p>
      {row && <Formula markup={row.formula} names={found.names} chosen={name} pick={pick} />}
      <p>
        used by {found.uses.length || "none"}{found.uses.length > 0 && ": "}
        {found.uses.slice(0, MOST).map((word) => <button key={word} type="button" className="link" onClick={() => pick(word)}>{word}</button>)}
        {found.uses.length > MOST && "…"} · about{" "}
        {found.elements.map((path) => <button key={path} type="button" className="link" onClick={() => select([path])}>{path}</button>)}
        {!found.elements.length && "the model as a whole"}
      </p>
    </div>
  );
}
