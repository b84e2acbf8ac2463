// The properties of what is selected, as the schema of model files describes them.
import { useState, type ReactElement } from "react";
import { remove, rename } from "../actions/elements";
import { edit, isMapping } from "../store/document";
import { at, fresh, ONE, points, pointsOf, steps } from "../store/model";
import { select, show, useStudio } from "../store/state";
import { FieldRow } from "./FieldRow";
import { Choice, parsed, TextInput } from "./inputs";
import { about, elementAt, fieldsOf, kinds, type Field } from "./schema";
import { inUnits } from "./units";

export function Panel(): ReactElement {
  const selection = useStudio((s) => s.selection);
  const readable = useStudio((s) => s.readable);
  const ready = useStudio((s) => s.catalogue.length > 0);
  const path = selection[0];
  return (
    <section className="pane panel" aria-label="Properties">
      {!readable && <p className="hint">The text is not YAML: see the checks.</p>}
      {selection.length > 1 && <Several paths={selection} />}
      {selection.length === 0 && ready && <ModelForm />}
      {selection.length === 1 && path && ready && <ElementForm key={path} path={path} />}
    </section>
  );
}

function Several({ paths }: { paths: string[] }): ReactElement {
  return (
    <>
      <header><h2>{paths.length} elements</h2></header>
      <ul className="plain">{paths.map((path) => <li key={path}>{path}</li>)}</ul>
    </>
  );
}

/** The model itself. */
function ModelForm(): ReactElement {
  const data = useStudio((s) => s.data);
  const vector: Field = {
    name: "gravity", form: "vector", text: "acceleration of gravity in the ground frame", unit: "m/s2", required: false,
    default: null, size: [3, 3], choices: [],
  };
  return (
    <>
      <header><h2>Model</h2></header>
      <div className="row">
        <label htmlFor="model-name">name</label>
        <div className="inputs">
          <TextInput id="model-name" value={data["name"]} commit={(text) => void edit([["set", ["name"], text]], "name the model")} />
        </div>
      </div>
      <FieldRow field={vector} path={[]} value={data["gravity"]} />
      <p className="hint">Select an element in the tree, the diagram or the 3-D view to see its properties.</p>
    </>
  );
}

function ElementForm({ path }: { path: string }): ReactElement {
  const data = useStudio((s) => s.data);
  const [all, setAll] = useState(false);
  const { section, name, kind, row } = elementAt(data, path);
  const point = steps(path)[section === "ground" ? 2 : 3];
  if (point) return <PointForm body={section === "ground" ? "ground" : name} point={point} />;
  if (row === undefined && section !== "ground") return <p className="hint">There is no {path} in the text.</p>;
  const element = section === "ground" ? ["ground"] : [section, name];
  const rowOf = (field: Field): unknown => (isMapping(row) ? row[field.name] : undefined);
  const fields = fieldsOf(section, kind).filter((field) => field.name !== "points");
  const hidden = fields.filter((field) => isRare(field) && rowOf(field) === undefined);
  const shown = all ? fields : fields.filter((field) => !hidden.includes(field));
  const off = isMapping(row) && row["off"] === true;
  return (
    <>
      <header>
        <h2>{ONE[section]}</h2>
        {section !== "ground" && <TextInput label={`name of ${name}`} value={name} commit={(text) => void rename(path, text)} />}
      </header>
      {kind && (
        <div className="row">
          <label htmlFor="kind" title={about(section, kind)}>kind</label>
          <div className="inputs">
            <Choice id="kind" value={kind} choices={kinds(section)}
              commit={(text) => void edit([["set", [section, name, "kind"], text]], `make ${name} a ${text}`)} />
          </div>
        </div>
      )}
      {typeof row !== "object" && section !== "ground" && <Short path={element} value={row} />}
      {(isMapping(row) || section === "ground") &&
        shown.map((field) => <FieldRow key={field.name} field={field} path={element} value={rowOf(field)} />)}
      {hidden.length > 0 && isMapping(row) &&
        <button type="button" className="link" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? "fewer fields" : `${hidden.length} more ${hidden.length === 1 ? "field" : "fields"}`}
        </button>}
      {section === "bodies" && <Outline body={name} />}
      {(section === "bodies" || section === "ground") && <Points body={section === "ground" ? "ground" : name} />}
      {section !== "ground" && (
        <footer>
          <button type="button" onClick={() => void edit([["enable", [section, name], off]], `switch ${name} ${off ? "on" : "off"}`)}>
            Switch {off ? "on" : "off"}
          </button>
          <button type="button" onClick={() => void remove([path])}>Delete</button>
          {["bodies", "joints", "closures", "forces"].includes(section) &&
            <button type="button" onClick={() => show("equations")}>Equations</button>}
        </footer>
      )}
    </>
  );
}

/** The shape of a body in the diagram; the mechanism does not know it. */
function Outline({ body }: { body: string }): ReactElement | null {
  const outlines = useStudio((s) => s.outlines);
  const row = useStudio((s) => s.drawing?.bodies.find((one) => one.name === body));
  if (!row) return null;
  return (
    <div className="row unsaid">
      <label htmlFor="outline">drawn as</label>
      <div className="inputs">
        <Choice id="outline" value={row.outline} choices={outlines} commit={(text) => void edit([["place", body, row.x, row.y, text]], `draw ${body} as ${text}`)} />
      </div>
      <p className="meaning">its shape in the diagram, without effect on the motion</p>
    </div>
  );
}

/** Fields that few models give. */
function isRare(field: Field): boolean {
  return !field.required && ["limits", "mimic", "coordinates", "damping", "friction", "armature", "physical", "energy", "law"].includes(field.name);
}

/** An element in its short form: `motor: sin(t)`. */
function Short({ path, value }: { path: string[]; value: unknown }): ReactElement {
  return (
    <div className="row">
      <label htmlFor="short">value</label>
      <div className="inputs">
        <TextInput id="short" value={value} wide commit={(text) => void edit([["set", path, parsed(text)]], `set ${path.join(" ")}`)} />
      </div>
    </div>
  );
}

function position(row: unknown): unknown[] {
  const found = isMapping(row) ? row["position"] : row;
  return Array.isArray(found) ? found : [0, 0, 0];
}

/** The points of a body: name and place. */
function Points({ body }: { body: string }): ReactElement {
  const data = useStudio((s) => s.data);
  const rows = points(data, body);
  const add = (): void => {
    const name = fresh(Object.keys(rows), "p1");
    void edit([["set", [...pointsOf(body), name], [0, 0, 0]]], `add point ${body}.${name}`);
  };
  return (
    <section aria-label={`Points of ${body}`} className="points">
      <h3>points <span className="unit-of">in m</span></h3>
      {Object.entries(rows).map(([name, row]) => (
        <div key={name} className="point">
          <TextInput label={`name of point ${name}`} value={name}
            commit={(text) => void edit([["rename", [...pointsOf(body), name], text]], `rename ${name} to ${text}`)} />
          <Place body={body} name={name} row={row} />
          <button type="button" className="icon" aria-label={`delete point ${name}`}
            onClick={() => void edit([["remove", [...pointsOf(body), name]]], `delete point ${name}`)}>×</button>
        </div>
      ))}
      <button type="button" className="link" onClick={add}>add a point</button>
    </section>
  );
}

function Place({ body, name, row }: { body: string; name: string; row: unknown }): ReactElement {
  const list = position(row);
  const base = [...pointsOf(body), name, ...(isMapping(row) ? ["position"] : [])];
  return (
    <>
      {["x", "y", "z"].map((letter, k) => (
        <TextInput key={letter} label={`${name} ${letter}`} value={list[k]}
          commit={(text) => void edit([["set", [...base, k], parsed(inUnits(text, "m") ?? text)]], `move point ${body}.${name}`)} />
      ))}
    </>
  );
}

function PointForm({ body, point }: { body: string; point: string }): ReactElement {
  const data = useStudio((s) => s.data);
  const row = at(data, [...pointsOf(body), point]);
  const owner = body === "ground" ? "ground" : `bodies.${body}`;
  return (
    <>
      <header><h2>point</h2>
        <TextInput label={`name of ${point}`} value={point}
          commit={(text) => void edit([["rename", [...pointsOf(body), point], text]], `rename ${point} to ${text}`).then((made) =>
            made && select([[owner, "points", text].join(".")]))} />
      </header>
      <div className="row"><span>of</span><div className="inputs">
        <button type="button" className="link" onClick={() => select([owner])}>{body}</button></div></div>
      <div className="row"><span>position</span><div className="inputs vector"><Place body={body} name={point} row={row} /></div>
        <span className="unit-of">m</span></div>
    </>
  );
}
