// The screen: tree, diagram beside 3-D, properties; below checks, text, tables, runs, equations, code.
import { lazy, Suspense, useEffect, type ReactElement } from "react";
import { listen } from "../actions/keys";
import { PointerMenu } from "../actions/PointerMenu";
import { Sheets } from "../actions/Sheets";
import { Announcer, Checks, Verdict } from "../checks/Checks";
import { Diagram } from "../diagram/Diagram";
import { Panel } from "../panel/Panel";
import { place, show, useStudio, type Tab } from "../store/state";
import { Tree } from "../tree/Tree";
import { Disk } from "./Disk";
import { Split } from "./Split";
import { Start } from "./Start";
import { TopBar } from "./TopBar";

const TextPane = lazy(() => import("../text/TextPane"));
const View3d = lazy(() => import("../view3d/View3d"));
const Tables = lazy(() => import("../tables/Tables"));
const Runs = lazy(() => import("../runs/Runs"));
const LivePane = lazy(() => import("../live/LivePane"));
const Code = lazy(() => import("../code/Code"));
const Equations = lazy(() => import("../equations/Equations"));

const TABS: [Tab, string][] = [
  ["checks", "Checks"], ["text", "Text"], ["tables", "Tables"], ["plots", "Runs"], ["live", "Live"], ["equations", "Equations"], ["code", "Code"],
];
const BETWEEN = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

export function App(): ReactElement {
  const files = useStudio((s) => s.files);
  const open = useStudio((s) => s.document !== null);
  if (open) return <Screen />;
  return files && files.open === null ? <Start files={files} /> : <main className="opening"><h1>kinetree studio</h1></main>; // as the page begins
}

function Screen(): ReactElement {
  const { tree, panel, bottom, middle, diagram, solid } = useStudio((s) => s.places);
  const document_ = useStudio((s) => s.document);
  const check = useStudio((s) => s.check);
  const last = useStudio((s) => s.runs.at(-1));
  useEffect(listen, []);
  useEffect(() => {
    document.body.dataset["revision"] = String(document_?.revision ?? "");
    document.title = `${document_?.saved === false ? "● " : ""}${document_?.file ?? ""} – kinetree studio`;
  }, [document_]);
  useEffect(() => {
    document.body.dataset["checked"] = check ? String(check.revision) : "";
  }, [check]);
  useEffect(() => {
    document.body.dataset["last"] = last ? `${last.id} ${last.state}` : "";
  }, [last]);
  const columns = diagram && solid ? `minmax(0, ${middle}fr) 5px minmax(0, ${1 - middle}fr)` : "minmax(0, 1fr)";
  return (
    <div className="app" style={{ gridTemplateColumns: `${tree}px 5px minmax(0, 1fr) 5px ${panel}px`, gridTemplateRows: `auto auto minmax(0, 1fr) 5px ${bottom}px auto` }}>
      <TopBar />
      <Disk />
      <Tree />
      <Split label="Width of the tree" vertical value={tree} least={120} most={600} move={(d) => place({ tree: BETWEEN(120, tree + d, 600) })} />
      <main className="middle" style={{ gridTemplateColumns: columns }}>
        {diagram && <Diagram />}
        {diagram && solid && <Split label="Width of the diagram" vertical value={100 * middle} least={15} most={85} move={(d) => place({ middle: BETWEEN(0.15, middle + d / 900, 0.85) })} />}
        {solid && <Suspense fallback={<section className="pane solid" aria-label="3-D view" />}><View3d /></Suspense>}
      </main>
      <Split label="Width of the properties" vertical value={panel} least={180} most={700} move={(d) => place({ panel: BETWEEN(180, panel - d, 700) })} />
      <Panel />
      <Split label="Height of the lower panes" vertical={false} value={bottom} least={60} most={900} move={(d) => place({ bottom: BETWEEN(60, bottom - d, 900) })} />
      <Bottom />
      <Foot />
      <Sheets />
      <PointerMenu />
      <Announcer />
    </div>
  );
}

function Bottom(): ReactElement {
  const tab = useStudio((s) => s.tab);
  const runs = useStudio((s) => s.runs.length);
  const bad = useStudio((s) => s.check?.findings.filter((row) => row.severity !== "note").length ?? 0);
  const count: Partial<Record<Tab, number>> = { checks: bad, plots: runs };
  const move = (from: number, step: number): void => {
    const next = TABS[(from + step + TABS.length) % TABS.length];
    if (!next) return;
    show(next[0]);
    document.getElementById(`tab-${next[0]}`)?.focus();
  };
  return (
    <section className="bottom" aria-label="Lower panes">
      <div role="tablist" aria-label="Lower panes" className="tabs">
        {TABS.map(([name, label], k) => (
          <button
            key={name} id={`tab-${name}`} type="button" role="tab" aria-selected={tab === name} aria-controls="lower" tabIndex={tab === name ? 0 : -1}
            onClick={() => show(name)}
            onKeyDown={(event) => {
              if (event.key === "ArrowRight") move(k, 1);
              if (event.key === "ArrowLeft") move(k, -1);
            }}
          >{label}{(count[name] ?? 0) > 0 && <span className="count">{count[name]}</span>}</button>
        ))}
      </div>
      <div id="lower" role="tabpanel" aria-labelledby={`tab-${tab}`} className="lower" tabIndex={tab === "text" ? -1 : 0}>
        <Suspense fallback={<p className="hint">…</p>}>
          {tab === "checks" && <Checks />}
          {tab === "text" && <TextPane />}
          {tab === "tables" && <Tables />}
          {tab === "plots" && <Runs />}
          {tab === "live" && <LivePane />}
          {tab === "equations" && <Equations />}
          {tab === "code" && <Code />}
        </Suspense>
      </div>
    </section>
  );
}

function Foot(): ReactElement {
  const notice = useStudio((s) => s.notice);
  const connected = useStudio((s) => s.connected);
  const selection = useStudio((s) => s.selection);
  return (
    <footer className="foot">
      <Verdict />
      <span className="dim">{selection.length > 0 ? selection.slice(0, 3).join(", ") + (selection.length > 3 ? ` and ${selection.length - 3} more` : "") : ""}</span>
      <p id="status" role="status" className={notice?.bad || !connected ? "error" : ""}>
        {connected ? notice?.text : "The connection to the studio is lost: edits are held back until it answers."}
      </p>
    </footer>
  );
}
