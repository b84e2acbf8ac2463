// Key strokes to commands.
import { put, state } from "../store/state";
import { copied, paste } from "./elements";
import { COMMANDS, type Command } from "./table";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** How a key is written for people. */
export function spelled(key: string): string {
  return MAC ? key.replace("Mod+", "⌘").replace("Shift+", "⇧") : key.replace("Mod", "Ctrl");
}

function matches(row: Command, event: KeyboardEvent): boolean {
  if (!row.key) return false;
  const parts = row.key.split("+");
  const key = parts.at(-1) === "" ? "+" : (parts.at(-1) ?? "");
  const pressed = event.key === " " ? "Space" : event.key;
  const mod = event.ctrlKey || event.metaKey;
  const shift = parts.includes("Shift");
  return pressed.toLowerCase() === key.toLowerCase() && mod === parts.includes("Mod") && !event.altKey && (key === "?" || event.shiftKey === shift);
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
    if (!row || row.name === "copy" || row.name === "paste" || (isTyping(event) && !row.typing)) return;
    event.preventDefault();
    if (row.enabled?.() ?? true) void row.perform();
  };
  const copy = (event: ClipboardEvent): void => {
    if (isTyping(event) || !state().selection.length || String(window.getSelection())) return;
    event.clipboardData?.setData("text/plain", copied());
    event.preventDefault();
  };
  const insert = (event: ClipboardEvent): void => {
    if (!isTyping(event) && paste(event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
  };
  const leave = (event: BeforeUnloadEvent): void => {
    if (!state().connected) event.preventDefault();
  };
  window.addEventListener("keydown", key);
  window.addEventListener("copy", copy);
  window.addEventListener("paste", insert);
  window.addEventListener("beforeunload", leave);
  put({});
  return () => {
    window.removeEventListener("keydown", key);
    window.removeEventListener("copy", copy);
    window.removeEventListener("paste", insert);
    window.removeEventListener("beforeunload", leave);
  };
}
