// What is wrong, each as a sentence at its element with its cure; and how the loops stand, always in view.
import type { ReactElement } from "react";
import type { FindingMessage } from "../protocol/api";
import type { Operation } from "../protocol/text";
import { edit } from "../store/document";
import { put, select, show, useStudio } from "../store/state";
import { sentence } from "./sentence";

const SIGNS = { error: "✕", warning: "▲", note: "•" };

export function Checks(): ReactElement {
  const check = useStudio((s) => s.check);
  if (!check) return <p className="hint">The text is being read.</p>;
  return (
    <div className="checks">
      <Doctor />
      {!check.findings.length && <p className="fine">✓ Nothing is wrong.</p>}
      <ul className="findings">
        {check.findings.map((row, k) => <Finding key={k} row={row} />)}
      </ul>
    </div>
  );
}

function Finding({ row }: { row: FindingMessage }): ReactElement {
  const { repair } = row;
  const go = (): void => {
    const path = row.path.slice(0, 2).join(".");
    if (row.path.length >= 2) select([path]);
    if (row.line) {
      show("text");
      put({ goTo: { line: row.line, count: Date.now() } });
    }
  };
  return (
    <li className={row.severity}>
      <span className="sign" aria-label={row.severity}>{SIGNS[row.severity]}</span>
      <span className="sentence"><strong>{row.element}</strong>: {sentence(row)}</span>
      <span className="buttons">
        {row.line > 0 && <button type="button" onClick={go} aria-label={`go to line ${row.line}`}>line {row.line}</button>}
        {repair && <button type="button" className="cure" onClick={() => void edit(repair.operations as Operation[], repair.label)}>{repair.label}</button>}
      </span>
    </li>
  );
}

/** The loop doctor as a table: mobility, partition, redundant equations, gaps. */
function Doctor(): ReactElement | null {
  const check = useStudio((s) => s.check);
  const [loops, gaps] = [check?.loops ?? {}, check?.gaps ?? {}];
  const rows = Object.entries(loops);
  if (!rows.length && !Object.keys(gaps).length) return null;
  return (
    <dl className="doctor" aria-label="Loop doctor">
      {rows.map(([name, value]) => (
        <div key={name} className={name.startsWith("redundant") && value !== "none" ? "warning" : ""}><dt>{name}</dt><dd>{String(value)}</dd></div>
      ))}
      {Object.entries(gaps).map(([name, gap]) => (
        <div key={name} className="error">
          <dt>gap of <button type="button" className="link" onClick={() => select([`closures.${name}`])}>{name}</button></dt>
          <dd>{gap.toPrecision(4)}</dd>
        </div>
      ))}
    </dl>
  );
}

const MOST = 8;

/** The first of many names. */
function some(list: string): string {
  const names = list.split(", ");
  return names.length > MOST + 1 ? `${names.slice(0, MOST).join(", ")} and ${names.length - MOST} more` : list;
}

/** One line at the foot of the page. */
export function Verdict(): ReactElement {
  const check = useStudio((s) => s.check);
  const count = (severity: string): number => check?.findings.filter((row) => row.severity === severity).length ?? 0;
  const [errors, warnings] = [count("error"), count("warning")];
  const loops = check?.loops ?? {};
  const gaps = Object.entries(check?.gaps ?? {});
  const facts = gaps.length ? gaps.map(([name, gap]) => `${name} stays ${gap.toPrecision(3)} open`)
    : ["mobility", "independent", "redundant equations"].filter((name) => name in loops && loops[name] !== "none").map((name) => `${name} ${some(String(loops[name]))}`);
  return (
    <button type="button" className="verdict" onClick={() => show("checks")} title="Show the checks">
      <span className={errors ? "error" : "fine"}>{errors ? `✕ ${errors}` : "✓"}</span>
      {warnings > 0 && <span className="warning">▲ {warnings}</span>}
      <span id="loops">{facts.join(" · ")}</span>
      {check && check.time > 0 && <span className="dim">{Math.round(1000 * check.time)} ms</span>}
    </button>
  );
}

/** Findings for those who listen: said when they change. */
export function Announcer(): ReactElement {
  const check = useStudio((s) => s.check);
  const errors = check?.findings.filter((row) => row.severity === "error") ?? [];
  const first = errors[0];
  const text = first ? `${errors.length} ${errors.length === 1 ? "mistake" : "mistakes"}. ${first.element}: ${sentence(first)}` : check ? "Nothing is wrong." : "";
  return <p className="unseen" role="status" aria-live="polite">{text}</p>;
}
