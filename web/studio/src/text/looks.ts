// The look of the editor; a sheet of its shadow tree, which takes the colours of the page.
const RULES = `
:host { display: block; height: 100%; }
.cm-editor { height: 100%; color: var(--ink); background: var(--paper); font-size: 13px; }
.cm-editor.cm-focused { outline: none; }
.cm-scroller { font-family: var(--mono); line-height: 1.45; }
.cm-content { caret-color: var(--ink); }
.cm-cursor { border-left-color: var(--ink) !important; }
.cm-gutters { background: var(--shade) !important; color: var(--dim) !important; border-right: 1px solid var(--edge) !important; }
.cm-activeLine, .cm-activeLineGutter { background: var(--trace) !important; }
.cm-selectionMatch, .cm-searchMatch, .cm-matchingBracket { background: var(--pick) !important; }
.cm-selectionBackground, .cm-focused .cm-selectionBackground { background: var(--pick) !important; }
.cm-tooltip { background: var(--paper) !important; color: var(--ink) !important; border: 1px solid var(--edge); font-size: 12px; max-width: 420px; }
.cm-tooltip-autocomplete ul li[aria-selected] { background: var(--accent) !important; color: var(--on-accent) !important; }
.cm-completionDetail { color: inherit; }
.cm-panels { background: var(--shade); color: var(--ink); }
.cm-panels input, .cm-panels button { color: var(--ink); background: var(--paper); }
.t-key { color: var(--key); } .t-comment { color: var(--dim); font-style: italic; } .t-value { color: var(--value); } .t-mark { color: var(--dim); }
.t-tip { padding: 4px 8px; }
.cm-diagnostic { white-space: normal; }
`;
let made: CSSStyleSheet | null = null;

export function looks(): CSSStyleSheet {
  if (!made) {
    made = new CSSStyleSheet();
    made.replaceSync(RULES);
  }
  return made;
}
