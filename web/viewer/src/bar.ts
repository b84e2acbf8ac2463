// The bar below: play, time, speed, and the list of modes where there are several clips.
import type { ClipData, Payload } from "@kinetree/scene/payload";
import { button, draw, element } from "./page";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 20, 50, 100];
const PLEASANT = 8;

export interface BarEvents {
  play(): void;
  seek(t: number): void;
  speed(factor: number): void;
  clip(index: number): void;
}

export class Bar {
  readonly root = element("footer", "bar");
  private readonly toggle: HTMLButtonElement;
  private readonly slider = element("input", "time");
  private readonly label = element("output", "clock");
  private readonly speed = element("select", "speed");
  private readonly clips = element("select", "clips");
  private playing = false;

  constructor(payload: Payload, events: BarEvents) {
    this.toggle = button("play", "play or pause (space)", () => events.play());
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.max = "1";
    this.slider.step = "any";
    this.slider.setAttribute("aria-label", "time");
    this.slider.addEventListener("input", () => events.seek(Number(this.slider.value)));
    for (const factor of SPEEDS) this.speed.append(option(`${factor}×`, String(factor)));
    this.speed.title = "speed";
    this.speed.addEventListener("change", () => events.speed(Number(this.speed.value)));
    payload.clips.forEach((clip, k) => this.clips.append(option(clip.label, String(k))));
    this.clips.setAttribute("aria-label", "mode");
    this.clips.addEventListener("change", () => events.clip(Number(this.clips.value)));
    this.clips.hidden = payload.clips.length < 2 && !payload.clips[0]?.cyclic;
    this.label.id = "clock";
    this.root.append(this.clips, this.toggle, this.slider, this.label, this.speed);
  }

  /** Take over a clip; the speed at which it is pleasant to watch. */
  use(clip: ClipData, index: number): number {
    const [start, end] = ends(clip);
    this.slider.min = String(start);
    this.slider.max = String(end);
    this.clips.value = String(index);
    this.clips.title = clip.detail;
    this.root.hidden = clip.times.length < 2;
    const span = end - start;
    const wanted = clip.cyclic || (span >= 1 && span <= 60) ? 1 : span / PLEASANT;
    const fits = SPEEDS.filter((factor) => factor <= wanted * 1.0001);
    const factor = fits[fits.length - 1] ?? SPEEDS[0] ?? 1;
    this.speed.value = String(factor);
    return factor;
  }

  show(clip: ClipData, t: number, playing: boolean): void {
    const [start, end] = ends(clip);
    if (playing !== this.playing) draw(this.toggle, playing ? "pause" : "play");
    this.playing = playing;
    this.slider.value = String(t);
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(end - start || 1))));
    this.label.textContent = clip.cyclic
      ? `${Math.round((360 * (t - start)) / (end - start || 1))}°`
      : `${t.toFixed(digits)} s`;
  }
}

export function ends(clip: ClipData): [number, number] {
  return [clip.times[0] ?? 0, clip.times[clip.times.length - 1] ?? 0];
}

function option(text: string, value: string): HTMLOptionElement {
  const made = element("option", "", text);
  made.value = value;
  return made;
}
