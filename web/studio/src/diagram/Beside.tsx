// What belongs to no place of the drawing: states, clocks, events, and ties between coordinates alone.
import { useMemo, type ReactElement } from "react";
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
  const chips = useMemo((): Chip[] => [
    ...(drawing?.ties ?? []).filter((tie) => tie.joint === "" && !tie.bodies.length)
      .map((tie) => ({ path: tie.path, what: `${ONE[tie.section]}${tie.equations ? ` ${tie.equations}` : ""}`, name: tie.name })),
    ...SECTIONS.flatMap((section) => names(data, section).map((name) => ({ path: join(section, name), what: ONE[section] ?? "", name }))),
  ], [data, drawing]);
  if (!chips.length) return null;
  return (
    <details className="beside" open={chips.length <= FEW}>
      <summary>{chips.length} without a place</summary>
      <ul aria-label="Elements without a place">
        {chips.map(({ path, what, name }) => (
          <li key={path}>
            <button type="button" data-path={path} className={`${selection.includes(path) ? "chosen" : ""} ${lit.includes(path) ? "lit" : ""}`} onClick={() => select([path])}>
              <span className="dim">{what}</span> {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
