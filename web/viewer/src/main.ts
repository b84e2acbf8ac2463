// The page: reads its data, builds the view, and keeps picture, slider and curves at one time.
import { Batch } from "@kinetree/scene/batch";
import { Bar, ends } from "./bar";
import { Curves } from "./curves";
import { meetHost, type Clock } from "./host";
import { Inspect } from "./inspect";
import { Live } from "./live";
import { Motion } from "@kinetree/scene/motion";
import { button, element, wishes, type Icon } from "./page";
import { readPayload, unpack, type ClipData, type Payload } from "@kinetree/scene/payload";
import { detailOf, makeBody } from "@kinetree/scene/solids";
import { SIDES, Stage, type Theme } from "@kinetree/scene/stage";
import { Stretch } from "@kinetree/scene/stretch";
import style from "./style.css";
import { Triad } from "@kinetree/scene/triad";

const INKS = {
  light: { text: "#66717f", line: "#e2e7ed", cursor: "#1d232b" },
  dark: { text: "#98a3b1", line: "#2c323b", cursor: "#e6eaf0" },
};

type Direction = [number, number, number];
class Viewer {
  private readonly host = element("main", "view");
  private readonly stage: Stage;
  private readonly motion: Motion;
  private readonly bodies;
  private readonly batch: Batch;
  private readonly stretches: Stretch[];
  private readonly inspect: Inspect;
  private readonly curves: Curves | null;
  private readonly bar: Bar;
  readonly live: Live | null;
  private readonly triad = new Triad();
  private theme: Theme = "light";
  private clip: ClipData;
  private t = 0;
  private speed = 1;
  private playing = false;
  private follow: boolean;
  private stale = true;
  private touched = false;
  private last = 0;
  private readonly tell = meetHost(() => this.clock(), (wish) => this.take(wish));

  constructor(private readonly payload: Payload) {
    this.clip = payload.clips[0] ?? none();
    this.follow = payload.follow > 0;
    document.head.append(element("style", "", style));
    document.body.append(this.host);
    this.stage = new Stage(payload, this.host, wishes().get("plain") === "1");
    this.motion = new Motion(payload);
    const detail = detailOf(payload.bodies);
    this.bodies = payload.bodies.map((body, k) => makeBody(body, k, detail));
    this.stretches = payload.links.map((link) => new Stretch(link));
    this.stage.scene.add(...this.bodies, ...this.stretches.map((stretch) => stretch.mesh));
    this.batch = new Batch(this.stage.scene);
    this.batch.take(this.bodies.map((body, k) => [String(k), body]));
    this.inspect = new Inspect(payload, this.stage, this.bodies, () => {
      this.inspect.path(this.motion, this.clip);
      this.stale = true;
    });
    const seek = (t: number): void => this.seek(t);
    const changed = (): void => {
      this.stale = true;
    };
    this.live = payload.live ? new Live(payload.live, changed) : null;
    const tables = payload.signals.map((group) => ({ ...group, columns: unpack(group.data) }));
    this.curves = this.live ? new Curves(this.live.tables, this.live.times, () => {}, changed, payload.shown, true)
      : tables.length === 0 ? null : new Curves(tables, this.clip.times, seek, changed, payload.shown);
    this.bar = new Bar(payload, {
      play: () => (this.playing ? this.pause() : this.play()),
      seek: (t) => {
        this.pause();
        this.seek(t);
      },
      speed: (factor) => (this.speed = factor),
      clip: (index) => this.use(index),
    });
    this.assemble();
    this.use(0);
  }

  play(): void {
    if (this.live) return this.live.set(true);
    const [start, end] = ends(this.clip);
    if (end <= start) return;
    if (this.t >= end) this.seek(start);
    this.playing = true;
    this.stale = true;
  }

  pause(): void {
    this.live?.set(false);
    this.playing = false;
    this.stale = true;
  }

  seek(t: number): void {
    const [start, end] = ends(this.clip);
    this.t = Math.min(end, Math.max(start, t));
    this.stale = true;
  }

  use(index: number): void {
    const clip = this.payload.clips[index];
    if (!clip) return;
    this.clip = clip;
    this.speed = this.bar.use(clip, index);
    this.inspect.path(this.motion, clip);
    this.seek(ends(clip)[0]);
  }

  paint(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.paint(theme);
    this.stale = true;
  }

  /** The picture as it stands, as the address of a PNG. */
  picture(): string {
    this.draw();
    return this.stage.renderer.domElement.toDataURL("image/png");
  }

  /** Start, as the address of the page wishes. */
  start(): void {
    const wished = wishes();
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    this.paint(wished.get("theme") === "dark" || (!wished.has("theme") && dark) ? "dark" : "light");
    if (this.curves) this.curves.root.hidden = wished.get("panel") === "0";
    this.stage.resize();
    this.stage.look(this.home());
    if (wished.has("mode")) this.use(Number(wished.get("mode")) - 1);
    if (wished.has("t")) this.goTo(Number(wished.get("t")));
    else if (wished.get("play") !== "0") this.play();
    this.draw();
    window.requestAnimationFrame((now) => this.frame(now));
  }

  /** Where the camera stands until it is moved: as wished, or where most is seen. */
  private home(): Direction {
    return SIDES[wishes().get("from") ?? ""] ?? this.stage.broadside();
  }

  /** Show a time: of the run, or so many seconds of simulation from the start. */
  private goTo(t: number): void {
    if (this.live) this.live.skip(t);
    else this.seek(t);
  }

  private clock(): Clock {
    return { t: this.live?.simulation.t ?? this.t, playing: this.live?.playing ?? this.playing };
  }

  /** What the page around wishes; a page that simulates has no time to go back to. */
  private take(wish: Partial<Clock>): void {
    if (wish.playing !== undefined && wish.playing !== this.clock().playing) {
      if (wish.playing) this.play();
      else this.pause();
    }
    if (wish.t !== undefined && !this.live) this.seek(wish.t);
  }

  private frame(now: number): void {
    const spent = this.last > 0 ? Math.min(0.1, (now - this.last) / 1000) : 0;
    this.last = now;
    if (this.live?.playing) this.live.run(spent);
    else if (this.playing) this.advance(spent * this.speed);
    if (this.stale) this.draw();
    this.tell();
    window.requestAnimationFrame((next) => this.frame(next));
  }

  private advance(step: number): void {
    const [start, end] = ends(this.clip);
    const ahead = this.t + step;
    this.t = ahead <= end ? ahead : this.clip.cyclic ? start + ((ahead - start) % (end - start))
      : start;
    this.stale = true;
  }

  private draw(): void {
    this.stale = false;
    const chosen = this.inspect.selected > 0 ? this.inspect.selected : this.payload.follow;
    const followed = this.follow ? this.motion.positions[chosen] : undefined;
    const before = followed?.clone();
    if (this.live) this.live.place(this.motion);
    else this.motion.seek(this.clip, this.t);
    this.bodies.forEach((body, k) => {
      const position = this.motion.positions[k];
      const turn = this.motion.turns[k];
      if (position) body.position.copy(position);
      if (turn) body.quaternion.copy(turn);
      body.updateMatrix();
      this.batch.place(String(k), body.matrix);
      this.batch.show(String(k), body, k === this.inspect.selected);
    });
    const traveller = this.payload.follow > 0 ? this.motion.positions[this.payload.follow] : null;
    if (traveller) this.stage.travel(traveller.clone().sub(this.motion.start(this.payload.follow)));
    if (followed && before) this.stage.carry(followed.clone().sub(before));
    for (const stretch of this.stretches) stretch.update(this.motion);
    this.stage.render();
    this.triad.draw(this.stage.camera);
    this.bar.show(this.clip, this.t, this.playing);
    this.inspect.write(this.motion);
    if (this.curves && !this.curves.root.hidden) {
      this.curves.draw(this.live?.simulation.t ?? this.t, INKS[this.theme]);
    }
  }

  private assemble(): void {
    const header = element("header");
    header.append(
      element("h1", "", this.payload.title), element("span", "note", this.payload.note),
      this.tools(),
    );
    const cell = element("div", "cell", `grid ${Number(this.stage.cell.toPrecision(3))} m`);
    const warnings = element("div", "warnings", this.payload.warnings.join(" · "));
    this.host.append(this.triad.root, cell, warnings, this.inspect.card, this.inspect.tip);
    const bar = this.live ? this.live.bar : this.bar.root;
    document.body.append(header, ...(this.curves ? [this.curves.root] : []), bar);
    if (this.live) this.curves?.root.prepend(this.live.sliders.root);
    this.stage.controls.addEventListener("change", () => (this.stale = true));
    this.stage.controls.addEventListener("start", () => (this.touched = true));
    new ResizeObserver(() => {
      this.stage.resize();
      if (!this.touched) this.stage.look(this.home());
      this.draw();
    }).observe(this.host);
    window.addEventListener("keydown", (event) => this.key(event));
  }

  private tools(): HTMLElement {
    const tools = element("div", "tools");
    const look = (from: Direction = this.stage.broadside()): void => {
      this.touched = true;
      this.stage.look(from);
      this.stale = true;
    };
    const fit = (): void => look(this.stage.broadside());
    tools.append(
      button("fit", "fit everything into view", fit),
      button("front", "from the front", () => look(SIDES["front"])),
      button("side", "from the side", () => look(SIDES["side"])),
      button("top", "from the top", () => look(SIDES["top"])),
      this.switch("grid", "grid", true, (on) => this.stage.showGrid(on)),
      this.switch("follow", "follow the selected body", this.follow, (on) => (this.follow = on)),
      button("theme", "light or dark", () => this.paint(this.theme === "light" ? "dark" : "light")),
      button("save", "save the picture", () => this.save()),
    );
    const panel = this.curves?.root;
    if (panel) tools.append(this.switch("curves", "curves", true, (on) => (panel.hidden = !on)));
    return tools;
  }

  private switch(
    icon: Icon, title: string, on: boolean, act: (on: boolean) => void,
  ): HTMLButtonElement {
    const made = button(icon, title, () => {
      const now = made.getAttribute("aria-pressed") !== "true";
      made.setAttribute("aria-pressed", String(now));
      act(now);
      this.stale = true;
    });
    made.setAttribute("aria-pressed", String(on));
    return made;
  }

  private save(): void {
    const link = element("a");
    link.href = this.picture();
    link.download = `${this.payload.title}.png`;
    link.click();
  }

  private key(event: KeyboardEvent): void {
    const typing = ["search", "number", "range"];
    if (event.target instanceof HTMLInputElement && typing.includes(event.target.type)) {
      if (!(event.target.type === "range" && event.key === " ")) return;
    }
    const [start, end] = ends(this.clip);
    const step = (end - start) / Math.max(1, this.clip.times.length - 1);
    const acts: Record<string, () => void> = {
      " ": () => (this.live?.playing || this.playing ? this.pause() : this.play()),
      ArrowLeft: () => this.seek(this.t - step),
      ArrowRight: () => this.seek(this.t + step),
      Home: () => (this.live ? this.live.reset() : this.seek(start)),
      End: () => this.seek(end),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

function none(): ClipData {
  return { label: "", detail: "", first: 0, times: [0], cyclic: false };
}

declare global {
  interface Window {
    kinetree?: Viewer;
  }
}

try {
  window.kinetree = new Viewer(readPayload());
  window.kinetree.start();
} catch (error) {
  const said = element("p", "failed", `The page cannot be shown: ${String(error)}`);
  document.body.append(said);
  throw error;
}
