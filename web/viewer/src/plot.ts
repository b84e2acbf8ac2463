// One plot: curves over time, ticks, a cursor that follows the animation and can be dragged.
import { niceStep } from "@kinetree/scene/stage";

export interface Curve {
  label: string;
  colour: string;
  values: ArrayLike<number>;
}

export interface Inks {
  text: string;
  line: string;
  cursor: string;
}

const LEFT = 58;
const RIGHT = 18;
const TOP = 8;
const BOTTOM = 22;

export class Plot {
  readonly canvas = document.createElement("canvas");
  private curves: Curve[] = [];
  private low = 0;
  private high = 1;

  constructor(private readonly times: number[], seek: (t: number) => void) {
    this.canvas.className = "plot";
    const pick = (event: PointerEvent): void => {
      if (event.buttons === 0 && event.type !== "pointerdown") return;
      const share = (event.offsetX - LEFT) / Math.max(1, this.width() - LEFT - RIGHT);
      seek(this.start() + Math.min(1, Math.max(0, share)) * (this.end() - this.start()));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      pick(event);
    });
    this.canvas.addEventListener("pointermove", pick);
  }

  show(curves: Curve[]): void {
    this.curves = curves;
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves) {
      for (let i = 0; i < curve.values.length; i++) {
        const value = curve.values[i] ?? NaN;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    const margin = high > low ? 0.06 * (high - low) : Math.max(1e-9, 0.1 * Math.abs(high));
    this.low = low - margin;
    this.high = high + margin;
  }

  draw(t: number, inks: Inks): void {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.width(), this.canvas.clientHeight];
    if (width < 2 || height < 2) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    this.ticks(pen, inks);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP, width - LEFT - RIGHT, height - TOP - BOTTOM);
    pen.clip();
    for (const curve of this.curves) this.trace(pen, curve);
    pen.strokeStyle = inks.cursor;
    pen.lineWidth = 1.5;
    line(pen, this.x(t), TOP, this.x(t), height - BOTTOM);
    pen.restore();
  }

  private ticks(pen: CanvasRenderingContext2D, inks: Inks): void {
    const [width, height] = [this.width(), this.canvas.clientHeight];
    pen.strokeStyle = inks.line;
    pen.fillStyle = inks.text;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const rows = Math.max(2, Math.floor((height - TOP - BOTTOM) / 32));
    for (const value of steps(this.low, this.high, rows)) {
      line(pen, LEFT, this.y(value), width - RIGHT, this.y(value));
      pen.fillText(brief(value, this.high - this.low), LEFT - 6, this.y(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const span = this.end() - this.start();
    for (const value of steps(this.start(), this.end(), Math.max(2, Math.floor(width / 70)))) {
      line(pen, this.x(value), TOP, this.x(value), height - BOTTOM);
      pen.fillText(brief(value, span), this.x(value), height - BOTTOM + 5);
    }
  }

  private trace(pen: CanvasRenderingContext2D, curve: Curve): void {
    pen.strokeStyle = curve.colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    let drawing = false;
    for (let i = 0; i < curve.values.length; i++) {
      const value = curve.values[i] ?? NaN;
      const [x, y] = [this.x(this.times[i] ?? 0), this.y(value)];
      if (!Number.isFinite(value)) drawing = false;
      else if (drawing) pen.lineTo(x, y);
      else {
        pen.moveTo(x, y);
        drawing = true;
      }
    }
    pen.stroke();
  }

  private x(t: number): number {
    const span = this.end() - this.start() || 1;
    return LEFT + ((t - this.start()) / span) * (this.width() - LEFT - RIGHT);
  }

  private y(value: number): number {
    const height = this.canvas.clientHeight - TOP - BOTTOM;
    return TOP + height * (1 - (value - this.low) / (this.high - this.low));
  }

  private width(): number {
    return this.canvas.clientWidth;
  }

  private start(): number {
    return this.times[0] ?? 0;
  }

  private end(): number {
    return this.times[this.times.length - 1] ?? 1;
  }
}

function line(pen: CanvasRenderingContext2D, a: number, b: number, c: number, d: number): void {
  pen.beginPath();
  pen.moveTo(a, b);
  pen.lineTo(c, d);
  pen.stroke();
}

/** Round values between two bounds, about `count` of them. */
export function steps(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const least = (high - low) / count;
  const floor = niceStep(least);
  const step = [1, 2, 2.5, 5].map((k) => niceStep(1.0001 * k * floor)).find((x) => x >= least) ??
    10 * floor;
  const out: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) out.push(k * step);
  return out;
}

/** A number with as many digits as tell it from its neighbours `span` apart. */
export function brief(value: number, span: number): string {
  if (!Number.isFinite(value)) return "–";
  const large = Math.max(Math.abs(value), span);
  if (large >= 1e5 || (large > 0 && large < 1e-3)) {
    return value === 0 ? "0" : value.toExponential(2).replace("e", "·10^");
  }
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span || 1))));
  return value.toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
