// Conflicting lines of two texts: for each conflict yours, the disk's, both, or lines that are typed.
import { useState, type ReactElement } from "react";
import type { LineConflictMessage, PickMessage, ThreeWayMessage } from "../protocol/api";
import { resolve } from "../store/document";

type Take = PickMessage["take"];

const CHOICES: [Take, string][] = [["mine", "yours"], ["disk", "the disk's"], ["both", "both, yours first"], ["typed", "other lines"]];

/** What was chosen for a conflict, and the conflict that it was chosen for. */
export interface Choice {
  row: LineConflictMessage;
  pick: PickMessage;
}

interface Props {
  found: ThreeWayMessage;
  /** Choices of this and of earlier states of the texts. */
  choices: Choice[];
  choose: (choices: Choice[]) => void;
  again: () => void;
}

export function MergeLines({ found, choices, choose, again }: Props): ReactElement | null {
  const [open, setOpen] = useState(false);
  const { now, left } = carried(found.lines, choices);
  const set = (at: number, pick: Partial<PickMessage>): void =>
    choose([...now.map((one, k) => (k === at ? { row: one.row, pick: { ...one.pick, ...pick } } : one)), ...left]);
  const picks = now.map(({ pick }) => ({ ...pick, lines: pick.take === "typed" ? pick.lines : "" }));
  const go = (): void => void resolve("lines", { picks, stamp: found.stamp }).finally(again);
  return (
    <details className="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Put both together, line by line</summary>
      {open && <form aria-label="Conflicting lines" onSubmit={(event) => { event.preventDefault(); go(); }}>
        <p className="dim">{count(found.apart, "place")} that one side alone has changed {found.apart === 1 ? "is" : "are"} taken; {count(found.lines.length, "conflict")} to choose.</p>
        {now.map(({ row, pick, stale }, k) => <Conflict key={k} row={row} number={k + 1} pick={pick} stale={stale} set={(part) => set(k, part)} />)}
        {left.map(({ pick }, k) => (
          <figure key={k}><figcaption className="warning">Typed for a conflict that is no longer there:</figcaption>
            <pre tabIndex={0} aria-label={`typed before ${k + 1}`}>{pick.lines}</pre></figure>
        ))}
        <p><button type="submit" className="primary">Put together</button></p>
      </form>}
    </details>
  );
}

/** Choices for the conflicts as they are now: what was typed goes on with the conflict that has its lines, and is not lost where none has. */
function carried(rows: LineConflictMessage[], choices: Choice[]): { now: (Choice & { stale: boolean })[]; left: Choice[] } {
  const rest = [...choices];
  const take = (fits: (one: Choice) => boolean): Choice | undefined => {
    const at = rest.findIndex(fits);
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  };
  const same = rows.map((row) => take((one) => one.row.base === row.base && one.row.mine === row.mine && one.row.disk === row.disk));
  const now = rows.map((row, k) => {
    const exact = same[k];
    const near = exact ? undefined : take((one) => one.pick.take === "typed" && shares(one.row, row));
    return { row, pick: exact?.pick ?? near?.pick ?? { take: "mine" as const, lines: row.mine }, stale: near !== undefined };
  });
  return { now, left: rest.filter(({ row, pick }) => pick.take === "typed" && pick.lines !== row.mine) };
}

/** Whether two conflicts are about the same lines. */
function shares(one: LineConflictMessage, other: LineConflictMessage): boolean {
  const lines = (row: LineConflictMessage): string[] => [row.base, row.mine, row.disk].flatMap((text) => text.split("\n")).filter((line) => line.trim() !== "");
  const known = new Set(lines(one));
  return one.base === other.base || lines(other).some((line) => known.has(line));
}

interface ConflictProps {
  row: LineConflictMessage;
  number: number;
  pick: PickMessage;
  stale: boolean;
  set: (pick: Partial<PickMessage>) => void;
}

function Conflict({ row, number, pick, stale, set }: ConflictProps): ReactElement {
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
      {stale && pick.take === "typed" && <p className="warning">The texts have changed since this was typed; look whether it still fits.</p>}
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
