// The form of an analysis, from the table that the server has.
import { useEffect, useState, type ReactElement } from "react";
import { Choice } from "../panel/inputs";
import type { RunState } from "../protocol/api";
import { edit, isMapping } from "../store/document";
import { recall, remember } from "../store/remember";
import { useStudio, type Values } from "../store/state";
import { start, title } from "./jobs";

interface Option {
  description?: string;
  type?: string;
  default?: unknown;
  anyOf?: { type?: string }[];
  choices?: string[];
}

/** Options that are shown at once in every form that has them. */
const OFTEN = ["q", "method", "step", "equilibrium", "lock", "output", "kind", "along"];

const NONE: readonly string[] = [];

interface FormProps {
  done?: () => void;
  /** The one analysis that is offered. */
  only?: string;
  /** Words for options, beside those of the table. */
  choices?: Record<string, string[]>;
  /** Told what is chosen now. */
  watch?: (options: Values) => void;
  /** Whether what is chosen cannot be made. */
  blocked?: boolean;
  /** Options that mean nothing for what is chosen; they are not shown, and not given. */
  idle?: readonly string[];
}

export function RunForm({ done, only, choices = {}, watch, blocked, idle = NONE }: FormProps): ReactElement {
  const analyses = useStudio((s) => s.analyses);
  const runs = useStudio((s) => s.runs);
  const shown = useStudio((s) => s.clock.run);
  const [name, setName] = useState(() => recall("analysis", "simulate"));
  const [unfolded, setUnfolded] = useState(() => recall("more-options", false));
  const [kept, setKept] = useState<Record<string, Values>>(() => recall("options", {}));
  const row = analyses.find((one) => one.name === (only ?? name)) ?? analyses[0];
  const chosen = row ? kept[row.name] : undefined;
  useEffect(() => watch?.(chosen ?? {}), [watch, chosen]);
  if (!row) return <p className="hint">The table of analyses is being read.</p>;
  const given = kept[row.name] ?? {};
  const fields = Object.entries((row.options["properties"] ?? {}) as Record<string, Option>).filter(([field]) => !idle.includes(field));
  const needed = (row.options["required"] ?? []) as string[];
  const isMain = ([field, option]: [string, Option]): boolean => only !== undefined || needed.includes(field) || given[field] !== undefined
    || OFTEN.includes(field) || typeof option.default === "number";
  const weight = ([field]: [string, Option]): number => (needed.includes(field) ? 0 : field === "duration" ? 1 : 2);
  const main = fields.filter(isMain).sort((a, b) => weight(a) - weight(b));
  const rest = fields.filter((one) => !isMain(one));
  const along = runs.filter((run) => run.has_curves);
  const own = along.find((run) => run.id === given["run"]) ?? along.find((run) => run.id === shown) ?? along.findLast((run) => run.analysis === "simulate");
  const shownField = ([field, option]: [string, Option]): ReactElement => (
    field === "run" ? <AlongRun key={field} runs={along} value={own?.id} set={(id) => set(field, id)} /> : <Field key={`${row.name} ${field}`} field={field} option={choices[field] ? { ...option, choices: choices[field] } : option} value={given[field]} set={(value) => set(field, value)} />
  );
  const set = (field: string, value: unknown): void => {
    const { [field]: _, ...rest } = given;
    const next = { ...kept, [row.name]: value === "" ? rest : { ...rest, [field]: value } };
    setKept(next);
    remember("options", next);
  };
  const take = (chosen: string, values: Values): void => {
    setName(chosen);
    remember("analysis", chosen);
    const next = { ...kept, [chosen]: values };
    setKept(next);
    remember("options", next);
  };
  const go = (): void => {
    const wanted = Object.fromEntries(Object.entries(given).filter(([field]) => !idle.includes(field)));
    if (row.needs_run) wanted["run"] = own?.id ?? 0;
    void start(row.name, wanted, only ? "code" : "plots");
    done?.();
  };
  return (
    <form className="run-form" aria-label="Analysis" onSubmit={(event) => { event.preventDefault(); go(); }}>
      {!only && <Kept take={take} />}
      {!only && <div className="row">
        <label htmlFor="analysis">analysis</label>
        <div className="inputs">
          <select id="analysis" className="entry" value={row.name} onChange={(event) => { setName(event.target.value); remember("analysis", event.target.value); }}>
            {analyses.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
          </select>
        </div>
        <p className="meaning">{row.text}</p>
      </div>}
      {main.map(shownField)}
      {rest.length > 0 && (
        <details className="more" open={unfolded} onToggle={(event) => { setUnfolded(event.currentTarget.open); remember("more-options", event.currentTarget.open); }}>
          <summary>{rest.length} more options</summary>
          {rest.map(shownField)}
        </details>
      )}
      <footer><button type="submit" className="primary" disabled={blocked === true || (row.needs_run && !own)}>{only ? "Generate" : "Run"}</button></footer>
      {!only && <Keep analysis={row.name} options={given} />}
      {row.needs_run && !own && <p className="hint">It looks at a run, and there is none yet: simulate first.</p>}
    </form>
  );
}

/** The run that an analysis looks at. */
function AlongRun({ runs, value, set }: { runs: RunState[]; value: number | undefined; set: (id: number) => void }): ReactElement {
  return (
    <div className="row">
      <label htmlFor="option-run">along run</label>
      <div className="inputs">
        <select id="option-run" className="entry" value={value ?? ""} onChange={(event) => set(Number(event.target.value))}>
          {runs.map((run) => <option key={run.id} value={run.id}>{title(run)}</option>)}
        </select>
      </div>
    </div>
  );
}

/** Settings that the model file keeps. */
function Kept({ take }: { take: (analysis: string, options: Values) => void }): ReactElement | null {
  const runs = useStudio((s) => s.data["runs"]);
  const rows = Object.entries(isMapping(runs) ? runs : {});
  if (!rows.length) return null;
  const pick = (name: string): void => {
    const row = rows.find(([one]) => one === name)?.[1];
    if (isMapping(row)) take(String(row["analysis"]), isMapping(row["options"]) ? row["options"] : {});
  };
  return (
    <div className="row">
      <label htmlFor="kept-settings">kept</label>
      <div className="inputs"><Choice id="kept-settings" value="" choices={rows.map(([name]) => name)} empty="settings of the file…" commit={pick} /></div>
    </div>
  );
}

/** Keep the settings of the form in the model file, in place of those with the same name. */
function Keep({ analysis, options }: { analysis: string; options: Values }): ReactElement {
  const [name, setName] = useState("");
  const [done, setDone] = useState("");
  const keep = async (): Promise<void> => {
    await edit([["set", ["runs", name.trim()], { analysis, ...(Object.keys(options).length ? { options } : {}) }]], `keep settings ${name.trim()}`);
    setDone(name.trim());
    setName("");
  };
  return (
    <div className="row">
      <label htmlFor="keep-name">keep as</label>
      <div className="inputs">
        <input id="keep-name" className="entry" value={name} spellCheck={false} placeholder="a name" onChange={(event) => setName(event.target.value)} />
        <button type="button" disabled={!name.trim()} onClick={() => void keep()}>Keep in the file</button>
      </div>
      {done && <p className="meaning" role="status">The file has these settings as {done}.</p>}
    </div>
  );
}

function Field({ field, option, value, set }: { field: string; option: Option; value: unknown; set: (value: unknown) => void }): ReactElement {
  const types = (option.anyOf ?? [option]).map((one) => one.type);
  const numeric = types.includes("number") || types.includes("integer");
  const text = option.description ?? "";
  const id = `option-${field}`;
  return (
    <div className="row">
      <label htmlFor={id} title={text}>{field}</label>
      <div className="inputs">
        {types.includes("boolean")
          ? <input id={id} type="checkbox" checked={value === true} onChange={(event) => set(event.target.checked || "")} />
          : option.choices ? <Choice id={id} value={String(value ?? "")} choices={option.choices} empty={String(option.default ?? "the usual one")} commit={set} />
          : <input
            id={id} className="entry" value={String(value ?? "")} placeholder={option.default === null || option.default === undefined ? "" : String(option.default)}
            inputMode={numeric ? "decimal" : "text"} spellCheck={false}
            onChange={(event) => set(numeric && event.target.value.trim() !== "" && Number.isFinite(Number(event.target.value)) ? Number(event.target.value) : event.target.value)}
          />}
      </div>
      {text && <p className="meaning">{text}</p>}
    </div>
  );
}
