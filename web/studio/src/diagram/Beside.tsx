// What belongs to no place of the drawing: states, clocks, events, and ties between coordinates alone.
import { useMemo, useState, type ReactElement } from "react";
import { join, names, ONE } from "../store/model";
import { select, useStudio } from "../store/state";

const SECTIONS = ["states", "clocks", "events"];
const FEW = 5;

interface Chip {
  path: string;
  what: string;
  name: string;
}

export function Beside(): ReactElement | null {
  const data = useStudio((s) => s.data);
  const drawing = useStudio((s) => s.drawing);
  const selection = useStudio((s) => s.selection);
  const lit = useStudio((s) => s.lit);
  const [wanted, want] = useState<boolean | null>(null);
  const groups = useMemo(() => grouped([
    ...(drawing?.ties ?? []).filter((tie) => tie.joint === "" && !tie.bodies.length)
      .map((tie) => ({ path: tie.path, what: tie.section === "forces" ? tie.kind.replaceAll("_", " ") : `${ONE[tie.section]} ${tie.equations ?? ""}`.trim(), name: tie.name })),
    ...SECTIONS.flatMap((section) => names(data, section).map((name) => ({ path: join(section, name), what: ONE[section] ?? "", name }))),
  ]), [data, drawing]);
  const chips = groups.flatMap(([, row]) => row);
  if (!chips.length) return null;
  const open = wanted ?? (chips.length <= FEW || chips.some(({ path }) => selection.includes(path)));
  return (
    <details className="beside" open={open} aria-label="Elements without a place">
      <summary onClick={(event) => { event.preventDefault(); want(!open); }}><span aria-hidden="true">{open ? "▾ " : "▸ "}</span>{chips.length} without a place</summary>
      <dl>
        {groups.map(([what, row]) => (
          <div key={what}>
            <dt className="dim">{what}</dt>
            {row.map(({ path, name }) => (
              <dd key={path}><button
                type="button" data-path={path} className={`${selection.includes(path) ? "chosen" : ""} ${lit.includes(path) ? "lit" : ""}`} onClick={() => select([path])}
                aria-label={`${what} ${name}`}
              >{name}</button></dd>
            ))}
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Those of a kind together, in the order of the file. */
function grouped(chips: Chip[]): [string, Chip[]][] {
  const found = new Map<string, Chip[]>();
  for (const chip of chips) found.set(chip.what, [...(found.get(chip.what) ?? []), chip]);
  return [...found];
}
