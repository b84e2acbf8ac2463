// Inputs of forms and tables: numbers, expressions, values with a unit; Enter or leaving the field makes the edit.
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;
const DEGREES = /^\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(deg|°)\s*$/;

/** A number where the text is one, else the text: an expression, or a value with its unit. */
export function parsed(text: string): number | string {
  const bare = text.trim();
  const degrees = DEGREES.exec(bare);
  if (degrees) return `${degrees[1]} deg`;
  return NUMBER.test(bare) ? Number(bare) : bare;
}

export function written(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A number as engineers read it. */
export function short(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return String(value);
  const text = value.toPrecision(digits);
  return text.includes("e") ? Number(text).toExponential().replace("e+", "e") : String(Number(text));
}

const LONG = 6; // characters that the smallest field shows

interface InputProps {
  id?: string | undefined;
  label?: string | undefined;
  value: unknown;
  hint?: string | undefined;
  wide?: boolean;
  commit: (text: string) => void;
}

/** A field of text; Escape gives up, Enter and leaving take it. */
export function TextInput({ id, label, value, hint, wide, commit }: InputProps): ReactElement {
  const shown = written(value);
  const [text, setText] = useState(shown);
  const typing = useRef(false); // what is being typed stays when others change the value
  useEffect(() => {
    if (!typing.current) setText(shown);
  }, [shown]);
  const finish = (): void => {
    typing.current = false;
    if (text !== shown) commit(text);
  };
  const key = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "Enter") finish();
    if (event.key === "Escape") {
      typing.current = false;
      setText(shown);
      event.stopPropagation();
    }
  };
  return (
    <input
      id={id} aria-label={label} className={wide ? "entry wide" : "entry"} value={text} title={text.length > LONG ? text : undefined} placeholder={hint ?? ""}
      spellCheck={false} onChange={(event) => { typing.current = true; setText(event.target.value); }} onBlur={finish} onKeyDown={key}
    />
  );
}

/** An angle, in degrees or radians as it is written or as is wished. */
export function AngleInput({ id, label, value, hint, commit }: InputProps): ReactElement {
  const inDegrees = typeof value === "string" && DEGREES.test(value);
  const [degrees, setDegrees] = useState(inDegrees);
  useEffect(() => setDegrees(inDegrees), [inDegrees]);
  const number = inDegrees ? Number(DEGREES.exec(String(value))?.[1]) * (degrees ? 1 : Math.PI / 180) : value;
  const shown = typeof number === "number" && degrees && !inDegrees ? short((number * 180) / Math.PI, 10) : number;
  return (
    <span className="angle">
      <TextInput
        id={id} label={label} value={shown} hint={hint}
        commit={(text) => commit(degrees && NUMBER.test(text.trim()) ? `${text.trim()} deg` : text)}
      />
      <button
        type="button" className="unit" aria-pressed={degrees} title="degrees or radians"
        aria-label={`${label ?? "angle"}: ${degrees ? "° degrees" : "rad"}`} onClick={() => setDegrees(!degrees)}
      >{degrees ? "°" : "rad"}</button>
    </span>
  );
}

/** One of several words. */
export function Choice({ id, label, value, choices, commit, empty }: {
  id?: string | undefined; label?: string | undefined; value: string; choices: readonly string[];
  commit: (text: string) => void; empty?: string;
}): ReactElement {
  const known = choices.includes(value);
  return (
    <select id={id} aria-label={label} className="entry" value={value} onChange={(event) => commit(event.target.value)}>
      {empty !== undefined && <option value="">{empty}</option>}
      {!known && value !== "" && <option value={value}>{value}</option>}
      {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
    </select>
  );
}
