// Sheets over the page: palette, menu, keys, adding, connecting, mirroring, running.
import { Fragment, useEffect, useMemo, useRef, useState, type ReactElement, type ReactNode } from "react";
import { begin, betweenPlaces, fieldsOf, kinds } from "../panel/schema";
import { Choice, parsed } from "../panel/inputs";
import { edit } from "../store/document";
import { fresh, names, ONE, places, SECTIONS, steps } from "../store/model";
import { put, state, useStudio, type Values } from "../store/state";
import { Choices } from "../shell/Start";
import { listFiles } from "../store/files";
import { RunForm } from "../runs/RunForm";
import { addElement, connect, connectable } from "./elements";
import { spelled } from "./keys";
import { COMMANDS } from "./table";

export function Sheets(): ReactElement | null {
  const sheet = useStudio((s) => s.sheet);
  switch (sheet) {
    case "palette": return <Sheet title="Commands"><Palette /></Sheet>;
    case "menu": return <Sheet title="Menu" wide><Menu /></Sheet>;
    case "keys": return <Sheet title="Keys" wide><Keys /></Sheet>;
    case "files": return <Sheet title="Open or make a file"><Files /></Sheet>;
    case "add": return <Sheet title="Add an element"><Add /></Sheet>;
    case "connect": return <Sheet title="Connect two places"><Connect /></Sheet>;
    case "mirror": return <Sheet title="Mirror bodies"><Mirror /></Sheet>;
    case "run": return <Sheet title="Run an analysis"><RunForm done={() => put({ sheet: null })} /></Sheet>;
    default: return null;
  }
}

/** A dialog; the focus goes into it, and back where it was. */
function Sheet({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }): ReactElement {
  const host = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    host.current?.showModal();
    host.current?.querySelector<HTMLElement>("input, select, [role=option], .first")?.focus({ preventScroll: true });
    return () => before?.focus();
  }, []);
  const close = (): void => put({ sheet: null });
  return (
    <dialog ref={host} className={wide ? "sheet wide" : "sheet"} aria-label={title} onClose={close} onClick={(event) => event.target === host.current && close()}>
      <header><h2>{title}</h2><button type="button" className="icon" aria-label="Close" onClick={close}>×</button></header>
      {children}
    </dialog>
  );
}

function Palette(): ReactElement {
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = COMMANDS.filter((row) => row.name !== "palette" && words.every((word) => `${row.label} ${row.menu}`.toLowerCase().includes(word)));
    return fits.map((row) => ({ row, can: row.enabled?.() ?? true })).sort((a, b) => Number(b.can) - Number(a.can)); // what can be done now comes first
  }, [wanted]);
  const go = (k: number): void => {
    const { row, can } = found[k] ?? {};
    if (!row || !can) return;
    put({ sheet: null });
    void row.perform();
  };
  return (
    <>
      <input
        className="entry wide" role="combobox" aria-expanded="true" aria-controls="commands" aria-activedescendant={`command-${at}`}
        aria-label="Search commands" placeholder="What shall be done?" value={wanted}
        onChange={(event) => { setWanted(event.target.value); setAt(0); }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step) setAt((at + step + found.length) % Math.max(1, found.length));
          if (event.key === "Enter") go(at);
          if (step || event.key === "Enter") event.preventDefault();
        }}
      />
      <ul id="commands" role="listbox" aria-label="Commands" className="commands">
        {found.map(({ row, can }, k) => (
          <li key={row.name} id={`command-${k}`} role="option" aria-selected={k === at} aria-disabled={!can} onClick={() => go(k)}>
            <span className="dim">{row.menu}</span><span>{row.label}</span>{row.key && <kbd>{spelled(row.key)}</kbd>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The folder, while a file of it is open. */
function Files(): ReactElement | null {
  const files = useStudio((s) => s.files);
  useEffect(() => void listFiles(), []);
  return files ? <Choices files={files} /> : null;
}

function Menu(): ReactElement {
  const menus = [...new Set(COMMANDS.map((row) => row.menu))];
  return (
    <div className="menus">
      {menus.map((menu) => (
        <section key={menu} aria-label={menu}>
          <h3>{menu}</h3>
          {COMMANDS.filter((row) => row.menu === menu && row.name !== "escape").map((row) => (
            <button key={row.name} type="button" disabled={!(row.enabled?.() ?? true)} onClick={() => { put({ sheet: null }); void row.perform(); }}>
              <span>{row.label}</span>{row.key && <kbd>{spelled(row.key)}</kbd>}
            </button>
          ))}
        </section>
      ))}
    </div>
  );
}

const MORE: [string, string][] = [
  ["Arrows", "move the selected bodies of the diagram (Shift: ten times as far)"], ["Enter", "select what has the focus"],
  ["Drag", "from anchor to anchor connects; a click on each does too"], ["Double click", "on an empty place adds a body; on a name renames"],
  ["Arrows in 3-D", "turn the view (Shift: move it), + and − come nearer"], ["Arrows in curves", "move in time, + and − zoom, 0 shows all"], ["Shift+Drag", "selects a box"], ["Shift+F10", "opens the menu of what has the focus, as the other button does"], ["Wheel", "zooms at the pointer"],
];

function Keys(): ReactElement {
  return (
    <dl className="keys first" tabIndex={-1}>
      {[...COMMANDS.filter((row) => row.key).map((row) => [row.name, spelled(row.key ?? ""), row.label]), ...MORE.map(([key, text]) => [key, key, text])].map(([id, key, text]) => (
        <Fragment key={id}><dt><kbd>{key}</kbd></dt><dd>{text}</dd></Fragment>
      ))}
    </dl>
  );
}

/** A form of an element: section, kind, name and what its kind needs. */
function Add(): ReactElement {
  const { data } = state();
  const [section, setSection] = useState("parameters");
  const listed = kinds(section);
  const [kind, setKind] = useState("");
  const known = listed.includes(kind) ? kind : (listed[0] ?? "");
  const [name, setName] = useState("");
  const [given, setGiven] = useState<Values>({});
  const wanted = name.trim() || fresh(names(data, section), known || (ONE[section] ?? "new"));
  const fields = fieldsOf(section, known).filter((field) => field.required || ["mass", "axis"].includes(field.name));
  const make = (): void => {
    const value = begin(section, known, given);
    const short = ["drives", "outputs"].includes(section) ? (given["short"] ?? 0) : value;
    void addElement(section, wanted, short);
    put({ sheet: null });
  };
  return (
    <form onSubmit={(event) => { event.preventDefault(); make(); }}>
      <Row label="section"><Choice id="add-section" value={section} choices={SECTIONS} commit={setSection} /></Row>
      {listed.length > 0 && <Row label="kind"><Choice id="add-kind" value={known} choices={listed} commit={setKind} /></Row>}
      <Row label="name"><input id="add-name" className="entry" value={name} placeholder={wanted} spellCheck={false} onChange={(event) => setName(event.target.value)} /></Row>
      {["drives", "outputs"].includes(section) &&
        <Row label="expression"><Plain id="short" given={given} set={setGiven} /></Row>}
      {!["drives", "outputs"].includes(section) && fields.map((field) => (
        <Row key={field.name} label={field.name} unit={field.unit}>
          {field.form === "place" ? (
            <Choice id={`add-${field.name}`} value={String(given[field.name] ?? "")} choices={places(data)} empty="…" commit={(text) => setGiven({ ...given, [field.name]: text })} />
          ) : <Plain id={field.name} given={given} set={setGiven} />}
        </Row>
      ))}
      <footer><button type="submit" className="primary">Add {wanted}</button></footer>
    </form>
  );
}

function Plain({ id, given, set }: { id: string; given: Values; set: (values: Values) => void }): ReactElement {
  return (
    <input id={`add-${id}`} className="entry" spellCheck={false} defaultValue={String(given[id] ?? "")}
      onChange={(event) => {
        const text = event.target.value.trim();
        const { [id]: _, ...rest } = given;
        set(text === "" ? rest : { ...rest, [id]: text.startsWith("[") ? text.slice(1, -1).split(",").map((one) => parsed(one)) : parsed(text) });
      }} />
  );
}

function Row({ label, unit, children }: { label: string; unit?: string; children: ReactNode }): ReactElement {
  return (
    <div className="row"><label htmlFor={`add-${label === "expression" ? "short" : label}`}>{label}</label><div className="inputs">{children}</div>
      <span className="unit-of">{unit ?? ""}</span></div>
  );
}

function Connect(): ReactElement {
  const { data, selection } = state();
  const all = places(data);
  const chosen = selection.filter((path) => path === "ground" || path.startsWith("bodies.")).map((path) => steps(path)[1] ?? "ground");
  const [from, setFrom] = useState(chosen[0] ?? "ground");
  const [to, setTo] = useState(chosen[1] ?? all.find((one) => one !== from && !one.includes(".")) ?? "");
  const sections = connectable(data, from, to).joints ? ["joints", "closures", "forces"] : ["closures", "forces"];
  const [asked, setSection] = useState("joints");
  const section = sections.includes(asked) ? asked : (sections[0] ?? "");
  const listed = section === "joints" ? kinds(section) : betweenPlaces(section);
  const [wanted, setKind] = useState("");
  const kind = listed.includes(wanted) ? wanted : (listed[0] ?? "");
  return (
    <form onSubmit={(event) => { event.preventDefault(); void connect(section, kind, from, to); }}>
      <Row label="from"><Choice id="add-from" value={from} choices={all} commit={setFrom} /></Row>
      <Row label="to"><Choice id="add-to" value={to} choices={all} commit={setTo} /></Row>
      <Row label="by"><Choice id="add-by" value={section} choices={sections} commit={setSection} /></Row>
      <Row label="kind"><Choice id="add-kind" value={kind} choices={listed} commit={setKind} /></Row>
      <footer><button type="submit" className="primary">Connect</button></footer>
    </form>
  );
}

const ONE_SIDE: [string, string][] = [["right", "left"], ["R_", "L_"], ["_R", "_L"], ["_r", "_l"], ["starboard", "port"]];

/** How names say the side that they are on, and what the other side is called. */
function sidesOf(held: string[]): [string, string] {
  const ways = ONE_SIDE.flatMap(([a, b]): [string, string][] => [[a, b], [b, a]]);
  return ways.find(([part]) => held.length > 0 && held.every((name) => name.includes(part))) ?? ["right", "left"];
}

function Mirror(): ReactElement {
  const { data, selection } = state();
  const bodies = names(data, "bodies");
  const [held, setHeld] = useState(selection.filter((path) => path.startsWith("bodies.") && steps(path).length === 2).map((path) => steps(path)[1] ?? ""));
  const [first] = useState(() => sidesOf(held));
  const [old, setOld] = useState(first[0]);
  const [next, setNext] = useState(first[1]);
  const [normal, setNormal] = useState("y");
  return (
    <form onSubmit={(event) => {
      event.preventDefault();
      void edit([["mirror", held, old, next, normal]], `mirror ${held.join(", ")}`);
      put({ sheet: null });
    }}>
      <fieldset className="many"><legend>bodies to copy, with all that speaks of them</legend>
        {bodies.map((body) => (
          <label key={body}><input type="checkbox" checked={held.includes(body)}
            onChange={() => setHeld(held.includes(body) ? held.filter((one) => one !== body) : [...held, body])} />{body}</label>
        ))}
      </fieldset>
      <Row label="part"><input id="add-part" className="entry" value={old} onChange={(event) => setOld(event.target.value)} /></Row>
      <Row label="becomes"><input id="add-becomes" className="entry" value={next} onChange={(event) => setNext(event.target.value)} /></Row>
      <Row label="across"><Choice id="add-across" value={normal} choices={["x", "y", "z"]} commit={setNormal} /></Row>
      <p className="hint">A name without “{old}” gets “_{next}” behind it.</p>
      <footer><button type="submit" className="primary" disabled={!held.length}>Mirror</button></footer>
    </form>
  );
}
