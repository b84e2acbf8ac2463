// Key strokes to commands.
import { put, state } from "../store/state";
import { copied, paste, remove } from "./elements";
import { COMMANDS, type Command } from "./table";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** How a key is written for people. */
export function spelled(key: string): string {
  const arrows = key.replace("ArrowUp", "↑").replace("ArrowDown", "↓");
  return MAC ? arrows.replace("Mod+", "⌘").replace("Shift+", "⇧").replace("Alt+", "⌥") : arrows.replace("Mod", "Ctrl");
}

function matches(row: Command, event: KeyboardEvent): boolean {
  if (!row.key) return false;
  const parts = row.key.split("+");
  const key = parts.at(-1) === "" ? "+" : (parts.at(-1) ?? "");
  const pressed = event.key === " " ? "Space" : event.key;
  const mod = event.ctrlKey || event.metaKey;
  if (!state().letters && !mod && !event.altKey && event.key.length === 1) return false;
  const shift = parts.includes("Shift");
  return pressed.toLowerCase() === key.toLowerCase() && mod === parts.includes("Mod") && event.altKey === parts.includes("Alt") && (key === "?" || event.shiftKey === shift);
}

/** Whether keys are typed into something. */
function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** Keys that a focused button, tab or list needs for itself. */
function isOwn(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return event.key === " " && target instanceof HTMLElement && target.closest("button, [role=treeitem], .react-flow__node") !== null;
}

export function listen(): () => void {
  const key = (event: KeyboardEvent): void => {
    const modal = state().sheet !== null && event.key !== "Escape";
    if (event.defaultPrevented || modal || isOwn(event)) return;
    const redo = event.key.toLowerCase() === "y" && (event.ctrlKey || event.metaKey);
    const row = COMMANDS.find((command) => (redo ? command.name === "redo" : matches(command, event)));
    if (!row || ["copy", "cut", "paste"].includes(row.name) || (isTyping(event) && !row.typing)) return;
    event.preventDefault();
    if (row.enabled?.() ?? true) void row.perform();
  };
  const copy = (event: ClipboardEvent): void => {
    if (isTyping(event) || !state().selection.length || String(window.getSelection())) return;
    event.clipboardData?.setData("text/plain", copied());
    event.preventDefault();
    if (event.type === "cut") void remove(state().selection);
  };
  const insert = (event: ClipboardEvent): void => {
    if (!isTyping(event) && paste(event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
  };
  const leave = (event: BeforeUnloadEvent): void => {
    if (!state().connected) event.preventDefault();
  };
  window.addEventListener("keydown", key);
  window.addEventListener("copy", copy);
  window.addEventListener("cut", copy);
  window.addEventListener("paste", insert);
  window.addEventListener("beforeunload", leave);
  put({});
  return () => {
    window.removeEventListener("keydown", key);
    window.removeEventListener("copy", copy);
    window.removeEventListener("cut", copy);
    window.removeEventListener("paste", insert);
    window.removeEventListener("beforeunload", leave);
  };
}
