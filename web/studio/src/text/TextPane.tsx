// The text of the file. It has no history of its own: undo is the document's.
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef, type ReactElement } from "react";
import { range } from "../protocol/text";
import { flush, pending, type } from "../store/document";
import { shown } from "../store/shown";
import { select, state, useStudio } from "../store/state";
import { complete, meaning } from "./complete";
import { elementOf, lineOf } from "./lines";
import { looks } from "./looks";
import { sentence } from "../checks/sentence";

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "t-key" },
  { tag: [tags.comment, tags.lineComment], class: "t-comment" },
  { tag: [tags.string, tags.content, tags.attributeValue], class: "t-value" },
  { tag: [tags.punctuation, tags.squareBracket, tags.brace, tags.separator], class: "t-mark" },
]);

function extensions(): unknown[] {
  return [
    lineNumbers(), drawSelection(), highlightActiveLine(), highlightSelectionMatches(), bracketMatching(), closeBrackets(),
    yaml(), syntaxHighlighting(COLOURS), indentUnit.of("  "), autocompletion({ override: [complete] }), lintGutter(), search({ top: true }),
    hoverTooltip((view, pos) => {
      const found = meaning(view.state, pos);
      if (!found) return null;
      return { pos: found.from, end: found.to, above: true, create: () => ({ dom: Object.assign(document.createElement("div"), { textContent: found.text, className: "t-tip" }) }) };
    }),
    keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": "Text of the model file", spellcheck: "false" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete") || one.isUserEvent("move"))) {
        type(update.state.doc.toString());
      }
      if (update.selectionSet && !update.docChanged && update.view.hasFocus) {
        const path = elementOf(update.state.doc, update.state.doc.lineAt(update.state.selection.main.head).number);
        if (path.includes(".") && path !== state().selection[0]) select([path]);
      }
    }),
    EditorView.domEventHandlers({ blur: () => void flush() }),
  ];
}

export default function TextPane(): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const text = useStudio((s) => s.document?.text ?? "");
  const sent = useStudio((s) => s.sent);
  const findings = useStudio((s) => s.check?.findings);
  const goTo = useStudio((s) => s.goTo);
  const selection = useStudio((s) => s.selection);
  useEffect(() => {
    if (!host.current) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" }); // style sheets without a style element
    root.adoptedStyleSheets = [looks()];
    const made = new EditorView({
      state: EditorState.create({ doc: state().document?.text ?? "", extensions: extensions() as never }), parent: root, root,
    });
    made.scrollDOM.tabIndex = 0; // so that it can be scrolled by keys, too
    view.current = made;
    shown("text", state().document?.revision ?? 0);
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const shown = view.current;
    if (!shown || pending() !== null) return;
    const old = shown.state.doc.toString();
    if (old === text) return;
    const { head, tail } = range(old, text);
    shown.dispatch({ changes: { from: head, to: old.length - tail, insert: text.slice(head, text.length - tail) } });
  }, [text, sent]);
  useEffect(() => {
    const shown = view.current;
    if (!shown || !findings) return;
    const rows = findings.filter((row) => row.line > 0 && row.line <= shown.state.doc.lines).map((row): Diagnostic => {
      const line = shown.state.doc.line(row.line);
      const from = line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0);
      return { from, to: line.to, severity: row.severity === "note" ? "info" : row.severity, message: `${row.element}: ${sentence(row)}` };
    });
    shown.dispatch(setDiagnostics(shown.state, rows));
  }, [findings]);
  useEffect(() => {
    if (goTo) reveal(view.current, goTo.line, true);
  }, [goTo]);
  useEffect(() => {
    const shown = view.current;
    const path = selection[0];
    if (shown && path && !shown.hasFocus) reveal(shown, lineOf(shown.state.doc, path), false);
  }, [selection]);
  return <div ref={host} className="text" data-testid="text" />;
}

/** Bring a line into view; choose it where that is wished. */
function reveal(view: EditorView | null, number: number, focus: boolean): void {
  if (!view || number < 1 || number > view.state.doc.lines) return;
  const line = view.state.doc.line(number);
  view.dispatch({ selection: { anchor: line.from, head: focus ? line.to : line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
  if (focus) view.focus();
}
