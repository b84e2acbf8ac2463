// Curves: drag zooms, double click shows all, Shift and drag or the arrows pan; the cursor reads values and sets the time.
import uPlot from "uplot";
import { useEffect, useRef, type KeyboardEvent, type ReactElement } from "react";
import { short } from "../panel/inputs";
import { shown as marked } from "../store/shown";
import { state, useStudio, wind } from "../store/state";
import { joined, type Curve } from "./curves";

/** Okabe and Ito's colours, which colour-blind people tell apart; darker where paper is white, lighter where it is dark. */
const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#6a3d9a", "#7f7f7f"];
const DARK = ["#56b4e9", "#ff9d4d", "#2fd3a1", "#f0a3cd", "#f0e442", "#8cc8ff", "#bfa2f0", "#b5bcc6"];
const colours = (): string[] => (state().dark ? DARK : LIGHT);
const WIDTH = 1.5; // of a curve [px]
const HAIR = 1; // of one with peaks in every pixel, which takes a quarter of the time to draw [px]
const DENSE = 1000; // rows, from which a curve is such a one
const MOST_AXES = 4;
const STILL = 1e-9; // least height of an axis, as a share of its values and 1
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

export type Mode = "time" | "phase" | "difference";
export type Span = [number, number];

interface PlotProps {
  curves: Curve[];
  mode: Mode;
  units: Record<string, string>;
  events: [number, string][];
  /** What is zoomed at [s]; null for all. */
  span: Span | null;
  zoom: (span: Span | null) => void;
  /** All of the run [s]. */
  whole: Span;
}

/** A stretch brought into the run; null, all of it, where it is no shorter. */
function within([low, high]: Span, [start, end]: Span): Span | null {
  const wide = high - low;
  if (wide >= end - start) return null;
  const first = Math.min(Math.max(low, start), end - wide);
  return [first, first + wide];
}

export function Plot({ curves, mode, units, events, span, zoom, whole }: PlotProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = useStudio((s) => s.dark);
  const drawn = `${mode} ${dark} ${curves.map((curve) => `${curve.run} ${curve.name}`).join()}`;
  const given = useRef<Curve[] | null>(null);
  const held = useRef<Held["current"]>({ curves, zoom, events, whole, span });
  held.current = { curves, zoom, events, whole, span };
  useEffect(() => {
    const place = host.current;
    if (!place || !held.current.curves.length) return undefined;
    const made = mode === "phase" ? phase(place, held.current.curves, units) : overTime(place, held.current.curves, units, held);
    plot.current = made;
    const sized = new ResizeObserver(() => made.setSize(size(place)));
    sized.observe(place);
    return () => {
      sized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [drawn, mode, units]);
  useEffect(() => {
    const shown = plot.current;
    if (!shown || mode === "phase" || !curves.length) return;
    curves.forEach((curve, k) => Object.assign(shown.series[k + 1] ?? {}, { width: widthOf(curve) }));
    if (given.current !== curves || span === null) shown.setData(joined(curves) as uPlot.AlignedData, span === null);
    given.current = curves;
    if (span) shown.setScale("x", { min: span[0], max: span[1] });
    marked("curves");
  }, [curves, span, mode]);
  useEffect(() => {
    const place = host.current;
    if (!place || mode === "phase") return undefined;
    const turn = (event: WheelEvent): void => {
      const [left, wide] = [plot.current?.over.getBoundingClientRect().left ?? 0, plot.current?.over.clientWidth ?? 0];
      if (!wide) return;
      event.preventDefault();
      held.current.zoom(turned(event, (event.clientX - left) / wide, held.current.span ?? held.current.whole, held.current.whole));
    };
    place.addEventListener("wheel", turn, { passive: false });
    return () => place.removeEventListener("wheel", turn);
  }, [mode]);
  const now = useStudio((s) => s.clock.t);
  useEffect(() => {
    if (plot.current && mode !== "phase") mark(plot.current);
  }, [now, mode, curves]);
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
    const factor = { "+": 0.5, "-": 2 }[event.key];
    if (!step && !factor && event.key !== "0") return;
    const [low, high] = span ?? whole;
    const [wide, middle] = [high - low, (low + high) / 2];
    if (step) zoom(within([low + step * wide, high + step * wide], whole));
    else if (factor) zoom(within([middle - (factor * wide) / 2, middle + (factor * wide) / 2], whole));
    else zoom(null);
    event.preventDefault();
    event.stopPropagation();
  };
  const says = curves.map((curve) => `${curve.name} of run ${curve.run}: from ${(curve.values[0] ?? 0).toPrecision(4)} to ${(curve.values.at(-1) ?? 0).toPrecision(4)}`);
  return <div ref={host} id="plot" className="canvas" role="img" tabIndex={0} aria-label={says.join("; ") || "no curves"} onKeyDown={key} />;
}

/** The stretch after a turn of the wheel: nearer or further about the pointer, or along where it goes sideways or Shift is held. */
function turned(event: WheelEvent, at: number, [low, high]: Span, whole: Span): Span | null {
  const along = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
  const wide = high - low;
  if (event.shiftKey || Math.abs(along) > Math.abs(event.deltaY)) return within([low + 0.1 * Math.sign(along) * wide, high + 0.1 * Math.sign(along) * wide], whole);
  const next = wide * (event.deltaY > 0 ? 1.25 : 0.8);
  const middle = low + at * wide;
  return within([middle - at * next, middle + (1 - at) * next], whole);
}

const widthOf = (curve: Curve): number => (curve.time.length > DENSE ? HAIR : WIDTH);

interface Held {
  current: { curves: Curve[]; zoom: (span: Span | null) => void; events: [number, string][]; whole: Span; span: Span | null };
}

const size = (place: HTMLElement): { width: number; height: number } => ({
  width: Math.max(120, place.clientWidth), height: Math.max(80, place.clientHeight - 34),
});

function inks(): { text: string; line: string } {
  const style = getComputedStyle(document.documentElement);
  return { text: style.getPropertyValue("--ink"), line: style.getPropertyValue("--edge") };
}

/** Events as lines on the paper, with their names. */
function drawEvents(shown: uPlot, events: [number, string][]): void {
  const { ctx, bbox } = shown;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = inks().text;
  ctx.globalAlpha = 0.6;
  ctx.setLineDash([3, 3]);
  ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
  for (const [t, name] of events.slice(0, 200)) {
    const x = shown.valToPos(t, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (events.length < 20) ctx.fillText(name, x + 3, bbox.top + 10 * devicePixelRatio);
  }
  ctx.restore();
}

/** What the axis of time shows; of one instant a second. */
const stretch = (_: uPlot, low: number | null, high: number | null): [number, number] => [low ?? 0, high === low ? (low ?? 0) + 1 : (high ?? 1)];

/** What an axis shows of values: errors of a run do not fill it. */
function reach(_: uPlot, low: number | null, high: number | null): [number, number] {
  const [a, b] = [low ?? 0, high ?? 1];
  const lack = Math.max(0, STILL * Math.max(1, Math.abs(a), Math.abs(b)) - (b - a)) / 2;
  return uPlot.rangeNum(a - lack, b + lack, 0.1, true) as [number, number];
}

function overTime(place: HTMLElement, curves: Curve[], units: Record<string, string>, held: Held): uPlot {
  const { text, line } = inks();
  // a scale and an axis for every unit, the first on the left
  const scaleOf = (name: string): string => units[name] || (name.split(".")[0] ?? "");
  const groups = [...new Set(curves.map((curve) => scaleOf(curve.name)))];
  const names = [...new Set(curves.map((curve) => curve.name))];
  const runs = [...new Set(curves.map((curve) => curve.run))];
  const axis = (scale: string, side: 1 | 3): uPlot.Axis => ({
    scale, side, stroke: text, grid: { stroke: line, width: 0.5, show: side === 3 }, ticks: { stroke: line }, size: 62, label: scale, labelSize: 16,
    values: (_, ticks) => ticks.map((tick) => short(tick)),
  });
  const made = new uPlot({
    ...size(place), cursor: { drag: { x: true, y: false, setScale: false }, focus: { prox: 16 }, bind: { dblclick: () => () => (held.current.zoom(null), null) } }, legend: { live: true },
    scales: { x: { time: false, range: stretch }, ...Object.fromEntries(groups.map((group) => [group, { range: reach }])) },
    axes: [
      { stroke: text, grid: { stroke: line, width: 0.5 }, ticks: { stroke: line }, size: 32, values: (_, ticks) => ticks.map((tick) => `${short(tick)} s`) },
      ...groups.slice(0, MOST_AXES).map((group, k) => axis(group, k === 0 ? 3 : 1)),
    ],
    series: [{ label: "t", value: (_, v) => (v === null ? "" : `${short(v)} s`) }, ...curves.map((curve): uPlot.Series => ({
      label: runs.length > 1 ? `${curve.name} · run ${curve.run}` : curve.name, scale: scaleOf(curve.name),
      stroke: colours()[names.indexOf(curve.name) % LIGHT.length] ?? "", width: widthOf(curve), dash: DASHES[runs.indexOf(curve.run) % DASHES.length] ?? [],
      spanGaps: true, pxAlign: 0, points: { show: false }, value: (shown, v, own) => (v === null ? "" : `${short(v)}${since(shown, own, v)}`),
    }))],
    hooks: {
      ready: [(shown) => clicks(shown), (shown) => pans(shown, held), (shown) => void shown.over.append(marker())], setScale: [(shown) => mark(shown)], setLegend: [standing], draw: [(shown) => drawEvents(shown, held.current.events)],
      setSelect: [(shown) => {
        if (shown.select.width < 4) return;
        held.current.zoom([shown.posToVal(shown.select.left, "x"), shown.posToVal(shown.select.left + shown.select.width, "x")]);
        shown.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  }, joined(curves) as uPlot.AlignedData, place);
  return made;
}

/** The second cursor: a line at the time that the 3-D view shows. */
function marker(): HTMLElement {
  const made = document.createElement("div");
  made.className = "now";
  return made;
}

function mark(shown: uPlot): void {
  const line = shown.over.querySelector<HTMLElement>(".now");
  const { run, t } = state().clock;
  const { min, max } = shown.scales["x"] ?? {};
  if (!line) return;
  standing(shown);
  line.hidden = run === null || min === undefined || max === undefined || min === null || max === null || t < min || t > max;
  if (!line.hidden) line.style.left = `${shown.valToPos(t, "x")}px`;
}

/** Where nobody points, the legend says the values at that time. */
function standing(shown: uPlot): void {
  const { run, t } = state().clock;
  if ((shown.cursor.left ?? -1) < 0) shown.setLegend({ idx: run === null ? shown.data[0].length - 1 : shown.valToIdx(t) }, false); // a live one: the last
}

/** How far a value is from that of its curve at the time of the 3-D view. */
function since(shown: uPlot, own: number, value: number): string {
  const { run, t } = state().clock;
  if (run === null || t <= 0 || (shown.cursor.left ?? -1) < 0) return "";
  const there = shown.data[own]?.[shown.valToIdx(t)];
  return typeof there === "number" ? ` (Δ ${short(value - there, 4)})` : "";
}

/** A click sets the time of the 3-D view. */
function clicks(shown: uPlot): void {
  let at = 0;
  shown.over.addEventListener("mousedown", (event) => (at = event.clientX));
  shown.over.addEventListener("mouseup", (event) => {
    if (Math.abs(event.clientX - at) < 3 && !event.shiftKey && state().clock.run !== null) wind({ t: Math.max(0, shown.posToVal(event.offsetX, "x")), playing: false });
  });
}

/** Shift and drag moves the window of time. */
function pans(shown: uPlot, held: Held): void {
  shown.over.addEventListener("mousedown", (event) => {
    if (!event.shiftKey) return;
    event.stopImmediatePropagation();
    let last = event.clientX;
    const move = (moved: MouseEvent): void => {
      const { min, max } = shown.scales["x"] ?? {};
      const step = ((last - moved.clientX) * ((max ?? 1) - (min ?? 0))) / shown.over.clientWidth;
      last = moved.clientX;
      held.current.zoom([(min ?? 0) + step, (max ?? 1) + step]);
    };
    window.addEventListener("mousemove", move);
    window.addEventListener("mouseup", () => window.removeEventListener("mousemove", move), { once: true });
  }, true);
}

/** The second curve over the first, the third over it too. */
function phase(place: HTMLElement, curves: Curve[], units: Record<string, string>): uPlot {
  const { text, line } = inks();
  const runs = [...new Set(curves.map((curve) => curve.run))];
  const withUnit = (name: string): string => (units[name] ? `${name} [${units[name]}]` : name);
  const across = curves[0]?.name ?? "";
  const upwards = [...new Set(curves.map((curve) => curve.name))].filter((name) => name !== across);
  const rows = runs.flatMap((run) => {
    const own = curves.filter((curve) => curve.run === run);
    return own.slice(1).map((curve) => ({ x: own[0]?.values ?? [], y: curve.values, label: `${curve.name} over ${own[0]?.name}${runs.length > 1 ? ` · run ${run}` : ""}` }));
  });
  const data = [null, ...rows.map((row) => [row.x, row.y])] as unknown as uPlot.AlignedData;
  const bounds = (list: number[]): [number, number] => {
    const [low, high] = list.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
    return [low - 0.05 * (high - low || 1), high + 0.05 * (high - low || 1)];
  };
  const draw = (shown: uPlot, series: number): null => {
    const row = rows[series - 1];
    if (!row) return null;
    const { ctx } = shown;
    ctx.save();
    ctx.beginPath();
    ctx.rect(shown.bbox.left, shown.bbox.top, shown.bbox.width, shown.bbox.height);
    ctx.clip();
    ctx.beginPath();
    row.x.forEach((x, k) => ctx.lineTo(shown.valToPos(x, "x", true), shown.valToPos(row.y[k] ?? 0, "y", true)));
    ctx.strokeStyle = colours()[(series - 1) % LIGHT.length] ?? "";
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.stroke();
    ctx.restore();
    return null;
  };
  const whole = { x: bounds(rows.flatMap((row) => row.x)), y: bounds(rows.flatMap((row) => row.y)) };
  let zoomed = false;
  const range = (axis: "x" | "y") => (_: uPlot, low: number, high: number): [number, number] => (zoomed ? [low, high] : whole[axis]);
  return new uPlot({
    ...size(place), mode: 2, cursor: { drag: { x: true, y: true, uni: 20 }, bind: { dblclick: (shown) => () => {
      zoomed = false;
      shown.batch(() => (["x", "y"] as const).forEach((axis) => shown.setScale(axis, { min: whole[axis][0], max: whole[axis][1] })));
      return null;
    } } }, legend: { live: false }, hooks: { setSelect: [() => (zoomed = true)] },
    scales: { x: { time: false, range: range("x") }, y: { range: range("y") } },
    axes: [{ stroke: text, grid: { stroke: line, width: 0.5 }, label: withUnit(across), labelSize: 16 },
      { stroke: text, grid: { stroke: line, width: 0.5 }, size: 62, label: upwards.length === 1 ? withUnit(upwards[0] ?? "") : [...new Set(upwards.map((name) => units[name]))].join(", "), labelSize: 16 }],
    series: [{}, ...rows.map((row, k): uPlot.Series => ({ label: row.label, stroke: colours()[k % LIGHT.length] ?? "", paths: draw as unknown as uPlot.Series.PathBuilder }))],
  }, data, place);
}
