// Conflicting lines of two texts: for each conflict yours, the disk's, both, or lines that are typed.
import { useState, type ReactElement } from "react";
import type { LineConflictMessage, PickMessage, ThreeWayMessage } from "../protocol/api";
import { resolve } from "../store/document";

type Take = PickMessage["take"];

const CHOICES: [Take, string][] = [["mine", "yours"], ["disk", "the disk's"], ["both", "both, yours first"], ["typed", "other lines"]];

export function MergeLines({ found, again }: { found: ThreeWayMessage; again: () => void }): ReactElement | null {
  const [open, setOpen] = useState(false);
  const [picks, setPicks] = useState<PickMessage[]>(() => found.lines.map((row) => ({ take: "mine", lines: row.mine })));
  const set = (at: number, pick: Partial<PickMessage>): void => setPicks(picks.map((one, k) => (k === at ? { ...one, ...pick } : one)));
  const go = (): void => void resolve("lines", { picks: picks.map((one) => ({ ...one, lines: one.take === "typed" ? one.lines : "" })), stamp: found.stamp }).finally(again);
  return (
    <details className="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Put both together, line by line</summary>
      {open && <form aria-label="Conflicting lines" onSubmit={(event) => { event.preventDefault(); go(); }}>
        <p className="dim">{count(found.apart, "place")} that one side alone has changed {found.apart === 1 ? "is" : "are"} taken; {count(found.lines.length, "conflict")} to choose.</p>
        {found.lines.map((row, k) => <Conflict key={k} row={row} number={k + 1} pick={picks[k] ?? { take: "mine", lines: "" }} set={(pick) => set(k, pick)} />)}
        <p><button type="submit" className="primary">Put together</button></p>
      </form>}
    </details>
  );
}

function Conflict({ row, number, pick, set }: { row: LineConflictMessage; number: number; pick: PickMessage; set: (pick: Partial<PickMessage>) => void }): ReactElement {
  const name = `conflict-${number}`;
  return (
    <fieldset className="conflict">
      <legend>conflict {number}, line {row.line}</legend>
      <div className="sides">
        {([["yours", row.mine], ["before", row.base], ["disk", row.disk]] as const).map(([title, lines]) => (
          <figure key={title}><figcaption>{title}</figcaption><pre tabIndex={0} aria-label={`${title} of conflict ${number}`}>{lines || "(no lines)"}</pre></figure>
        ))}
      </div>
      <div className="tools">{CHOICES.map(([take, label]) => (
        <label key={take}><input type="radio" name={name} checked={pick.take === take} onChange={() => set({ take })} />{label}</label>
      ))}</div>
      {pick.take === "typed" && <textarea
        className="entry" aria-label={`lines of conflict ${number}`} spellCheck={false} rows={Math.min(12, pick.lines.split("\n").length + 1)}
        value={pick.lines} onChange={(event) => set({ lines: event.target.value })}
      />}
    </fieldset>
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
