// What the page knows. The document is the server's; selection, places of panes and the clock are the page's.
import { create } from "zustand";
import type {
  AnalysisMessage, CheckMessage, DiagramMessage, DocumentText, FilesMessage, KindMessage, RunState,
} from "../protocol/api";
import type { Payload } from "@kinetree/scene/payload";
import type { Layer, Mark } from "@kinetree/scene/world";
import { recall, remember } from "./remember";

export type Values = Record<string, unknown>;
/** Sections and elements as they are written in the file. */
export type ModelData = Record<string, unknown>;
export type Theme = "system" | "light" | "dark";
export type Tab = "checks" | "text" | "tables" | "plots" | "equations" | "live" | "code";
export type Overlay = "checks" | "roles" | "shares";
export type Sheet = "palette" | "keys" | "add" | "connect" | "mirror" | "run" | "menu" | "files" | null;

/** Sizes of panes [px], and which are there. */
export interface Places {
  tree: number;
  panel: number;
  bottom: number;
  middle: number;
  diagram: boolean;
  solid: boolean;
}

/** What the 3-D pane shows: a run and its time. */
export interface Clock {
  run: number | null;
  ghost: number | null;
  clip: number;
  t: number;
  end: number;
  playing: boolean;
  /** Seconds of the motion in a second. */
  speed: number;
}

/** What the 3-D view shows, and what the pointer does there. */
export interface Solid {
  layers: Layer[];
  /** Layers that need a run: paths, reactions. */
  more: string[];
  /** Names of bodies that are not shown, or as good as. */
  hidden: string[];
  faded: string[];
  orthographic: boolean;
  /** Whether the camera goes along with what travels. */
  follow: boolean;
  /** Whether the selected point has arrows, and whether bodies are pulled. */
  moving: boolean;
  pulling: boolean;
}

/** What the next click in the diagram does. */
export type Tool = { kind: "body" } | { kind: "point" } | null;

/** Two ends that are to be connected. */
export interface Ends {
  from: string;
  to: string;
  x: number;
  y: number;
}

/** The mechanism in 3-D, put together from differences. */
export interface Scene {
  revision: number;
  payload: Payload;
  marks: Mark[];
}

export interface StudioState {
  document: DocumentText | null;
  /** Revision of which all that follows is known. */
  view: number | null;
  data: ModelData;
  values: Record<string, number>;
  readable: boolean;
  check: CheckMessage | null;
  drawing: DiagramMessage | null;
  stale: boolean;
  scene: Scene | null;
  /** Revision of the text that the scene is of: one that changes nothing to see has the scene of before. */
  standing: number | null;
  schema: Values | null;
  catalogue: KindMessage[];
  /** Shapes that bodies of the diagram may have. */
  outlines: string[];
  files: FilesMessage | null;
  analyses: AnalysisMessage[];
  runs: RunState[];
  selection: string[];
  lit: string[];
  /** What the diagram shows beside the drawing. */
  overlays: Overlay[];
  /** Path of an element -> its share of the operations; none before they were counted. */
  shares: Record<string, number> | null;
  tab: Tab;
  sheet: Sheet;
  tool: Tool;
  ends: Ends | null;
  renaming: string | null;
  goTo: { line: number; count: number } | null;
  places: Places;
  solid: Solid;
  /** A menu at the pointer, for what is selected in the drawing or in 3-D. */
  menu: { x: number; y: number; of: "drawing" | "solid" } | null;
  theme: Theme;
  /** Whether keys of one letter are commands. */
  letters: boolean;
  /** Whether colours are dark now, by choice or by the system. */
  dark: boolean;
  clock: Clock;
  connected: boolean;
  file: "known" | "changed" | "removed" | "unreadable";
  /** How often what was typed was sent. */
  sent: number;
  /** How often the file was seen to be another one. */
  fileNews: number;
  notice: { text: string; bad: boolean } | null;
}

const PLACES: Places = { tree: 210, panel: 310, bottom: 270, middle: 0.55, diagram: true, solid: true };

export const useStudio = create<StudioState>(() => ({
  document: null,
  view: null,
  data: {},
  values: {},
  readable: true,
  check: null,
  drawing: null,
  stale: false,
  scene: null,
  standing: null,
  schema: null,
  catalogue: [],
  outlines: [],
  files: null,
  analyses: [],
  runs: [],
  selection: [],
  lit: [],
  overlays: recall("overlays", ["checks"] as Overlay[]),
  shares: null,
  tab: recall("tab", "checks") as Tab,
  sheet: null,
  tool: null,
  ends: null,
  renaming: null,
  goTo: null,
  places: { ...PLACES, ...recall("places", {}) },
  solid: {
    layers: recall("layers", ["grid", "closures"] as Layer[]), more: recall("more", []), hidden: [], faded: [], orthographic: false, follow: true, moving: false, pulling: false,
  },
  menu: null,
  theme: recall("theme", "system") as Theme,
  letters: recall("letters", true),
  dark: false,
  clock: { run: null, ghost: null, clip: 0, t: 0, end: 0, playing: false, speed: 1 },
  connected: true,
  file: "known",
  sent: 0,
  fileNews: 0,
  notice: null,
}));

export const state = useStudio.getState;
export const put = useStudio.setState;

export function tell(text: string, bad = false): void {
  put({ notice: text ? { text, bad } : null });
}

export function select(paths: string[]): void {
  put({ selection: paths, lit: [] });
}

export function show(tab: Tab): void {
  put({ tab });
  remember("tab", tab);
}

export function place(change: Partial<Places>): void {
  const places = { ...state().places, ...change };
  put({ places });
  remember("places", places);
}

export function paint(theme: Theme): void {
  put({ theme });
  remember("theme", theme);
  dress();
}

/** Keys of one letter are commands, or no longer: for those whose voice or hand types by accident. */
export function letters(): void {
  put({ letters: !state().letters });
  remember("letters", state().letters);
  tell(`keys of one letter are ${state().letters ? "on" : "off"}`);
}

/** The colours of the page follow the choice, or the system. */
export function dress(): void {
  const { theme } = state();
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  put({ dark });
}

/** Show something beside the drawing, or no longer. */
export function overlay(name: Overlay): void {
  const now = state().overlays;
  const overlays = toggled(now, name);
  put({ overlays });
  remember("overlays", overlays);
}

/** Change the 3-D view; its layers stay over a reload. */
export function solid(change: Partial<Solid>): void {
  const made = { ...state().solid, ...change };
  put({ solid: made });
  remember("layers", made.layers);
  remember("more", made.more);
}

/** A list with something, or without it where it was there. */
export const toggled = <T,>(list: readonly T[], one: T): T[] => (list.includes(one) ? list.filter((other) => other !== one) : [...list, one]);

export function wind(change: Partial<Clock>): void {
  put({ clock: { ...state().clock, ...change } });
}
