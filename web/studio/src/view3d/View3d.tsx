// The mechanism in 3-D: what is selected anywhere is lit here, runs and modes move it, layers show what solids hide.
import { Motion, turnOf } from "@kinetree/scene/motion";
import type { ClipData, Packed, Payload } from "@kinetree/scene/payload";
import { SPEEDS } from "@kinetree/scene/simulation";
import { World } from "@kinetree/scene/world";
import { useEffect, useRef, useState, type ReactElement } from "react";
import { menuAt } from "../actions/PointerMenu";
import { perform } from "../actions/table";
import type { ClosedPose, MotionMessage } from "../protocol/api";
import type { Operation } from "../protocol/text";
import { hold, play, release, takeLive, close as endLive, useLive, watch, type Poses } from "../live/session";
import { motion, title } from "../runs/jobs";
import { edit } from "../store/document";
import { drawn } from "../store/shown";
import { select, solid, state, tell, toggled, useStudio, wind } from "../store/state";
import { look, picture, showing } from "./camera";
import { useEfforts } from "./efforts";
import { LAYERS, MORE, SIDES } from "./layers";
import { movePoint } from "./move";
import { Pull } from "./pull";

export default function View3d(): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const world = useRef<World | null>(null);
  const [failed, setFailed] = useState("");
  const { layers, more, hidden, faded, orthographic: flat, follow, moving, pulling } = useStudio((s) => s.solid);
  const [pose, setPose] = useState<ClosedPose | null>(null);
  const scene = useStudio((s) => s.scene);
  const standing = useStudio((s) => s.standing);
  const selection = useStudio((s) => s.selection);
  const lit = useStudio((s) => s.lit);
  const gaps = useStudio((s) => s.check?.gaps);
  const dark = useStudio((s) => s.dark);
  const live = useLive((s) => s.stage === "ready");
  const shownRun = useStudio((s) => s.clock.run);
  useEffect(() => {
    if (!host.current) return undefined;
    const made = new World(host.current, (path, more) => select(path === "" ? [] : more ? [...state().selection, path] : [path]));
    made.asked = (path, x, y) => menuAt(path, x, y, "solid");
    world.current = made;
    showing(made);
    (window as { kinetreeWorld?: World }).kinetreeWorld = made; // for scripts that drive the page
    const sized = new ResizeObserver(() => made.resize());
    sized.observe(host.current);
    return () => {
      sized.disconnect();
      made.close();
      showing(null);
      world.current = null;
    };
  }, []);
  useEffect(() => {
    if (!scene) return;
    const built = stand(world, setFailed);
    const open = scene.marks.filter((mark) => mark.gap > 0).map((mark) => mark.path);
    if (host.current) Object.assign(host.current.dataset, { built: String(built), open: open.join(" ") });
  }, [scene]);
  useEffect(() => {
    if (!scene || standing === null) return;
    document.body.dataset["scene"] = String(standing);
    void world.current?.drawn().then(() => drawn("solid", standing));
  }, [scene, standing]);
  useEffect(() => world.current?.choose(selection, lit, Object.keys(gaps ?? {}).map((name) => `closures.${name}`), shownRun === null), [selection, lit, gaps, scene, shownRun]);
  useEffect(() => world.current?.reveal(layers, hidden, faded), [layers, hidden, faded, scene]);
  useEffect(() => world.current?.project(flat), [flat, scene]);
  useEffect(() => {
    if (!world.current) return;
    world.current.moved = moving ? (path, to, before) => void movePoint(path, to, before) : null;
    world.current.choose(selection, lit, Object.keys(gaps ?? {}).map((name) => `closures.${name}`), shownRun === null);
  }, [moving]);
  useEffect(() => world.current?.paint(dark ? "dark" : "light"), [dark, scene]);
  useEffect(() => setPose(null), [scene]);
  useEffect(() => {
    const shown = world.current;
    if (!shown || !pulling) return undefined;
    wind({ run: null, playing: false });
    const pull = new Pull(shown, setPose);
    shown.pulled = live ? (body, at, to) => hold(body, at.toArray(), to.toArray()) : (body, at, to) => pull.take(body, at.toArray(), to.toArray());
    shown.released = live ? release : null;
    return () => {
      shown.pulled = shown.released = null;
    };
  }, [pulling, scene, live]);
  useEffect(() => watch((poses) => {
    if (!poses) {
      stand(world, setFailed);
      world.current?.expect(null);
      return;
    }
    world.current?.place(inOrder(poses, namesShown()));
    if (state().solid.follow) world.current?.chase();
  }), []);
  usePlay(world, scene?.revision ?? -1, more.includes("paths"), setFailed);
  useEfforts(world, more.includes("reactions"));
  const some = useStudio((s) => s.selection.some((path) => path.startsWith("bodies.")));
  return (
    <section className="pane solid" aria-label="3-D view">
      <div className="tools" role="toolbar" aria-label="3-D view">
        <button type="button" title="See all" onClick={() => look("home")}>home</button>
        <details className="dropdown">
          <summary>view</summary>
          <div>
            {SIDES.map((side) => <button key={side} type="button" onClick={() => look(side)}>{side}</button>)}
            <label title="Parallel lines stay parallel"><input type="checkbox" checked={flat} onChange={() => perform("orthographic")} />orthographic</label>
            <label title="The camera goes along with what travels"><input type="checkbox" checked={follow} onChange={() => perform("follow")} />follow</label>
          </div>
        </details>
        <button type="button" aria-pressed={pulling} title="Pull at bodies: the mechanism follows with its loops closed" onClick={() => perform("pull")}>pull</button>
        <button type="button" aria-pressed={moving} title="Move the selected point by its arrows: an edit of the text" aria-label="move point" onClick={() => perform("move-point")}>move</button>
        <details className="dropdown">
          <summary>layers</summary>
          <div>
            {LAYERS.map((layer) => (
              <label key={layer}><input type="checkbox" checked={layers.includes(layer)} onChange={() => solid({ layers: toggled(layers, layer) })} />{layer}</label>
            ))}
            {MORE.map(([name, title]) => (
              <label key={name} title={title}><input type="checkbox" checked={more.includes(name)} onChange={() => solid({ more: toggled(more, name) })} />{name}</label>
            ))}
            <button type="button" disabled={!some} onClick={() => perform("hide")}>hide selected</button>
            <button type="button" disabled={!some} onClick={() => perform("isolate")}>isolate selected</button>
            <button type="button" disabled={!some} onClick={() => perform("fade")}>fade others</button>
            <button type="button" disabled={!hidden.length && !faded.length} onClick={() => perform("unhide")}>show all</button>
          </div>
        </details>
        <details className="dropdown">
          <summary>keep</summary>
          <div>
            <button type="button" title="The view as it is, as a PNG file" onClick={picture}>picture</button>
            <button type="button" title="The run that is shown as a GIF file; another analysis, with its progress" disabled={shownRun === null} onClick={() => perform("film")}>film of the run</button>
          </div>
        </details>
      </div>
      <div
        ref={host} className="canvas" role="img" aria-label="The mechanism in 3-D; the tree says the same. Arrows turn it, with Shift they move it, plus and minus come nearer" tabIndex={0}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || !world.current?.key(event.key, event.shiftKey)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
        onContextMenu={(event) => {
          event.preventDefault();
          if (event.target === event.currentTarget) menuByKey(event.currentTarget, world.current); // the pointer is over the canvas, where a drag moves the picture
        }}
      />
      <Distance world={world} />
      {failed && <p className="veil" role="note">{failed}</p>}
      {pose && (
        <div className="player" role="group" aria-label="Pose">
          <span id="pose">{Object.entries(pose.q).slice(0, 3).map(([name, value]) => `${name} ${value.toPrecision(4)}`).join(", ")}</span>
          <button type="button" onClick={() => void edit(pose.operations as Operation[], "start from a pulled pose")}>take as start</button>
          <button type="button" onClick={() => { setPose(null); if (scene) world.current?.show(scene.payload, scene.marks); }}>back</button>
        </div>
      )}
      {live ? <LivePlayer /> : <Player />}
    </section>
  );
}

/** The menu for what is selected, beside it where it is seen. */
function menuByKey(host: HTMLElement, world: World | null): void {
  const path = state().selection[0] ?? "";
  const { left, top, width, height } = host.getBoundingClientRect();
  const [x, y] = path && world ? world.seen(path.replace(/^bodies\./, "")) : [width / 2, height / 2];
  menuAt(path, left + Math.min(width, Math.max(0, x)), top + Math.min(height, Math.max(0, y)), "solid");
}

/** How far the two places that are selected are apart, as they are shown. */
function Distance({ world }: { world: { current: World | null } }): ReactElement | null {
  useStudio((s) => s.clock.t);
  const selection = useStudio((s) => s.selection);
  useStudio((s) => s.scene);
  const found = selection.length === 2 ? world.current?.between(selection) : null;
  if (!found) return null;
  const show = (x: number): string => String(Number(x.toPrecision(5)));
  return <output id="distance" className="distance" title={selection.join(" – ")}>{show(found.distance)} m <span className="dim">({found.parts.map(show).join(", ")})</span></output>;
}

/** Time of the run that is shown. */
function Player(): ReactElement | null {
  const clock = useStudio((s) => s.clock);
  const run = useStudio((s) => s.runs.find((one) => one.id === s.clock.run));
  const [clips, setClips] = useState<string[]>([]);
  useEffect(() => {
    setClips([]);
    if (run?.analysis === "modes") void motion(run.id).then((found) => setClips(found.clips.map((clip) => String(clip["label"]))), () => undefined);
  }, [run?.id, run?.analysis]);
  if (!run) return null;
  return (
    <div className="player" role="group" aria-label="Motion">
      <button type="button" aria-label={clock.playing ? "Pause" : "Play"} onClick={() => wind({ playing: !clock.playing })}>{clock.playing ? "❚❚" : "▶"}</button>
      {clips.length > 0 ? (
        <select className="entry" aria-label="Mode" value={clock.clip} onChange={(event) => wind({ clip: Number(event.target.value), t: 0, playing: true })}>
          {clips.map((label, k) => <option key={label} value={k}>{label}</option>)}
        </select>
      ) : <input
        type="range" aria-label="Time" min={0} max={clock.end || 1} step="any" value={clock.t}
        onChange={(event) => wind({ t: Number(event.target.value), playing: false })} />}
      <output>{clock.t.toFixed(3)} s</output>
      <select className="entry" aria-label="Speed" title="Speed of the motion shown" value={clock.speed} onChange={(event) => wind({ speed: Number(event.target.value) })}>
        {SPEEDS.map((speed) => <option key={speed} value={speed}>{speed}×</option>)}
      </select>
      <span className="dim">{title(run)}</span>
      {clips.length === 0 && <button type="button" title="Take this pose as start values" aria-label="take as start" onClick={() => perform("pose")}>as start</button>}
      <button type="button" aria-label="Show the start" title="Show the start" onClick={() => wind({ run: null, playing: false, t: 0 })}>×</button>
    </div>
  );
}

/** Show the mechanism at its start, and how many solids were built; without WebGL the view is given up. */
function stand(world: { current: World | null }, fail: (problem: string) => void): number {
  const { scene } = state();
  try {
    return (scene && world.current?.show(scene.payload, scene.marks).built) ?? 0;
  } catch (error) {
    world.current = null; // nothing of what follows draws
    fail(`There is no WebGL here (${(error as Error).message}); everything else works without it.`);
    return 0;
  }
}

/** The live simulation, beside what it moves. */
function LivePlayer(): ReactElement {
  const { playing, t } = useLive();
  return (
    <div className="player" role="group" aria-label="Live motion">
      <button type="button" aria-label={playing ? "Pause" : "Go"} onClick={() => play(!playing)}>{playing ? "❚❚" : "▶"}</button>
      <output>{t.toFixed(2)} s</output>
      <span className="dim">live: pull at bodies, move sliders</span>
      <button type="button" title="Take this pose as start values" aria-label="take as start" onClick={() => void takeLive()}>as start</button>
      <button type="button" aria-label="End the live simulation" title="End the live simulation" onClick={endLive}>×</button>
    </div>
  );
}

const namesShown = (): string[] => (state().scene?.payload.bodies ?? []).slice(1).map((body) => body.name);

/** Poses in the order of the mechanism that is shown; a body that is not among them stays at the origin. */
function inOrder({ names, numbers }: Poses, shown: string[]): number[][] {
  return shown.map((name) => {
    const from = 12 * names.indexOf(name);
    if (from < 0) return [1, 0, 0, 0, 0, 0, 0];
    const turn = turnOf(numbers.subarray(from, from + 9));
    return [turn.w, turn.x, turn.y, turn.z, ...numbers.subarray(from + 9, from + 12)];
  });
}

interface Film {
  motion: Motion;
  clips: ClipData[];
  bodies: string[];
}

function film(found: MotionMessage): Film {
  const bodies = [{ name: "ground", parts: [] }, ...found.names.map((name) => ({ name, parts: [] }))];
  const data = { poses: found.poses as unknown as Packed, bodies } as unknown as Payload;
  return { motion: new Motion(data), clips: found.clips as unknown as ClipData[], bodies: found.names };
}

/** Poses of a film at a time, in the order of the mechanism that is shown. */
function poses({ motion: moving, clips, bodies }: Film, clip: number, t: number, names: string[]): number[][] {
  const shown = clips[clip] ?? clips[0];
  if (shown) moving.seek(shown, t);
  return names.map((name) => {
    const k = bodies.indexOf(name) + 1;
    const [turn, at] = [moving.turns[k], moving.positions[k]];
    return k > 0 && turn && at ? [turn.w, turn.x, turn.y, turn.z, at.x, at.y, at.z] : [1, 0, 0, 0, 0, 0, 0];
  });
}

const FRAMES = 60; // that are looked at to see how far a motion goes

/** Frames of a motion, evenly in time. */
function some(shown: Film, clip: number): number[][][] {
  const times = (shown.clips[clip] ?? shown.clips[0])?.times ?? [];
  const [start, end] = [times[0] ?? 0, times.at(-1) ?? 0];
  const count = Math.min(FRAMES, times.length);
  const names = namesShown();
  return Array.from({ length: count }, (_, k) => poses(shown, clip, start + ((end - start) * k) / Math.max(1, count - 1), names));
}

/** Where the selected bodies go, or all of them if none is selected. */
function paths({ motion: moving, clips, bodies }: Film, clip: number, selection: string[]): Float32Array[] {
  const shown = clips[clip] ?? clips[0];
  const chosen = selection.filter((path) => path.startsWith("bodies.")).map((path) => path.split(".")[1] ?? "");
  const some = chosen.length ? chosen : bodies;
  return shown ? some.map((name) => moving.path(bodies.indexOf(name) + 1, shown)) : [];
}

/** The run and its ghost move with the clock; without a run the mechanism stands at its start. */
function usePlay(world: { current: World | null }, revision: number, traced: boolean, fail: (problem: string) => void): void {
  const { run, ghost, clip, t, playing } = useStudio((s) => s.clock);
  const films = useRef<{ run: Film | null; ghost: Film | null }>({ run: null, ghost: null });
  const [ready, setReady] = useState(0);
  useEffect(() => {
    films.current.run = null;
    if (run === null) {
      stand(world, fail);
      world.current?.expect(null);
      return;
    }
    void motion(run).then((found) => {
      films.current.run = film(found);
      const times = films.current.run.clips[0]?.times ?? [];
      wind({ end: times.at(-1) ?? 0 });
      document.body.dataset["run"] = String(run);
      setReady((n) => n + 1);
    }, (error: Error) => tell(error.message, true));
  }, [run, world]);
  useEffect(() => {
    films.current.ghost = null;
    world.current?.ghost(null);
    if (ghost === null) return;
    void motion(ghost).then((found) => {
      films.current.ghost = film(found);
      setReady((n) => n + 1);
    }, (error: Error) => tell(error.message, true));
  }, [ghost, world]);
  useEffect(() => {
    const shown = films.current;
    if (shown.run) world.current?.place(poses(shown.run, clip, t, namesShown()));
    if (shown.ghost) world.current?.ghost(poses(shown.ghost, 0, t, namesShown()));
  }, [t, clip, ready, revision, world]);
  const follow = useStudio((s) => s.solid.follow);
  useEffect(() => {
    const shown = films.current.run;
    if (!shown || run === null) return;
    world.current?.expect(some(shown, clip), follow);
    const { t: now } = state().clock;
    world.current?.place(poses(shown, clip, now, namesShown()));
  }, [ready, clip, revision, follow, world]);
  const selection = useStudio((s) => s.selection);
  useEffect(() => {
    const shown = films.current.run;
    world.current?.trace(traced && shown ? paths(shown, clip, selection) : []);
  }, [traced, selection, clip, ready, world]);
  useEffect(() => {
    if (!playing) return undefined;
    let last = performance.now();
    let due = 0;
    const step = (now: number): void => {
      const { clock } = state();
      if (!films.current.run) {
        last = now;
        due = requestAnimationFrame(step); // its poses are on their way
        return;
      }
      const end = films.current.run?.clips[clock.clip]?.times.at(-1) ?? clock.end;
      const next = clock.t + (clock.speed * (now - last)) / 1000;
      last = now;
      const cyclic = films.current.run?.clips[clock.clip]?.cyclic ?? false;
      if (next >= end && !cyclic) return wind({ t: end, playing: false });
      wind({ t: end > 0 ? next % end : 0 });
      due = requestAnimationFrame(step);
    };
    due = requestAnimationFrame(step);
    return () => cancelAnimationFrame(due);
  }, [playing]);
}
