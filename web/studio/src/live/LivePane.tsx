// A simulation in the browser: sliders act while it goes on, bodies can be pulled at in 3-D.
import type { Control } from "@kinetree/scene/payload";
import { SPEEDS } from "@kinetree/scene/simulation";
import { useEffect, useMemo, useState, type ReactElement } from "react";
import { perform } from "../actions/table";
import { short } from "../panel/inputs";
import type { Curve } from "../runs/curves";
import { Plot } from "../runs/Plot";
import { useStudio } from "../store/state";
import { close, columns, open, pace, play, restart, signal, slide, times, useLive } from "./session";

const GROUPS: [Control["kind"], string, string][] = [
  ["q", "coordinates", "one that is moved poses the mechanism and begins anew"],
  ["qd", "initial velocities", "at the start of the motion"],
  ["tau", "efforts", "constant; they act at once"],
  ["p", "parameters", "they act at once; the text keeps its own values"],
];
const ROUNDING = 1e-12; // a number below is none
const NONE: [number, string][] = [];

export default function LivePane(): ReactElement {
  const stage = useLive((s) => s.stage);
  const data = useLive((s) => s.data);
  const problem = useLive((s) => s.problem);
  if (stage !== "ready" || !data) {
    return (
      <div className="live-off">
        <p>The mechanism moves in this page while you change its numbers and pull at its bodies.</p>
        <button type="button" id="live-start" className="primary" disabled={stage === "making"} onClick={() => void open()}>{stage === "making" ? "deriving the equations…" : "Simulate live"}</button>
        {stage === "making" && <button type="button" onClick={close}>cancel</button>}
        {problem && <p className="error" role="alert">{problem}</p>}
      </div>
    );
  }
  return (
    <div className="runs live">
      <section className="run-list" aria-label="Live simulation"><Bar /><Sliders controls={data.controls} /></section>
      <Curves />
    </div>
  );
}

function Bar(): ReactElement {
  const { playing, t, speed, told, problem, revision } = useLive();
  const now = useStudio((s) => s.document?.revision ?? revision);
  return (
    <>
      <div className="tools" role="toolbar" aria-label="Live simulation">
        <button type="button" aria-pressed={playing} onClick={() => play(!playing)}>{playing ? "pause" : "go"}</button>
        <button type="button" onClick={restart}>from the start</button>
        <select className="entry" aria-label="speed" value={speed} onChange={(event) => pace(Number(event.target.value))}>
          {SPEEDS.map((one) => <option key={one} value={one}>{one}×</option>)}
        </select>
        <output id="live-time">{t.toFixed(2)} s</output>
      </div>
      {now !== revision && <p className="hint">The text has changed since. <button type="button" onClick={() => void open()}>begin anew with it</button></p>}
      {problem ? <p className="error" role="alert">{problem}</p> : <p className="hint">{told || "Press pull over the 3-D view, then drag a body."}</p>}
      <div className="tools">
        <button type="button" onClick={() => perform("live-pose")}>take as start</button>
        <button type="button" onClick={close}>end</button>
      </div>
    </>
  );
}

function Sliders({ controls }: { controls: Control[] }): ReactElement {
  return (
    <>
      {GROUPS.map(([kind, title, hint]) => {
        const rows = controls.filter((row) => row.kind === kind);
        return rows.length > 0 && (
          <details key={kind} open={kind === "q" || kind === "p"}>
            <summary title={hint}>{title}</summary>
            {rows.map((row) => <Slider key={`${kind} ${row.key}`} row={row} />)}
          </details>
        );
      })}
    </>
  );
}

function Slider({ row }: { row: Control }): ReactElement {
  const follows = useLive((s) => (row.kind === "q" ? (s.q[Number(row.key)] ?? row.value) : null));
  const [own, setOwn] = useState(row.value);
  const value = follows ?? own;
  const change = (next: number): void => {
    if (!Number.isFinite(next)) return;
    setOwn(next);
    slide(row.kind, row.key, next);
  };
  const id = `live-${row.kind}-${row.name}`;
  return (
    <div className="slider">
      <label htmlFor={id}>{row.name}</label>
      <input id={id} type="range" min={row.low} max={row.high} step="any" value={row.unit === "rad" && row.kind === "q" ? within(value, row.low, row.high) : value}
        onChange={(event) => change(Number(event.target.value))} onDoubleClick={() => change(row.value)} />
      <Typed label={`${row.name} as a number`} value={value} commit={change} />
      <span className="unit-of">{row.unit}</span>
    </div>
  );
}

/** A number beside its slider; it follows, unless it is being written. */
function Typed({ label, value, commit }: { label: string; value: number; commit: (value: number) => void }): ReactElement {
  const [text, setText] = useState<string | null>(null);
  const finish = (): void => {
    if (text !== null && text.trim() !== "") commit(Number(text));
    setText(null);
  };
  return (
    <input className="entry" aria-label={label} inputMode="decimal" value={text ?? short(Math.abs(value) < ROUNDING ? 0 : value, 4)} onChange={(event) => setText(event.target.value)}
      onBlur={finish} onKeyDown={(event) => { if (event.key === "Enter") finish(); if (event.key === "Escape") setText(null); }} />
  );
}

/** An angle brought between two bounds by whole turns. */
function within(angle: number, low: number, high: number): number {
  const turn = 2 * Math.PI;
  return angle >= low && angle <= high ? angle : low + ((((angle - low) % turn) + turn) % turn);
}

function Curves(): ReactElement {
  const data = useLive((s) => s.data);
  const drawn = useLive((s) => s.drawn);
  const names = useMemo(() => (data?.signals ?? []).flatMap((group) => group.names.map((name, k): [string, string] => [signal(group.name, name), group.units[k] ?? ""])), [data]);
  const [picked, setPicked] = useState<string[]>(() => names.slice(0, 2).map(([name]) => name));
  const [wanted, setWanted] = useState("");
  const [curves, setCurves] = useState<Curve[]>([]);
  const units = useMemo(() => Object.fromEntries(names), [names]);
  useEffect(() => {
    setCurves(picked.map((name) => ({ run: 0, name, time: [...times], values: [...(columns.get(name) ?? [])] })));
  }, [picked, drawn]);
  const toggle = (name: string): void => setPicked(picked.includes(name) ? picked.filter((one) => one !== name) : [...picked, name]);
  return (
    <>
      <section className="signals" aria-label="Signals">
        <input type="search" className="entry wide" aria-label="Find a signal" placeholder={`${names.length} signals`} value={wanted} onChange={(event) => setWanted(event.target.value)} />
        <div className="scroll" role="group" aria-label="Signals to plot">
          {names.filter(([name]) => name.toLowerCase().includes(wanted.toLowerCase())).slice(0, 400).map(([name, unit]) => (
            <label key={name}><input type="checkbox" checked={picked.includes(name)} onChange={() => toggle(name)} />{name} <span className="unit-of">{unit}</span></label>
          ))}
        </div>
      </section>
      <section className="plot" aria-label="Curves">
        <Plot curves={curves} mode="time" units={units} events={NONE} span={null} zoom={() => undefined} whole={[times[0] ?? 0, times.at(-1) ?? 1]} />
      </section>
    </>
  );
}
