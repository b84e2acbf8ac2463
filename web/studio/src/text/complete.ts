// What can stand where the cursor is, and what a word means: from the schema of model files.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorState } from "@codemirror/state";
import { AXES, fieldsOf, kinds, unitOf, type Field } from "../panel/schema";
import { isMapping } from "../store/document";
import { at, names, places } from "../store/model";
import { state } from "../store/state";

const KEY = /^(\s*)([\w-]+)\s*:/;

/** Keys above a line, outermost first, by indentation. */
export function pathAt(doc: EditorState["doc"], line: number, indent: number): string[] {
  const path: string[] = [];
  let least = indent;
  for (let k = line - 1; k >= 1 && least > 0; k -= 1) {
    const found = KEY.exec(doc.line(k).text);
    if (found && (found[1]?.length ?? 0) < least) {
      path.unshift(found[2] ?? "");
      least = found[1]?.length ?? 0;
    }
  }
  return path;
}

/** Where the cursor is: sections and names above, and inside braces the fields before. */
function surroundings(editor: EditorState, pos: number): { path: string[]; kind: string; flow: boolean } {
  const line = editor.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const open = before.lastIndexOf("{");
  const flow = open > before.lastIndexOf("}");
  const own = KEY.exec(line.text);
  const indent = flow ? (own?.[1]?.length ?? 0) : (/^\s*/.exec(line.text)?.[0].length ?? 0);
  const path = pathAt(editor.doc, line.number, indent);
  if (flow && own?.[2]) path.push(own[2]);
  const written = flow ? /kind:\s*(\w+)/.exec(line.text)?.[1] : undefined;
  const held = at(state().data, path.slice(0, 2));
  return { path, kind: written ?? (isMapping(held) ? String(held["kind"] ?? "") : ""), flow };
}

function fieldOption(field: Field): Completion {
  return { label: field.name, apply: `${field.name}: `, type: "property", detail: unitOf(field, ""), info: field.text };
}

/** What stands for a number. */
const numbers = (): Completion[] => names(state().data, "parameters").map((label) => ({ label, type: "variable" }));

export function complete(context: CompletionContext): CompletionResult | null {
  const { schema, data } = state();
  const word = context.matchBefore(/[\w.]*/);
  if (!schema || !word) return null;
  const { path, kind } = surroundings(context.state, word.from);
  const line = context.state.doc.lineAt(word.from);
  const before = line.text.slice(0, word.from - line.from);
  const [section = ""] = path;
  const value = /([\w]+):\s*$/.exec(before)?.[1];
  if (word.from === word.to && !context.explicit && !/:\s$/.test(before)) return null; // words are offered where one begins, and behind a colon
  if (before.lastIndexOf("[") > before.lastIndexOf("]")) return word.from === word.to ? null : { from: word.from, options: numbers() };
  if (value === "kind") return { from: word.from, options: kinds(section).map((label) => ({ label, type: "enum" })) };
  const field = value ? fieldsOf(section, kind).find((row) => row.name === value) : undefined;
  if (field?.form === "place") return { from: word.from, options: places(data).map((label) => ({ label, type: "variable" })) };
  if (field?.form === "axis") return { from: word.from, options: AXES.map((label) => ({ label, type: "enum" })) };
  if (field?.choices.length) return { from: word.from, options: field.choices.map((label) => ({ label, type: "enum" })) };
  if (value) return word.from < word.to && field && ["number", "expression"].includes(field.form) ? { from: word.from, options: numbers() } : null;
  if (path.length === 0) {
    const rows = Object.entries((schema["properties"] ?? {}) as Record<string, { description?: string }>);
    return { from: word.from, options: rows.map(([label, row]) => ({ label, apply: `${label}: `, type: "keyword", info: row.description ?? "" })) };
  }
  return path.length >= 2 ? { from: word.from, options: fieldsOf(section, kind).map(fieldOption) } : null;
}

/** What the word under the pointer means; null where it is not a field. */
export function meaning(editor: EditorState, pos: number): { from: number; to: number; text: string } | null {
  const { schema } = state();
  const word = editor.wordAt(pos);
  if (!schema || !word) return null;
  const text = editor.sliceDoc(word.from, word.to);
  if (editor.sliceDoc(word.to, word.to + 1) !== ":") return null;
  const { path, kind } = surroundings(editor, word.from);
  if (path.length === 0) {
    const row = at(schema, ["properties", text, "description"]);
    return typeof row === "string" ? { ...word, text: row } : null;
  }
  const field = fieldsOf(path[0] ?? "", kind).find((row) => row.name === text);
  return field ? { from: word.from, to: word.to, text: field.text + (field.unit ? ` [${unitOf(field, "")}]` : "") } : null;
}
