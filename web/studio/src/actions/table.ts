// Every command is one row: palette, menu, sheet of keys and key strokes come from this table.
import { flush, verb } from "../store/document";
import { ask, downloadText } from "../protocol/client";
import { paint, place, put, select, show, state, tell, wind, type Tab } from "../store/state";
import { cancelLast, isGoing, start } from "../runs/jobs";
import { close, open, play, takeLive, useLive } from "../live/session";
import { takePose } from "../view3d/start";
import { addBody, copied, duplicate, paste, remove } from "./elements";

export interface Command {
  name: string;
  label: string;
  menu: "File" | "Edit" | "Add" | "View" | "Run" | "Help";
  /** As it is written: Mod is Ctrl, or Command on a Mac. */
  key?: string;
  icon?: string;
  perform: () => unknown;
  /** Whether it can be done now; always, where it does not say. */
  enabled?: () => boolean;
  /** Whether the key works while something is typed. */
  typing?: boolean;
}

const one = (): string | undefined => state().selection[0];
const some = (): boolean => state().selection.some((path) => path.includes("."));
const isLive = (): boolean => useLive.getState().stage === "ready";
const playOrPause = (): void => (isLive() ? play(!useLive.getState().playing) : wind({ playing: !state().clock.playing }));
/** A page that needs no server, of the text as it is. */
async function shareLive(): Promise<void> {
  await flush();
  tell("the page is being made…");
  try {
    downloadText(await ask<string>("/api/share"), `${(state().document?.file ?? "model").replace(/\.ya?ml$/, "")}.html`, "text/html");
    tell("");
  } catch (error) {
    tell((error as Error).message, true);
  }
}
const tab = (name: Tab, label: string, key: string): Command => ({
  name: `show-${name}`, label: `Show ${label}`, menu: "View", key, perform: () => show(name), typing: true,
});

export const COMMANDS: readonly Command[] = [
  { name: "save", label: "Save", menu: "File", key: "Mod+S", icon: "save", perform: () => verb("save"), enabled: () => !state().document?.saved, typing: true },
  { name: "files", label: "Open or make a file…", menu: "File", key: "Mod+O", perform: () => flush().then(() => put({ sheet: "files" })), typing: true },
  { name: "share", label: "Share the shown run as a page", menu: "File", perform: () => window.open(`/api/runs/${state().clock.run}/page`), enabled: () => state().clock.run !== null },
  { name: "share-live", label: "Share a page that simulates", menu: "File", perform: shareLive },
  { name: "film", label: "Make a film of the shown run", menu: "File", perform: () => start("film", { run: state().clock.run }), enabled: () => state().clock.run !== null },
  { name: "undo", label: "Undo", menu: "Edit", key: "Mod+Z", icon: "undo", perform: () => verb("undo"), enabled: () => state().document?.undo !== null, typing: true },
  { name: "redo", label: "Redo", menu: "Edit", key: "Mod+Shift+Z", icon: "redo", perform: () => verb("redo"), enabled: () => state().document?.redo !== null, typing: true },
  { name: "copy", label: "Copy", menu: "Edit", key: "Mod+C", perform: () => navigator.clipboard.writeText(copied()), enabled: some },
  { name: "paste", label: "Paste elements", menu: "Edit", key: "Mod+V", perform: async () => paste(await navigator.clipboard.readText()) },
  { name: "duplicate", label: "Duplicate", menu: "Edit", key: "Mod+D", perform: () => duplicate(), enabled: some },
  { name: "mirror", label: "Mirror bodies to the other side…", menu: "Edit", key: "Mod+M", perform: () => put({ sheet: "mirror" }) },
  { name: "rename", label: "Rename", menu: "Edit", key: "F2", perform: () => put({ renaming: one()?.startsWith("bodies.") ? (one() ?? null) : `tree:${one()}` }), enabled: some },
  { name: "delete", label: "Delete", menu: "Edit", key: "Delete", perform: () => remove(state().selection), enabled: some },
  { name: "select-all", label: "Select all bodies", menu: "Edit", key: "Mod+A", perform: () => select((state().drawing?.bodies ?? []).filter((body) => body.name !== "ground").map((body) => `bodies.${body.name}`)) },
  { name: "find", label: "Find an element", menu: "Edit", key: "Mod+F", perform: () => document.getElementById("find")?.focus() },
  { name: "add-body", label: "Add a body", menu: "Add", key: "B", perform: () => addBody() },
  { name: "connect", label: "Connect two places…", menu: "Add", key: "C", perform: () => put({ sheet: "connect" }) },
  { name: "add", label: "Add any element…", menu: "Add", key: "A", perform: () => put({ sheet: "add" }) },
  tab("checks", "checks", "Mod+1"), tab("text", "the text", "Mod+2"), tab("tables", "tables", "Mod+3"), tab("plots", "runs and plots", "Mod+4"),
  tab("equations", "equations", "Mod+5"), tab("code", "code", "Mod+6"), tab("live", "the live simulation", "Mod+7"),
  { name: "go-tree", label: "Go to the tree", menu: "View", key: "T", perform: () => document.querySelector<HTMLElement>("[role=treeitem][tabindex='0']")?.focus() },
  { name: "go-properties", label: "Go to the properties", menu: "View", key: "P", perform: () => document.querySelector<HTMLElement>(".panel input, .panel select, .panel button")?.focus() },
  { name: "go-diagram", label: "Go to the diagram", menu: "View", key: "G", perform: () => document.querySelector<HTMLElement>(".react-flow__node")?.focus() },
  { name: "go-solid", label: "Go to the 3-D view", menu: "View", key: "V", perform: () => document.querySelector<HTMLElement>(".solid .canvas")?.focus() },
  { name: "diagram", label: "Show or hide the diagram", menu: "View", perform: () => place({ diagram: !state().places.diagram }) },
  { name: "solid", label: "Show or hide the 3-D view", menu: "View", perform: () => place({ solid: !state().places.solid }) },
  { name: "fit", label: "Show all", menu: "View", key: "Home", perform: () => window.dispatchEvent(new Event("kinetree-fit")) },
  { name: "light", label: "Light colours", menu: "View", perform: () => paint("light") },
  { name: "dark", label: "Dark colours", menu: "View", perform: () => paint("dark") },
  { name: "system", label: "Colours of the system", menu: "View", perform: () => paint("system") },
  { name: "run", label: "Run an analysis…", menu: "Run", key: "Mod+Enter", icon: "play", perform: () => flush().then(() => put({ sheet: "run" })), typing: true },
  { name: "cancel", label: "Cancel the last run", menu: "Run", perform: cancelLast, enabled: () => state().runs.some(isGoing) },
  { name: "play", label: "Play or pause", menu: "Run", key: "Space", perform: playOrPause, enabled: () => state().clock.run !== null || isLive() },
  { name: "pose", label: "Take the pose shown as start values", menu: "Run", perform: takePose, enabled: () => state().clock.run !== null },
  { name: "live", label: "Simulate live in the browser", menu: "Run", key: "L", perform: open },
  { name: "live-pose", label: "Take the live pose as start values", menu: "Run", perform: takeLive, enabled: isLive },
  { name: "live-end", label: "End the live simulation", menu: "Run", perform: close, enabled: isLive },
  { name: "palette", label: "Search commands", menu: "Help", key: "Mod+K", icon: "search", perform: () => put({ sheet: "palette" }), typing: true },
  { name: "keys", label: "Keys", menu: "Help", key: "?", perform: () => put({ sheet: "keys" }) },
  { name: "escape", label: "Give up", menu: "Edit", key: "Escape", perform: () => put({ sheet: null, tool: null, ends: null, renaming: null, lit: [] }), typing: true },
];

export function command(name: string): Command {
  const found = COMMANDS.find((row) => row.name === name);
  if (!found) throw new Error(`there is no command ${name}`);
  return found;
}

export function perform(name: string): void {
  const row = command(name);
  if (row.enabled?.() ?? true) void row.perform();
}
