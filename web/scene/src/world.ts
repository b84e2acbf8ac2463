// A mechanism in a view that stays: what changed is built anew, everything else is kept; one thing is selected.
import {
  ArrowHelper, Box3, Group, Line, Mesh, Plane, Quaternion, Raycaster, Vector2, Vector3, type Object3D,
} from "three";
import { Batch } from "./batch";
import { Gizmo, type Put } from "./gizmo";
import { drafts, fade, line, over, pale, type Mark } from "./marks";
import { Names } from "./names";
import { isSolid, openCanvas, rendererName } from "./looks";
import type { Payload } from "./payload";
import { originOf, ownBox, reach, traveller } from "./reach";
import { detailOf, makeBody } from "./solids";
import { Sheet } from "./sheet";
import { SIDES, Stage, type Theme } from "./stage";
import { Stretch, type Poses } from "./stretch";
import { Triad } from "./triad";

export type { Mark };

export type Layer = "axes" | "points" | "names" | "masses" | "closures" | "forces" | "grid" | "frames";
export const LAYERS: readonly Layer[] = ["axes", "points", "names", "masses", "closures", "forces", "frames", "grid"];
const PICK = "#3b82f6";
const LIT = "#f59e0b";
const MOVING = 120; // between pictures that follow each other, which are drawn plain [ms]
const REST = 300; // after the last movement, before the picture is made better [ms]
const NEARER = 1.2; // by one key
const TURN = Math.PI / 24; // by one key [rad]
const NEAR = 10; // of a mark that is meant by a click [px]
const COVERED = 36; // by tools above, and by what plays a motion below [px]
const FAR = 2; // way over the ground beyond which the camera goes along, in extents of the mechanism
const OPEN = "#dc2626";
const EFFORT = { force: "#db2777", torque: "#7c3aed" };
const AXES = [["#d84a4a", new Vector3(1, 0, 0)], ["#3f9e4d", new Vector3(0, 1, 0)], ["#3b73d9", new Vector3(0, 0, 1)]] as const;
const COLOURS = { turn: "#7c3aed", shift: "#0891b2", point: "#64748b", mass: "#dc2626", closure: "#b45309", force: "#15803d" };

/** A force [N] and a torque [N.m] at a place of a body, in the ground frame. */
export interface Effort {
  body: number;
  at: number[];
  force: number[];
  torque: number[];
}

export class World implements Poses {
  readonly positions: Vector3[] = [];
  readonly turns: Quaternion[] = [];
  private stage: Stage | null = null;
  private readonly triad = new Triad();
  private payload: Payload | null = null;
  private readonly bodies = new Map<string, { key: string; group: Group; middle: Vector3 }>();
  private batch: Batch | null = null;
  private gizmo: Gizmo | null = null;
  private links: { key: string; stretch: Stretch }[] = [];
  private ghosts: Group[] = [];
  private marks: Mark[] = [];
  private readonly notes = new Group();
  private readonly sheet = new Sheet();
  private readonly names = new Names();
  private layers = new Set<Layer>(["grid", "closures"]);
  private chosen: string[] = [];
  private lit: string[] = [];
  private hidden = new Set<string>();
  private faded = new Set<string>();
  private efforts: Effort[] = [];
  private strongest = { force: 1, torque: 1 };
  private readonly tracks = new Group();
  private gaps = new Set<string>();
  /** Whether gaps are those of the pose that is shown. */
  private told = true;
  private theme: Theme = "light";
  private stale = false;
  private due = 0;
  private resting = 0; // timer
  private last = 0; // when it was drawn [ms]
  private card = false;
  private compiled = false;
  private readonly waiting: (() => void)[] = [];
  private fine = false;
  private traveller = 0; // number of the body that the camera goes along with
  private touched = false; // a camera that somebody has turned stays where it is

  /** Told where a body that is pulled is held (in its frame), and where it shall go (in the ground's). */
  pulled: ((body: string, at: Vector3, to: Vector3) => void) | null = null;
  /** Told that what was pulled is let go. */
  released: (() => void) | null = null;
  /** Told where a point that was moved shall be, in the frame of its body [m]. */
  moved: Put | null = null;
  /** Told what was clicked with the other button, and where on the screen [px]. */
  asked: ((path: string, x: number, y: number) => void) | null = null;
  private held: { body: string; at: Vector3; plane: Plane } | null = null;

  /** What a click finds is told by its path. */
  constructor(private readonly host: HTMLElement, private readonly picked: (path: string, more: boolean) => void) {
    host.append(this.triad.root);
  }

  /** The mechanism as it is now; only bodies whose solids differ are built. */
  show(payload: Payload, marks: Mark[]): { built: number } {
    const first = this.stage === null;
    if (!this.stage) this.open(payload);
    else if (room(payload) !== room(this.payload)) this.stage.measure(payload);
    this.payload = payload;
    this.marks = marks;
    const built = this.takeBodies(payload) + this.takeLinks(payload);
    this.place(startPoses(payload));
    this.write();
    if (first || !this.touched) this.look("home");
    if (first) void this.begin();
    return { built };
  }

  /** The first picture comes when its programs are compiled; the page is not held up by that. */
  private async begin(): Promise<void> {
    const { stage } = this;
    if (!stage) return;
    this.rewrite();
    await stage.renderer.compileAsync(stage.scene, stage.camera);
    this.compiled = true;
    this.draw();
  }

  private open(payload: Payload): void {
    const own = openCanvas();
    this.card = own.card;
    this.stage = new Stage(payload, this.host, true, own);
    this.stage.covered = COVERED;
    this.batch = new Batch(this.stage.scene);
    this.stage.scene.add(this.notes, this.sheet.root, this.names.root, this.tracks);
    this.stage.controls.addEventListener("start", () => (this.touched = true));
    this.stage.controls.addEventListener("change", () => this.draw());
    this.stage.paint(this.theme);
    this.stage.resize();
    this.listen(this.stage.renderer.domElement);
  }

  private takeBodies(payload: Payload): number {
    let built = 0;
    const detail = detailOf(payload.bodies);
    const before = this.bodies.size;
    const there = new Set(payload.bodies.map((body) => body.name));
    for (const [name, { group }] of this.bodies) {
      if (there.has(name)) continue;
      this.drop(group);
      this.bodies.delete(name);
    }
    payload.bodies.forEach((body, index) => {
      const key = `${index} ${detail} ${JSON.stringify(body.parts)}`;
      const old = this.bodies.get(body.name);
      if (old?.key === key) return;
      if (old) this.drop(old.group);
      const group = makeBody(body, index, detail, this.fine);
      this.stage?.scene.add(group);
      const box = ownBox(group);
      this.bodies.set(body.name, { key, group, middle: box.isEmpty() ? new Vector3() : box.getCenter(new Vector3()) });
      built += 1;
    });
    if (built || before !== this.bodies.size) this.batch?.take([...this.bodies].map(([name, { group }]) => [name, group]));
    this.positions.length = this.turns.length = payload.bodies.length;
    payload.bodies.forEach((_, k) => {
      this.positions[k] ??= new Vector3();
      this.turns[k] ??= new Quaternion();
    });
    this.shine();
    return built;
  }

  private takeLinks(payload: Payload): number {
    let built = 0;
    const old = new Map(this.links.map((link) => [link.key, link]));
    this.links = payload.links.map((data) => {
      const key = JSON.stringify(data);
      const found = old.get(key);
      old.delete(key);
      if (found) return found;
      built += 1;
      const stretch = new Stretch(data, this.fine);
      this.stage?.scene.add(stretch.mesh);
      return { key, stretch };
    });
    for (const { stretch } of old.values()) this.drop(stretch.mesh);
    return built;
  }

  private drop(object: Object3D): void {
    object.removeFromParent();
    object.traverse((part) => {
      if (part instanceof Mesh) part.geometry.dispose();
    });
  }

  /** Put the bodies at poses: w, x, y, z, and position, of every body but the ground. */
  place(poses: ArrayLike<number>[]): void {
    const before = this.positions[this.traveller]?.clone();
    poses.forEach((pose, k) => {
      this.turns[k + 1]?.set(pose[1] ?? 0, pose[2] ?? 0, pose[3] ?? 0, pose[0] ?? 1).normalize();
      this.positions[k + 1]?.set(pose[4] ?? 0, pose[5] ?? 0, pose[6] ?? 0);
    });
    if (this.traveller && before) this.goAlong(before);
    this.refresh();
  }

  /** The camera keeps what travels where it was in the picture; light and floor come along. */
  private goAlong(before: Vector3): void {
    const now = this.positions[this.traveller];
    if (!now || !this.payload) return;
    this.stage?.carry(now.clone().sub(before));
    this.stage?.travel(now.clone().sub(startOf(this.payload, this.traveller)));
  }

  /** A motion that is going to be shown, by some of its frames: all of it is seen, and the camera goes along with what travels. */
  expect(frames: number[][][] | null, follow = true): void {
    const { payload, stage } = this;
    if (!payload || !stage) return;
    if (this.traveller) this.place(startPoses(payload));
    const travels = frames ? traveller(frames, stage.up, FAR * payload.size) : 0;
    this.traveller = follow ? travels : 0;
    const room = new Box3(new Vector3(...payload.low), new Vector3(...payload.high));
    if (frames && !travels) reach(frames, payload.bodies.slice(1).map((body) => ownBox(this.bodies.get(body.name)?.group)), room);
    stage.measure({ ...payload, low: room.min.toArray(), high: room.max.toArray(), follow: this.traveller });
    stage.showGrid(this.layers.has("grid"));
    if (!this.touched) this.look("home");
    this.draw();
  }

  /** Of a motion that nobody knows beforehand: go along, from now on, with what has gone far. */
  chase(): void {
    if (this.traveller || !this.payload || !this.stage) return;
    const now = this.positions.slice(1).map(({ x, y, z }) => [1, 0, 0, 0, x, y, z]);
    this.traveller = traveller([startPoses(this.payload), now], this.stage.up, FAR * this.payload.size);
    if (this.traveller) this.goAlong(startOf(this.payload, this.traveller));
  }

  /** After the poses were changed from outside. */
  refresh(): void {
    this.payload?.bodies.forEach((body, k) => {
      const group = this.bodies.get(body.name)?.group;
      const [turn, position] = [this.turns[k], this.positions[k]];
      if (!group || !turn || !position) return;
      group.quaternion.copy(turn);
      group.position.copy(position);
      group.updateMatrix();
      this.batch?.place(body.name, group.matrix);
    });
    for (const { stretch } of this.links) stretch.update(this);
    this.write();
    this.draw();
  }

  /** A second mechanism, pale, at poses of its own; none takes it away. */
  ghost(poses: ArrayLike<number>[] | null): void {
    if (!poses) {
      this.ghosts.forEach((group) => group.removeFromParent());
      this.ghosts = [];
      return this.draw();
    }
    if (!this.ghosts.length) {
      this.ghosts = (this.payload?.bodies ?? []).slice(1).map((body, k) => pale(makeBody(body, k + 1, 0.6, this.fine)));
      this.stage?.scene.add(...this.ghosts);
    }
    poses.forEach((pose, k) => {
      const [w = 1, x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = Array.from(pose);
      this.ghosts[k]?.quaternion.set(x, y, z, w);
      this.ghosts[k]?.position.set(a, b, c);
    });
    this.draw();
  }

  choose(paths: string[], lit: string[], gaps: string[], told = true): void {
    this.told = told;
    [this.chosen, this.lit, this.gaps] = [paths, lit, new Set(gaps)];
    this.shine();
    this.write();
    this.draw();
  }

  reveal(layers: Iterable<Layer>, hidden: Iterable<string>, faded: Iterable<string> = []): void {
    this.layers = new Set(layers);
    this.hidden = new Set(hidden);
    this.faded = new Set(faded);
    this.shine();
    this.stage?.showGrid(this.layers.has("grid"));
    this.write();
    this.draw();
  }

  paint(theme: Theme): void {
    if (theme === this.theme) return;
    this.theme = theme;
    this.stage?.paint(theme);
    this.stage?.showGrid(this.layers.has("grid"));
    this.write();
    this.draw();
  }

  look(side: string): void {
    if (!this.stage) return;
    this.touched = side !== "home";
    this.stage.look(SIDES[side] ?? this.stage.broadside());
    this.draw();
  }

  /** A key that turns, moves or nears the camera; whether it was one. */
  key(key: string, shift: boolean): boolean {
    const { stage } = this;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    const factor = { "+": 1 / NEARER, "=": 1 / NEARER, "-": NEARER }[key];
    if (!stage || (!way && !factor && key !== "Home")) return false;
    this.touched = true;
    if (key === "Home") this.look("home");
    else if (factor) stage.approach(factor);
    else if (shift) stage.shift(0.05 * (way?.[0] ?? 0), 0.05 * (way?.[1] ?? 0));
    else stage.orbit(TURN * (way?.[0] ?? 0), TURN * (way?.[1] ?? 0));
    this.draw();
    return true;
  }

  project(orthographic: boolean): void {
    this.stage?.project(orthographic);
    this.write();
    this.draw();
  }

  /** Lines that bodies or points have gone along: x, y, z in turn, in the ground frame [m]. */
  trace(paths: Float32Array[]): void {
    this.tracks.traverse((part) => {
      if (part instanceof Line) part.geometry.dispose();
    });
    this.tracks.clear();
    for (const flat of paths) {
      const points = Array.from({ length: flat.length / 3 }, (_, k) => new Vector3().fromArray(flat, 3 * k));
      this.tracks.add(line(points, LIT));
    }
    this.draw();
  }

  /** Forces as arrows, torques as arrows with two heads; the strongest of a run are the longest. */
  push(efforts: Effort[], strongest: { force: number; torque: number }): void {
    [this.efforts, this.strongest] = [efforts, strongest];
    this.write();
    this.draw();
  }

  /** Between two places: distance, and its parts along the ground's axes [m]. */
  between(paths: string[]): { distance: number; parts: number[] } | null {
    const [a, b] = paths.map((path) => this.placeOf(path));
    if (!a || !b || paths.length !== 2) return null;
    return { distance: a.distanceTo(b), parts: b.clone().sub(a).toArray() };
  }

  private placeOf(path: string): Vector3 | null {
    const mark = this.marks.find((one) => one.path === path && one.kind !== "mass");
    const place = mark?.places[0] ?? (path.startsWith("bodies.") ? { body: this.number(path.slice(7)), at: [0, 0, 0] } : undefined);
    const [turn, position] = [this.turns[place?.body ?? -1], this.positions[place?.body ?? -1]];
    return place && turn && position ? new Vector3(...place.at).applyQuaternion(turn).add(position) : null;
  }

  private number(name: string): number {
    return this.payload?.bodies.findIndex((body) => body.name === name) ?? -1;
  }

  /** The arrows that move the point that is selected alone. */
  private grip(): void {
    const mark = this.moved && this.chosen.length === 1 ? this.marks.find((one) => one.kind === "point" && one.path === this.chosen[0]) : undefined;
    const place = mark?.places[0];
    const [turn, position] = [this.turns[place?.body ?? -1], this.positions[place?.body ?? -1]];
    if (mark && place && turn && position) this.arrows()?.attach(mark.path, place.at, position, turn);
    else this.gizmo?.detach();
  }

  /** Made when they are wanted first: they cost as much as the mechanism. */
  private arrows(): Gizmo | null {
    const { stage } = this;
    this.gizmo ??= stage && new Gizmo(stage, () => this.payload?.size ?? 1, () => this.draw(), (path, at, before) => this.moved?.(path, at, before));
    return this.gizmo;
  }

  resize(): void {
    this.stage?.resize();
    this.write();
    if (!this.touched) this.look("home");
    this.draw();
  }

  /** The picture as a PNG. */
  picture(): string {
    this.render();
    return this.stage?.renderer.domElement.toDataURL("image/png") ?? "";
  }

  /** What draws the pictures. */
  renderer(): string {
    return this.stage ? rendererName(this.stage.renderer.getContext()) : "";
  }

  /** Triangles and calls of the last picture. */
  count(): { calls: number; triangles: number } {
    return { calls: this.stage?.renderer.info.render.calls ?? 0, triangles: this.stage?.renderer.info.render.triangles ?? 0 };
  }

  /** Where the origin of a body, or the place of a path, is seen, in pixels of the canvas. */
  seen(name: string): [number, number] {
    const position = this.positions[this.number(name)] ?? this.placeOf(name);
    if (!this.stage || !position) return [0, 0];
    const at = position.clone().project(this.stage.camera);
    const { clientWidth, clientHeight } = this.stage.renderer.domElement;
    return [(0.5 + 0.5 * at.x) * clientWidth, (0.5 - 0.5 * at.y) * clientHeight];
  }

  close(): void {
    cancelAnimationFrame(this.due);
    window.clearTimeout(this.resting);
    this.stage?.renderer.dispose();
    this.stage?.renderer.domElement.remove();
    this.triad.root.remove();
  }

  draw(): void {
    if (this.due || !this.compiled) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      const now = performance.now();
      if (!this.card && now - this.last < MOVING) this.stage?.smooth(false);
      this.last = now;
      this.render();
      window.clearTimeout(this.resting);
      if (!this.fine) this.resting = window.setTimeout(() => this.rest(), REST);
    });
  }

  private render(): void {
    if (!this.stage) return;
    if (this.stale) this.rewrite();
    const { camera, host } = this.stage;
    this.names.spread(camera, host.clientWidth, host.clientHeight);
    this.stage.render();
    this.triad.draw(this.stage.camera);
    for (const told of this.waiting.splice(0)) told();
  }

  /** When the mechanism that is shown now has been drawn. */
  drawn(): Promise<void> {
    this.draw();
    return new Promise((told) => this.waiting.push(told));
  }

  /** The first picture is plain; when nothing has moved for a while it is drawn as well as the machine can. */
  private rest(): void {
    if (this.card) this.refine();
    else if (this.stage?.smooth(true)) this.render();
  }

  /** Shadows, and solids that mirror a room. */
  refine(): void {
    if (this.fine || !this.stage || !this.payload) return;
    this.fine = true;
    this.stage.refine();
    for (const { group } of this.bodies.values()) this.drop(group);
    for (const { stretch } of this.links) this.drop(stretch.mesh);
    this.bodies.clear();
    this.links = [];
    this.takeBodies(this.payload);
    this.takeLinks(this.payload);
    this.refresh();
  }

  /** Marks are made anew with the next picture, however often something of them changes before. */
  private write(): void {
    this.stale = true;
  }

  private shine(): void {
    for (const [name, { group }] of this.bodies) {
      const path = name === "ground" ? "ground" : `bodies.${name}`;
      const colour = this.chosen.includes(path) ? PICK : this.lit.includes(path) ? LIT : "";
      const faint = this.faded.has(name);
      group.visible = !this.hidden.has(name);
      this.batch?.show(name, group, colour !== "" || faint);
      group.traverse((part) => {
        if (!(part instanceof Mesh) || !isSolid(part.material)) return;
        if (part.material.vertexColors !== (colour === "")) part.material.needsUpdate = true;
        part.material.vertexColors = colour === "";
        part.material.color.set(colour || "#ffffff");
        fade(part.material, part.userData["clear"] === true, faint);
      });
    }
  }

  /** Marks of the layers, and of what is selected; few and cheap, so they are made anew. */
  private rewrite(): void {
    this.stale = false;
    this.notes.traverse((part) => {
      if (part instanceof Mesh || part instanceof Line) part.geometry.dispose();
    });
    this.notes.clear();
    this.sheet.begin();
    this.names.begin();
    const size = this.payload?.size ?? 1;
    for (const mark of this.marks) {
      const own = this.chosen.includes(mark.path) || this.lit.includes(mark.path);
      const open = mark.gap > 0 || this.gaps.has(mark.path);
      const wanted = (own && mark.kind !== "mass") || open; // a body is lit itself: its inertia would veil it
      if (!wanted && !this.isShown(mark)) continue;
      const colour = open ? OPEN : own ? PICK : COLOURS[mark.kind];
      for (const made of drafts(mark, this, size, colour, open, this.sheet)) this.notes.add(made);
      if (open && this.told) this.writeGap(mark, size);
    }
    this.writeEfforts(size);
    this.writeDistance();
    this.grip();
    if (this.layers.has("frames")) this.writeFrames(size);
    if (this.layers.has("names")) this.writeNames();
    this.sheet.end();
    this.names.end();
  }

  private writeEfforts(size: number): void {
    for (const { body, at, ...parts } of this.efforts) {
      const [turn, position] = [this.turns[body], this.positions[body]];
      if (!turn || !position) continue;
      const from = new Vector3(...at).applyQuaternion(turn).add(position);
      for (const kind of ["force", "torque"] as const) {
        const way = new Vector3(...parts[kind]);
        const long = (0.35 * size * way.length()) / (this.strongest[kind] || 1);
        if (long < 2e-3 * size) continue;
        const head = Math.min(0.3 * long, 0.03 * size);
        way.normalize();
        for (const length of kind === "torque" ? [long - 0.7 * head, long] : [long]) {
          this.notes.add(over(new ArrowHelper(way, from, length, EFFORT[kind], head, 0.016 * size)));
        }
      }
    }
  }

  private writeDistance(): void {
    const found = this.between(this.chosen);
    const [a, b] = this.chosen.map((path) => this.placeOf(path));
    if (!found || !a || !b || found.distance === 0) return;
    this.notes.add(line([a, b], LIT));
    this.names.put(`${Number(found.distance.toPrecision(4))} m`, a.clone().lerp(b, 0.5), this.pixel(), this.theme);
  }

  /** How far a closure stays open, beside it. */
  private writeGap(mark: Mark, size: number): void {
    const [a, b] = mark.places.map(({ body, at }) => new Vector3(...at).applyQuaternion(this.turns[body] ?? new Quaternion()).add(this.positions[body] ?? new Vector3()));
    if (!a || mark.gap === 0) return;
    const name = mark.path.slice(mark.path.indexOf(".") + 1);
    const at = b ? a.clone().lerp(b, 0.5) : a;
    this.names.put(`${name} ${Number(mark.gap.toPrecision(3))} open`, at.addScaledVector(this.stage?.up ?? at, 0.05 * size), this.pixel(), this.theme, OPEN);
  }

  private pixel(): number {
    return this.stage?.pixel() ?? 0;
  }

  private isShown(mark: Mark): boolean {
    const layer: Record<Mark["kind"], Layer> = {
      point: "points", turn: "axes", shift: "axes", mass: "masses", closure: "closures", force: "forces",
    };
    return this.layers.has(layer[mark.kind]);
  }

  private writeNames(): void {
    this.payload?.bodies.forEach(({ name }, k) => {
      const [turn, position, middle] = [this.turns[k], this.positions[k], this.bodies.get(name)?.middle];
      if (k && turn && position && middle && !this.hidden.has(name)) this.names.put(name, middle.clone().applyQuaternion(turn).add(position), this.pixel(), this.theme);
    });
  }

  private writeFrames(size: number): void {
    this.positions.forEach((position, k) => {
      if (!k) return;
      AXES.forEach(([colour, axis]) => {
        const way = axis.clone().applyQuaternion(this.turns[k] ?? new Quaternion());
        this.sheet.line(position, way.multiplyScalar(0.08 * size).add(position), colour);
      });
    });
  }

  private listen(canvas: HTMLCanvasElement): void {
    let pressed = new Vector2();
    canvas.addEventListener("pointerdown", (event) => {
      pressed = new Vector2(event.offsetX, event.offsetY);
      if (event.button === 0 && this.pulled && !this.gizmo?.busy) this.hold(event, canvas);
    });
    canvas.addEventListener("pointermove", (event) => {
      const to = this.held && this.ray(event, canvas)?.ray.intersectPlane(this.held.plane, new Vector3());
      if (this.held && to) this.pulled?.(this.held.body, this.held.at, to);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (this.held) this.released?.();
      this.held = null;
      if (this.gizmo?.busy) return;
      if (this.stage) this.stage.controls.enabled = true;
      if (new Vector2(event.offsetX, event.offsetY).distanceTo(pressed) > 4) return;
      const path = this.pathAt(event, canvas);
      if (event.button === 2) this.asked?.(path, event.clientX, event.clientY);
      else this.picked(path, event.shiftKey || event.ctrlKey || event.metaKey);
    });
  }

  /** What is drawn under the pointer: a mark, a body, or nothing. */
  private pathAt(event: PointerEvent, canvas: HTMLCanvasElement): string {
    const mark = this.markAt(event.offsetX, event.offsetY);
    const name = mark ?? this.hit(event, canvas)?.name;
    return mark ?? (name === undefined || name === "ground" ? (name ?? "") : `bodies.${name}`);
  }

  /** The point, joint or tie that is drawn nearest to a place of the canvas; none where bodies are in question. */
  private markAt(x: number, y: number): string | undefined {
    let [best, least]: [string | undefined, number] = [undefined, NEAR];
    for (const mark of this.marks) {
      if (mark.kind === "mass" || mark.places.length !== 1 || !this.isShown(mark)) continue;
      const [a, b] = this.seen(mark.path);
      const far = Math.hypot(a - x, b - y);
      if (far < least) [best, least] = [mark.path, far];
    }
    return best;
  }

  /** Take hold of the body under the pointer: it is pulled in the plane that faces the camera. */
  private hold(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const found = this.hit(event, canvas);
    const number = this.payload?.bodies.findIndex((body) => body.name === found?.name) ?? -1;
    const [turn, position] = [this.turns[number], this.positions[number]];
    if (!found || number < 1 || !turn || !position || !this.stage) return;
    const at = found.place.clone().sub(position).applyQuaternion(turn.clone().invert());
    const normal = this.stage.camera.getWorldDirection(new Vector3());
    this.held = { body: found.name, at, plane: new Plane().setFromNormalAndCoplanarPoint(normal, found.place) };
    this.stage.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
  }

  private ray(event: PointerEvent, canvas: HTMLCanvasElement): Raycaster | null {
    if (!this.stage) return null;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * event.offsetX) / canvas.clientWidth - 1, 1 - (2 * event.offsetY) / canvas.clientHeight), this.stage.camera);
    return ray;
  }

  /** The body under the pointer, and the place that is seen of it. */
  private hit(event: PointerEvent, canvas: HTMLCanvasElement): { name: string; place: Vector3 } | undefined {
    const shown = [...this.bodies.values()].map((one) => one.group).filter((group) => group.visible);
    const found = this.ray(event, canvas)?.intersectObjects(shown, true)[0];
    const name = found ? this.payload?.bodies[found.object.userData["body"] as number]?.name : undefined;
    return found && name !== undefined ? { name, place: found.point } : undefined;
  }
}

/** Size and place of a mechanism, as one text. */
function room(payload: Payload | null): string {
  return payload ? JSON.stringify([payload.up, payload.floor, payload.size, payload.low, payload.high]) : "";
}

const startOf = (payload: Payload, body: number): Vector3 => originOf(startPoses(payload)[body - 1] ?? []);

function startPoses(payload: Payload): number[][] {
  const { offset } = payload.poses; // of one frame the offsets are the values
  return payload.bodies.slice(1).map((_, k) => offset.slice(7 * k, 7 * k + 7));
}
