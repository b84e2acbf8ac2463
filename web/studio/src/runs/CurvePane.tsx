// Curves of the chosen runs: signals from a list, in time, one against another, or as differences.
import { useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import { Choice } from "../panel/inputs";
import type { CurvesMessage } from "../protocol/api";
import { ask, download } from "../protocol/client";
import { state, useStudio } from "../store/state";
import { largest, type Curve } from "./curves";
import { Plot, type Mode, type Span } from "./Plot";

interface Known {
  signals: string[];
  units: Record<string, string>;
  events: [number, string][];
  whole: Span;
}

const MOTION = /^(q|qd|qdd|x)\./;
const SHOWN = 3; // curves that are shown first
const LOOKED = 100; // signals among which these are
const NONE: Known = { signals: [], units: {}, events: [], whole: [0, 0] };

/** The curves of one unit that move most. */
async function widest(run: number, names: string[], units: Record<string, string>): Promise<string[]> {
  const looked = names.slice(0, LOOKED);
  const { curves } = await ask<CurvesMessage>(`/api/runs/${run}/signals?${looked.map((name) => `name=${encodeURIComponent(name)}`).join("&")}&pixels=8`);
  const span = (name: string): number => Math.max(...(curves[name] ?? [0])) - Math.min(...(curves[name] ?? [0]));
  const sorted = looked.sort((a, b) => span(b) - span(a));
  return sorted.filter((name) => units[name] === units[sorted[0] ?? ""]);
}

export function CurvePane({ ids }: { ids: number[] }): ReactElement {
  const [known, setKnown] = useState<Known>(NONE);
  const [refused, setRefused] = useState(false);
  const [names, setNames] = useState<string[]>([]);
  const [wanted, setWanted] = useState("");
  const [mode, setMode] = useState<Mode>("time");
  const [span, setSpan] = useState<Span | null>(null);
  const [over, setOver] = useState("");
  const along = names.includes(over) ? over : names[0] ?? "";
  const ordered = useMemo(() => (mode === "phase" ? [along, ...names.filter((name) => name !== along)] : names), [mode, along, names]);
  const grown = useStudio((s) => s.runs.filter((run) => ids.includes(run.id)).map((run) => `${run.state} ${run.progress}`).join());
  const curves = useCurves(ids, ordered, mode, span, grown);
  const first = ids[0];
  useEffect(() => {
    if (first === undefined) return;
    void ask<CurvesMessage>(`/api/runs/${first}/signals`).then(async (said) => {
      // of an analysis along a run, what it adds to the motion
      const run = state().runs.find((one) => one.id === first);
      const isAlong = state().analyses.find((one) => one.name === run?.analysis)?.shown === "curves";
      const added = isAlong ? said.signals.filter((name) => !MOTION.test(name)) : [];
      const fresh = added.length ? await widest(first, added, said.units) : said.shown.length ? said.shown : said.signals.slice(0, 1);
      setKnown({ signals: said.signals, units: said.units, events: said.events as [number, string][], whole: [said.start ?? 0, said.end ?? 0] });
      setSpan(null);
      setNames((old) => {
        const kept = old.filter((name) => (added.length ? added : said.signals).includes(name));
        return kept.length ? kept : fresh.slice(0, SHOWN);
      });
      setRefused(false);
    }, () => {
      setKnown(NONE);
      setRefused(true);
    });
  }, [first, refused && grown]); // a run that had nothing to show yet is asked again as it grows
  if (first === undefined) return <p className="hint">No run is shown: start one, or choose one of the list.</p>;
  const toggle = (name: string): void => setNames(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  const listed = known.signals.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  const named = (list: string[]): string => list.map((name) => `name=${encodeURIComponent(name)}`).join("&");
  const drawn = mode === "phase" ? `${named(ordered.slice(1))}&x=${encodeURIComponent(along)}` : named(names); // on paper
  return (
    <>
      <section className="signals" aria-label="Signals">
        <input type="search" className="entry wide" aria-label="Find a signal" placeholder={`${known.signals.length} signals`} value={wanted} onChange={(event) => setWanted(event.target.value)} />
        <div className="scroll" role="group" aria-label="Signals to plot">
          {listed.slice(0, 400).map((name) => (
            <label key={name} draggable onDragStart={(event) => event.dataTransfer.setData("text/plain", name)}>
              <input type="checkbox" checked={names.includes(name)} onChange={() => toggle(name)} />{name} <span className="unit-of">{known.units[name]}</span>
            </label>
          ))}
        </div>
      </section>
      <section className="plot" aria-label="Curves" onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => { const name = event.dataTransfer.getData("text/plain"); if (known.signals.includes(name) && !names.includes(name)) toggle(name); }}>
        <div className="tools" role="toolbar" aria-label="Curves">
          {(["time", "phase", "difference"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={mode === one} disabled={(one === "difference" && ids.length < 2) || (one === "phase" && names.length < 2)} onClick={() => setMode(one)}>{one}</button>
          ))}
          {mode === "phase" && names.length > 1 && <label>over <Choice label="signal along the axis" value={along} choices={names} commit={setOver} /></label>}
          <button type="button" disabled={span === null} onClick={() => setSpan(null)}>all</button>
          <details className="dropdown"><summary>export</summary><div>
            <button type="button" onClick={() => download(`/api/runs/${first}/table.csv`, `run${first}.csv`)}>CSV</button>
            <button type="button" onClick={() => download(`/api/runs/${first}/run.nc`, `run${first}.nc`)}>NetCDF</button>
            <button type="button" onClick={() => download(`/api/runs/${first}/curves.svg?${drawn}`, `run${first}.svg`)}>SVG</button>
            <button type="button" onClick={() => download(`/api/runs/${first}/curves.png?${drawn}`, `run${first}.png`)}>PNG</button>
            <button type="button" onClick={() => download(`/api/runs/${first}/page`, `run${first}.html`)}>page that moves</button>
          </div></details>
          {mode === "difference" && curves.map((curve) => {
            const { value, time } = largest(curve);
            return <span key={`${curve.run} ${curve.name}`} className="hint difference">Δ {curve.name}, run {curve.run} − run {first}: at most {value.toPrecision(4)} at {time.toPrecision(4)} s</span>;
          })}
        </div>
        <Plot curves={curves} mode={mode} units={known.units} events={known.events} span={span} zoom={setSpan} whole={known.whole} />
      </section>
    </>
  );
}

/** The curves as they are to be drawn; asked for anew, with the peaks of every pixel, where the span changes or a run has grown. */
function useCurves(ids: number[], names: string[], mode: Mode, span: Span | null, grown: string): Curve[] {
  const [curves, setCurves] = useState<Curve[]>([]);
  const count = useRef(0);
  useEffect(() => {
    const mine = ++count.current;
    if (!names.length || !ids.length) return setCurves([]);
    const first = ids[0];
    const query = [...names.map((name) => `name=${encodeURIComponent(name)}`), mode === "phase" ? "pixels=4000&whole=1" : "pixels=900", ...(span && mode !== "phase" ? [`from=${span[0]}`, `to=${span[1]}`] : [])].join("&");
    const wanted = mode === "difference" ? ids.slice(1).map((id): [number, string] => [id, `/api/runs/${first}/minus/${id}?${query}`])
      : ids.map((id): [number, string] => [id, `/api/runs/${id}/signals?${query}`]);
    void Promise.all(wanted.map(async ([id, path]) => {
      const said = await askAll(path, names);
      return names.flatMap((name): Curve[] => (said?.curves[name] ? [{ run: id, name, time: said.time, values: said.curves[name] }] : []));
    })).then((rows) => {
      if (mine !== count.current) return;
      setCurves(rows.flat());
      document.body.dataset["curves"] = `${mode} ${ids.join(",")} ${names.join(",")}`;
    });
  }, [ids, names, mode, span, grown]);
  return curves;
}

/** Curves; of those that a run does not have, the others. */
async function askAll(path: string, names: string[]): Promise<CurvesMessage | null> {
  try {
    return await ask<CurvesMessage>(path);
  } catch {
    const known = await ask<CurvesMessage>(path.split("?")[0]?.replace(/minus\/\d+$/, "signals") ?? path).catch(() => null);
    const kept = names.filter((name) => known?.signals.includes(name));
    if (!kept.length || kept.length === names.length) return null;
    const [base = "", query = ""] = path.split("?");
    const rest = query.split("&").filter((part) => !part.startsWith("name=")).concat(kept.map((name) => `name=${encodeURIComponent(name)}`));
    return ask<CurvesMessage>(`${base}?${rest.join("&")}`).catch(() => null);
  }
}
