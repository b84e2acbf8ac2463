// Every command is one row: palette, menu, sheet of keys and key strokes come from this table.
import { flush, verb } from "../store/document";
import { ask, downloadText } from "../protocol/client";
import { letters, overlay, paint, place, put, select, show, solid, state, tell, toggled, wind, type Overlay, type Tab } from "../store/state";
import { cancelLast, isGoing, start } from "../runs/jobs";
import { close, open, play, takeLive, useLive } from "../live/session";
import { takePose } from "../view3d/start";
import { look, picture } from "../view3d/camera";
import { LAYER_TEXTS, LAYERS, MORE, SIDES } from "../view3d/layers";
import { addBody, addPoint, bodiesChosen, copied, duplicate, otherBodies, paste, remove, reorder, toggleOff } from "./elements";

export interface Command {
  name: string;
  label: string;
  menu: "File" | "Edit" | "Add" | "View" | "3-D" | "Run" | "Help";
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
/** Paste by menu or palette, which a browser may refuse. */
async function pasteElements(): Promise<void> {
  const text = await navigator.clipboard.readText().catch(() => null);
  if (text === null) tell("the browser does not let the page read what was copied: press Ctrl+V", true);
  else paste(text);
}

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

const overlayed = (name: Overlay, label: string): Command => ({ name: `show-${name}`, label: `Show or hide ${label}`, menu: "View", perform: () => overlay(name) });
const single = (): boolean => state().selection.length === 1 && some();
const isBody = (): boolean => bodiesChosen().length > 0;

/** What the toolbar of the 3-D view has. */
const SOLID: readonly Command[] = [
  { name: "look-home", label: "See all of the mechanism", menu: "3-D", perform: () => look("home") },
  ...SIDES.map((side): Command => ({ name: `look-${side}`, label: `See it from the ${side}`, menu: "3-D", perform: () => look(side) })),
  { name: "orthographic", label: "Orthographic or perspective", menu: "3-D", perform: () => solid({ orthographic: !state().solid.orthographic }) },
  { name: "follow", label: "Follow what travels", menu: "3-D", perform: () => solid({ follow: !state().solid.follow }) },
  { name: "pull", label: "Pull at bodies", menu: "3-D", perform: () => solid({ pulling: !state().solid.pulling }) },
  { name: "move-point", label: "Move the selected point by arrows", menu: "3-D", perform: () => solid({ moving: !state().solid.moving }) },
  { name: "hide", label: "Hide the selected bodies", menu: "3-D", key: "H", perform: () => solid({ hidden: [...state().solid.hidden, ...bodiesChosen()] }), enabled: isBody },
  { name: "isolate", label: "Isolate the selected bodies", menu: "3-D", key: "I", perform: () => solid({ hidden: otherBodies() }), enabled: isBody },
  { name: "fade", label: "Fade all other bodies", menu: "3-D", key: "F", perform: () => solid({ faded: otherBodies() }), enabled: isBody },
  {
    name: "unhide", label: "Show all bodies again", menu: "3-D", key: "Shift+H", perform: () => solid({ hidden: [], faded: [] }),
    enabled: () => state().solid.hidden.length + state().solid.faded.length > 0,
  },
  ...LAYERS.map((layer): Command => ({
    name: `layer-${layer}`, label: `Show or hide ${LAYER_TEXTS[layer]}`, menu: "3-D", perform: () => solid({ layers: toggled(state().solid.layers, layer) }),
  })),
  ...MORE.map(([name, , text]): Command => ({
    name: `layer-${name}`, label: `Show or hide ${text}`, menu: "3-D", perform: () => solid({ more: toggled(state().solid.more, name) }),
  })),
  { name: "picture", label: "Keep a picture of the 3-D view", menu: "3-D", perform: picture },
];

export const COMMANDS: readonly Command[] = [
  { name: "save", label: "Save", menu: "File", key: "Mod+S", icon: "save", perform: () => verb("save"), enabled: () => !state().document?.saved, typing: true },
  { name: "files", label: "Open or make a file…", menu: "File", key: "Mod+O", perform: () => flush().then(() => put({ sheet: "files" })), typing: true },
  { name: "share", label: "Share the shown run as a page", menu: "File", perform: () => window.open(`/api/runs/${state().clock.run}/page`), enabled: () => state().clock.run !== null },
  { name: "share-live", label: "Share a page that simulates", menu: "File", perform: shareLive },
  { name: "film", label: "Make a film of the shown run", menu: "File", perform: () => start("film", { run: state().clock.run }), enabled: () => state().clock.run !== null },
  { name: "undo", label: "Undo", menu: "Edit", key: "Mod+Z", icon: "undo", perform: () => verb("undo"), enabled: () => state().document?.undo !== null, typing: true },
  { name: "redo", label: "Redo", menu: "Edit", key: "Mod+Shift+Z", icon: "redo", perform: () => verb("redo"), enabled: () => state().document?.redo !== null, typing: true },
  { name: "copy", label: "Copy", menu: "Edit", key: "Mod+C", perform: () => navigator.clipboard.writeText(copied()), enabled: some },
  { name: "cut", label: "Cut", menu: "Edit", key: "Mod+X", perform: async () => { await navigator.clipboard.writeText(copied()); await remove(state().selection); }, enabled: some },
  { name: "paste", label: "Paste elements", menu: "Edit", key: "Mod+V", perform: pasteElements },
  { name: "duplicate", label: "Duplicate", menu: "Edit", key: "Mod+D", perform: () => duplicate(), enabled: some },
  { name: "mirror", label: "Mirror bodies to the other side…", menu: "Edit", key: "Mod+M", perform: () => put({ sheet: "mirror" }) },
  { name: "rename", label: "Rename", menu: "Edit", key: "F2", perform: () => put({ renaming: one()?.startsWith("bodies.") ? (one() ?? null) : `tree:${one()}` }), enabled: some },
  { name: "delete", label: "Delete", menu: "Edit", key: "Delete", perform: () => remove(state().selection), enabled: some },
  { name: "switch", label: "Switch off, or on again", menu: "Edit", key: "O", perform: toggleOff, enabled: some },
  { name: "up", label: "Move up in the order", menu: "Edit", key: "Alt+ArrowUp", perform: () => reorder(-1), enabled: single },
  { name: "down", label: "Move down in the order", menu: "Edit", key: "Alt+ArrowDown", perform: () => reorder(1), enabled: single },
  { name: "select-all", label: "Select all bodies", menu: "Edit", key: "Mod+A", perform: () => select((state().drawing?.bodies ?? []).filter((body) => body.name !== "ground").map((body) => `bodies.${body.name}`)) },
  { name: "find", label: "Find an element", menu: "Edit", key: "Mod+F", perform: () => document.getElementById("find")?.focus() },
  { name: "add-body", label: "Add a body", menu: "Add", key: "B", perform: () => addBody() },
  { name: "add-point", label: "Add a point to the selected body", menu: "Add", key: "N", perform: () => addPoint(bodiesChosen()[0] ?? "ground"), enabled: () => isBody() || one() === "ground" },
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
  overlayed("checks", "check marks in the diagram"), overlayed("roles", "roles of coordinates"), overlayed("shares", "shares of operations"),
  { name: "light", label: "Light colours", menu: "View", perform: () => paint("light") },
  { name: "dark", label: "Dark colours", menu: "View", perform: () => paint("dark") },
  { name: "system", label: "Colours of the system", menu: "View", perform: () => paint("system") },
  ...SOLID,
  { name: "run", label: "Run an analysis…", menu: "Run", key: "Mod+Enter", icon: "play", perform: () => flush().then(() => put({ sheet: "run" })), typing: true },
  { name: "cancel", label: "Cancel the last run", menu: "Run", perform: cancelLast, enabled: () => state().runs.some(isGoing) },
  { name: "play", label: "Play or pause", menu: "Run", key: "Space", perform: playOrPause, enabled: () => state().clock.run !== null || isLive() },
  { name: "pose", label: "Take the pose shown as start values", menu: "Run", perform: takePose, enabled: () => state().clock.run !== null },
  { name: "live", label: "Simulate live in the browser", menu: "Run", key: "L", perform: open },
  { name: "live-pose", label: "Take the live pose as start values", menu: "Run", perform: takeLive, enabled: isLive },
  { name: "live-end", label: "End the live simulation", menu: "Run", perform: close, enabled: isLive },
  { name: "palette", label: "Search commands", menu: "Help", key: "Mod+K", icon: "search", perform: () => put({ sheet: "palette" }), typing: true },
  { name: "letters", label: "Keys of one letter: off, or on again", menu: "Help", perform: letters },
  { name: "keys", label: "Keys", menu: "Help", key: "?", perform: () => put({ sheet: "keys" }) },
  { name: "escape", label: "Give up", menu: "Edit", key: "Escape", perform: () => put({ sheet: null, tool: null, ends: null, renaming: null, lit: [], menu: null }), typing: true },
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
