// The model as a tree: says to everybody, screen readers too, what diagram and 3-D view show.
import { useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { rename } from "../actions/elements";
import { openMenu } from "../actions/PointerMenu";
import { severity } from "../diagram/BodyNode";
import { short } from "../panel/inputs";
import { isMapping } from "../store/document";
import { join, names, ONE, points, rows, SECTIONS } from "../store/model";
import { put, select, useStudio, type ModelData } from "../store/state";

interface Item {
  path: string;
  name: string;
  detail: string;
  /** What it is, for those who do not see where it stands. */
  says: string;
  level: number;
  open: boolean | null;
  /** Whether it stands beside such that can be opened. */
  beside?: boolean;
  off: boolean;
}

export function Tree(): ReactElement {
  const data = useStudio((s) => s.data);
  const selection = useStudio((s) => s.selection);
  const findings = useStudio((s) => s.check?.findings);
  const lit = useStudio((s) => s.lit);
  const renaming = useStudio((s) => s.renaming);
  const [wanted, setWanted] = useState("");
  const [folded, setFolded] = useState<Record<string, boolean>>({});
  const host = useRef<HTMLDivElement>(null);
  const items = useMemo(() => listed(data, wanted.trim().toLowerCase(), folded), [data, wanted, folded]);
  const current = items.find((item) => selection.includes(item.path))?.path ?? items[0]?.path;
  const fold = (path: string, shut: boolean): void => setFolded((old) => ({ ...old, [path]: shut }));
  const key = (event: KeyboardEvent): void => {
    if ((event.target as Element).tagName === "INPUT") return;
    const at = items.findIndex((item) => item.path === (event.target as HTMLElement).dataset["path"]);
    const item = items[at];
    const go = (to: number): void => {
      const next = items[Math.min(items.length - 1, Math.max(0, to))];
      host.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(next?.path ?? "")}"]`)?.focus();
      if (next && (next.path.includes(".") || next.path === "ground")) select([next.path]);
    };
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(items.length - 1),
      ArrowRight: () => item && fold(item.path, false), ArrowLeft: () => item && fold(item.path, true),
      Enter: () => document.querySelector<HTMLElement>(".panel input, .panel select")?.focus(),
      F2: () => item?.path.includes(".") && put({ renaming: `tree:${item.path}` }),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    move();
    event.preventDefault();
    event.stopPropagation();
  };
  /** Escape shows all again, Enter goes to the first that has the word. */
  const seek = (event: KeyboardEvent): void => {
    const first = items.find((item) => item.path.includes(".") && item.name.toLowerCase().includes(wanted.trim().toLowerCase()));
    if (event.key === "Escape") setWanted("");
    if (event.key !== "Enter" || !first) return;
    select([first.path]);
    host.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(first.path)}"]`)?.focus();
  };
  return (
    <section className="pane tree" aria-label="Model">
      <input
        id="find" type="search" className="entry wide" placeholder="Find (Ctrl+F)" aria-label="Find an element" value={wanted}
        onChange={(event) => setWanted(event.target.value)} onKeyDown={seek}
      />
      {wanted.trim() && items.length === 0 && <p className="hint" role="status">nothing has {wanted.trim()} in its name: Escape shows all again</p>}
      <div ref={host} role="tree" aria-label="Elements of the model" aria-multiselectable="true" onKeyDown={key} onContextMenu={openMenu}>
        {items.map((item) => (
          <div
            key={item.path} role="treeitem" aria-level={item.level} aria-selected={selection.includes(item.path)}
            {...(item.open === null ? {} : { "aria-expanded": item.open })} data-path={item.path} tabIndex={item.path === current ? 0 : -1} title={item.detail || undefined}
            className={`level${item.level} ${lit.includes(item.path) ? "lit" : ""} ${item.off ? "off" : ""} ${severity(findings ?? [], item.path)}`}
            onClick={(event) => {
              if (item.level === 1 && item.path !== "ground") fold(item.path, item.open === true);
              else select(event.ctrlKey || event.metaKey ? [...selection, item.path] : [item.path]);
            }}
          >
            {item.open === null && item.beside && <span className="twist" aria-hidden="true" />}
            {item.open !== null && <span className="twist" aria-hidden="true" onClick={(event) => { event.stopPropagation(); fold(item.path, item.open === true); }}>{item.open ? "▾" : "▸"}</span>}
            {item.says && <span className="unseen">{item.says} </span>}
            {renaming === `tree:${item.path}` ? <Rename item={item} /> : <span className="name">{item.name}</span>}
            <span className="detail">{item.detail}</span>
          </div>
        ))}
      </div>
    </section>
  );
}

function Rename({ item }: { item: Item }): ReactElement {
  const [text, setText] = useState(item.name);
  return (
    <input
      className="rename" aria-label={`new name of ${item.name}`} value={text} autoFocus spellCheck={false}
      onFocus={(event) => event.target.select()} onChange={(event) => setText(event.target.value)}
      onBlur={() => void rename(item.path, text.trim())}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") void rename(item.path, text.trim());
        if (event.key === "Escape") put({ renaming: null });
      }}
    />
  );
}

/** Lines of the tree: sections, elements, points of bodies; with a word to find, all that have it. */
function listed(data: ModelData, wanted: string, folded: Record<string, boolean>): Item[] {
  const made: Item[] = [];
  ground(data, made, wanted, folded);
  for (const section of SECTIONS) {
    const found = Object.entries(rows(data, section));
    if (!found.length) continue;
    const open = wanted !== "" || !folded[section];
    const inside = open ? found.flatMap(([name, row]) => element(data, section, name, row, wanted, folded)) : [];
    if (wanted !== "" && !inside.length) continue;
    made.push({ path: section, name: section, detail: String(found.length), says: "", level: 1, open, off: false });
    const beside = inside.some((item) => item.open !== null);
    made.push(...inside.map((item) => (item.level === 2 ? { ...item, beside } : item)));
  }
  return made;
}

function ground(data: ModelData, made: Item[], wanted: string, folded: Record<string, boolean>): void {
  const held = Object.keys(points(data, "ground"));
  const inner = held.filter((point) => wanted !== "" && point.toLowerCase().includes(wanted));
  if (!names(data, "bodies").length && !held.length) return;
  if (wanted !== "" && !"ground".includes(wanted) && !inner.length) return;
  const open = held.length ? (wanted !== "" ? inner.length > 0 : folded["ground"] === false) : null;
  made.push({ path: "ground", name: "ground", detail: "", says: "", level: 1, open, off: false });
  for (const point of open ? (wanted !== "" ? inner : held) : []) {
    made.push({ path: join("ground", "points", point), name: point, detail: "", says: "point", level: 2, open: null, off: false });
  }
}

function element(
  data: ModelData, section: string, name: string, row: unknown, wanted: string, folded: Record<string, boolean>,
): Item[] {
  const path = join(section, name);
  const detail = describe(section, row);
  const held = section === "bodies" ? Object.keys(points(data, name)) : [];
  const inner = held.filter((point) => wanted !== "" && point.toLowerCase().includes(wanted));
  const fits = wanted === "" || `${name} ${detail}`.toLowerCase().includes(wanted);
  if (!fits && !inner.length) return [];
  const open = held.length ? (wanted !== "" ? inner.length > 0 : folded[path] === false) : null;
  const off = isMapping(row) && row["off"] === true;
  const item: Item = { path, name, detail, says: `${off ? "switched off " : ""}${ONE[section]}`, level: 2, open, off };
  const shown = open ? (wanted !== "" ? inner : held) : [];
  return [item, ...shown.map((point): Item => ({
    path: join(path, "points", point), name: point, detail: "", says: "point", level: 3, open: null, off: false,
  }))];
}

/** What a line says beside the name. */
function describe(section: string, row: unknown): string {
  if (!isMapping(row)) return typeof row === "object" ? "" : String(row);
  const [from, to] = [row["parent"] ?? row["first"], row["child"] ?? row["second"]];
  const ends = from !== undefined && to !== undefined ? ` ${String(from)} → ${String(to)}` : "";
  if (section === "bodies") return row["mass"] === undefined ? "" : `${few(row["mass"])} kg`;
  if (section === "parameters") return `${few(row["value"])} ${unitOf(row["unit"])}`.trim();
  return `${String(row["kind"] ?? "")}${ends}`;
}

/** A number in a few digits; an expression as it is. */
const few = (value: unknown): string => (typeof value === "number" ? short(value, 6) : String(value));

/** The unit as it stands behind a number; a ratio, whose unit is 1, has none there. */
function unitOf(unit: unknown): string {
  return unit === undefined || String(unit) === "1" ? "" : String(unit);
}
