// Runs of the file: which one is shown, which are laid over it, compared with it, or move along as ghosts.
import { useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import type { RunList, RunState } from "../protocol/api";
import { ask } from "../protocol/client";
import { put, useStudio, wind } from "../store/state";
import { Compare } from "./Compare";
import { CurvePane } from "./CurvePane";
import { Import } from "./Import";
import { cancel, isGoing, title } from "./jobs";
import { MadeFrom } from "./MadeFrom";
import { Result } from "./Result";
import { RunForm } from "./RunForm";

type View = "curves" | "compare" | "import" | "result" | "made";

export default function Runs(): ReactElement {
  const runs = useStudio((s) => s.runs);
  const shown = useStudio((s) => s.clock.run);
  const last = runs.at(-1);
  const [picked, setPicked] = useState<number[]>([]);
  const [wish, setView] = useState<View | null>(null);
  const [table, setTable] = useState<number | null>(null);
  const ids = useMemo(
    () => [...new Set([...(shown === null ? [] : [shown]), ...picked])].filter((id) => runs.some((run) => run.id === id && run.has_curves)), [shown, picked, runs],
  );
  const ended = last && !isGoing(last) ? last.id : 0;
  const known = useRef(ended);
  useEffect(() => {
    if (ended > known.current) { // what a new run found is seen, whatever was looked at before
      setView(null);
      setTable(null);
    }
    known.current = Math.max(known.current, ended);
  }, [ended]);
  const told = runs.find((run) => run.id === table) ?? (last && !last.has_curves && last.state === "finished" ? last : null);
  const view = wish ?? (told ? "result" : "curves");
  return (
    <div className="runs">
      <section className="run-list" aria-label="Runs">
        <div className="tools" role="toolbar" aria-label="Runs">
          <button type="button" onClick={() => put({ sheet: "run" })}>run…</button>
          <button type="button" aria-pressed={view === "import"} onClick={() => setView(view === "import" ? null : "import")}>measured…</button>
          <button type="button" aria-pressed={view === "compare"} disabled={ids.length < 2} onClick={() => setView(view === "compare" ? null : "compare")}>compare</button>
        </div>
        {!runs.length && <RunForm />}
        <ul>{runs.toReversed().map((run) => (
          <Item key={run.id} run={run} told={view === "curves" || !told ? run.id === shown : run.id === told.id} picked={picked} pick={setPicked} open={() => {
            setView(run.has_curves ? "curves" : "result");
            setTable(run.has_curves ? null : run.id);
          }} made={() => {
            setView("made");
            setTable(run.id);
          }} />
        ))}</ul>
      </section>
      {view === "import" && <Import done={() => setView("curves")} />}
      {view === "compare" && ids.length > 1 && <Compare ids={ids} />}
      {view === "made" && told && <MadeFrom key={told.id} run={told} />}
      {view === "result" && told && <Result run={told} />}
      {(view === "curves" || ((view === "result" || view === "made") && !told) || (view === "compare" && ids.length < 2)) && <CurvePane ids={ids} />}
    </div>
  );
}

function Item({ run, picked, pick, open, made, told }: { told: boolean; run: RunState; picked: number[]; pick: (ids: number[]) => void; open: () => void; made: () => void }): ReactElement {
  const clock = useStudio((s) => s.clock);
  const moves = run.has_curves && !isGoing(run) && run.analysis !== "measured";
  const toggle = (): void => pick(picked.includes(run.id) ? picked.filter((one) => one !== run.id) : [...picked, run.id]);
  const show = (): void => {
    if (run.has_curves && !moves && !picked.includes(run.id)) toggle(); // measured, or on its way: no mechanism to show
    if (moves || run.analysis === "modes") wind({ run: run.id, t: 0, clip: 0, playing: run.analysis === "modes" });
    open();
  };
  const forget = async (): Promise<void> => {
    const { runs } = await ask<RunList>(`/api/runs/${run.id}/remove`, {});
    put({ runs });
    if (clock.run === run.id) wind({ run: null });
  };
  return (
    <li className={told ? "chosen" : ""} data-run={run.id}>
      <button type="button" className="run-name" onClick={show} title={run.error}>
        {title(run)} <span className={run.state === "failed" ? "error" : "dim"}>{run.state === "finished" ? "" : run.state}</span>
      </button>
      <button type="button" className="icon" aria-label={`what run ${run.id} was made from`} title="Name, settings, manifest and text of this run" onClick={made}>i</button>
      {!isGoing(run) && <button type="button" className="icon" aria-label={`forget run ${run.id}`} title="Forget this run" onClick={() => void forget()}>×</button>}
      {isGoing(run) && <span className="along">
        <progress max={1} {...(run.progress === null ? {} : { value: run.progress })} aria-label={`progress of run ${run.id}`} />
        {run.doing && <span className="dim doing">{run.doing}</span>}
        {run.left !== null && <span className="dim">{Math.ceil(run.left)} s left</span>}
        <button type="button" onClick={() => void cancel(run.id)}>cancel</button>
      </span>}
      {run.has_curves && !isGoing(run) && <span className="along">
        <label title="lay it over the run that is shown"><input type="checkbox" checked={picked.includes(run.id)} onChange={toggle} />overlay</label>
        {moves && <label title="a pale second mechanism"><input type="checkbox" checked={clock.ghost === run.id}
          onChange={() => wind({ ghost: clock.ghost === run.id ? null : run.id })} />ghost</label>}
      </span>}
      {(run.notes ?? []).map((note) => <p key={note} className="dim">{note}</p>)}
      {run.error && <p className={run.state === "failed" ? "error" : "dim"}>{run.error}</p>}
    </li>
  );
}
