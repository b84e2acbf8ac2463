// One field of the panel: label, unit, meaning, and inputs that its kind needs.
import type { ReactElement } from "react";
import type { DiagramJointMessage } from "../protocol/api";
import { edit } from "../store/document";
import { at as entry, places } from "../store/model";
import { useStudio } from "../store/state";
import { AngleInput, Choice, parsed, short, TextInput, written } from "./inputs";
import { inUnits } from "./units";
import { AXES, INERTIA, signsOf, unitOf, usualStart, type Field } from "./schema";

const NONE: DiagramJointMessage[] = [];

interface RowProps {
  field: Field;
  path: string[];
  value: unknown;
}

export function FieldRow({ field: given, path, value }: RowProps): ReactElement {
  const joints = useStudio((s) => s.drawing?.joints ?? NONE);
  const data = useStudio((s) => s.data);
  const signs = signsOf(path, entry(data, path), joints);
  const joint = joints.find((row) => row.path === path.join("."));
  const count = given.form === "list" ? (joint?.coordinates.length ?? 1) : 1;
  const field = { ...given, unit: unitOf(given, signs), default: given.default ?? (given.unit === "rad or m" && count > 1 ? usualStart(signs, count) : given.default) };
  const id = `field-${path.join("-")}-${field.name}`;
  const at = [...path, field.name];
  const label = `${path.at(-1) ?? ""} ${field.name}`;
  const set = (next: unknown): void => {
    const empty = next === "" || next === undefined;
    if (empty && value === undefined) return;
    void edit([empty ? ["unset", at] : ["set", at, next]], `${empty ? "unset" : "set"} ${label}`);
  };
  return (
    <div className={value === undefined ? "row unsaid" : "row"}>
      <label htmlFor={id} title={field.text}>{field.name.replaceAll("_", " ")}</label>
      <div className="inputs"><Inputs id={id} field={field} path={path} value={value} set={set} count={count} /></div>
      <span className="unit-of">{isAngle(field, value, count) ? "" : field.unit}</span>
      {field.text && <p className="meaning">{field.text}</p>}
    </div>
  );
}

function Inputs({ id, field, path, value, set, count }: RowProps & { id: string; set: (next: unknown) => void; count: number }): ReactElement {
  const data = useStudio((s) => s.data);
  const drawing = useStudio((s) => s.drawing);
  const hint = field.default === undefined || field.default === null ? "" : written(field.default);
  switch (field.form) {
    case "number":
    case "expression":
      return <Scalar id={id} field={field} path={path} value={value} hint={hint} set={set} />;
    case "vector":
      return <Vector id={id} field={field} path={path} value={value} set={set} />;
    case "place":
      return <Choice id={id} value={written(value)} choices={places(data)} commit={set} />;
    case "joint":
      return <Choice id={id} value={written(value)} choices={drawing?.joints.flatMap((joint) => joint.coordinates) ?? []} commit={set} />;
    case "flag":
      return (
        <input
          id={id} type="checkbox" checked={value === undefined ? field.default === true : value === true}
          onChange={(event) => set(event.target.checked === (field.default === true) ? "" : event.target.checked)}
        />
      );
    case "choice":
      return <Choice id={id} value={written(value)} choices={field.choices} commit={set} empty={hint} />;
    case "axis":
      return <Axis id={id} field={field} value={value ?? field.default ?? "z"} set={set} />;
    case "list":
      if (field.size[1] === 6) return <Vector id={id} field={field} path={path} value={value} set={set} />;
      return <List id={id} field={field} value={value} hint={hint} set={set} count={count} />;
    default: {
      const words = Array.isArray(value) && value.every((one) => typeof one !== "object");
      return <TextInput id={id} value={words ? value.map(written).join(", ") : value} hint={hint} wide commit={(text) => set(words ? wordList(text) : structured(text))} />;
    }
  }
}

function Scalar({ id, field, path, value, hint, set }: RowProps & {
  id: string; hint: string; set: (next: unknown) => void;
}): ReactElement {
  const found = useStudio((s) => s.values[[...path, field.name].join(".")]);
  const commit = (text: string): void => set(text.trim() === "" ? "" : parsed(inUnits(text, field.unit) ?? text));
  const says = typeof value === "string" && found !== undefined && !value.endsWith("deg");
  return (
    <>
      {field.unit === "rad" ? <AngleInput id={id} label={field.name} value={value} hint={hint} commit={commit} />
        : <TextInput id={id} value={value} hint={hint} commit={commit} />}
      {says && <output className="present" htmlFor={id}>= {short(found)}</output>}
    </>
  );
}

function Vector({ id, field, path, value, set }: RowProps & { id: string; set: (next: unknown) => void }): ReactElement {
  const values = useStudio((s) => s.values);
  const most = field.size[1] ?? 3;
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  const names = most === 6 ? INERTIA : ["x", "y", "z"];
  const commit = (index: number, text: string): void => {
    const size = Math.max(list.length, index < 3 ? 3 : most);
    const next = Array.from({ length: size }, (_, k) => list[k] ?? 0);
    next[index] = text.trim() === "" ? 0 : parsed(inUnits(text, field.unit) ?? text);
    set(next);
  };
  const present = list.some((entry) => typeof entry === "string")
    ? list.map((entry, k) => (typeof entry === "number" ? entry : values[[...path, field.name, k].join(".")])) : [];
  return (
    <div className="vector">
      {names.slice(0, most).map((letter, k) => (
        <TextInput
          key={letter} id={k === 0 ? id : undefined} label={`${field.name} ${letter}`} value={list[k]}
          hint={list.length > k ? "" : "0"} commit={(text) => commit(k, text)}
        />
      ))}
      {present.length > 0 && present.every((one) => one !== undefined) &&
        <output className="present">= {present.map((one) => short(one ?? 0, 4)).join(", ")}</output>}
    </div>
  );
}

function Axis({ id, field, value, set }: { id: string; field: Field; value: unknown; set: (next: unknown) => void }): ReactElement {
  const own = Array.isArray(value);
  return (
    <>
      <Choice
        id={id} value={own ? "vector" : String(value)} choices={[...AXES, "vector"]}
        commit={(text) => set(text === "vector" ? [0, 0, 1] : text)}
      />
      {own && <TextInput label={`${field.name} x, y, z`} value={value} wide commit={(text) => set(structured(text))} />}
    </>
  );
}

/** One value, or several with commas; degrees are offered where it may be an angle. */
function List({ id, field, value, hint, set, count }: {
  id: string; field: Field; value: unknown; hint: string; set: (next: unknown) => void; count: number;
}): ReactElement {
  const single = Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
  const angle = isAngle(field, value, count);
  const commit = (text: string): void => {
    const bare = text.trim().replace(/^\[|\]$/g, "");
    if (bare === "") return set("");
    const list = bare.split(",").map((part) => parsed(part.trim().replace(/^"|"$/g, "")));
    set(list.length === 1 && !Array.isArray(value) && !field.unit ? list[0] : list);
  };
  if (angle) return <AngleInput id={id} label={field.name} value={single} hint={hint} commit={commit} />;
  const shown = Array.isArray(value) ? value.map(written).join(", ") : value;
  return <TextInput id={id} value={shown} hint={hint} wide commit={commit} />;
}

/** Whether a field is one angle, whose input says and changes the unit; a joint of several coordinates has as many. */
function isAngle(field: Field, value: unknown, count: number): boolean {
  if (field.form === "list") return field.size[1] !== 6 && field.unit.startsWith("rad") && (Array.isArray(value) ? value.length === 1 : count === 1);
  return ["number", "expression"].includes(field.form) && field.unit === "rad";
}

/** Words with commas between them; JSON where the text is some. */
function wordList(text: string): unknown {
  const bare = text.trim();
  return bare === "" || bare.startsWith("[") || bare.startsWith("{") ? structured(bare) : bare.split(",").map((part) => parsed(part));
}

/** JSON where the text is some, else the text. */
function structured(text: string): unknown {
  const bare = text.trim();
  if (bare === "") return "";
  try {
    return JSON.parse(bare);
  } catch {
    return bare;
  }
}
