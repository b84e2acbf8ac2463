// Names that face the camera, of the same size on the screen wherever they are; their letters are drawn once.
import { CanvasTexture, Group, Sprite, SpriteMaterial, SRGBColorSpace, type Camera, type Vector3 } from "three";
import type { Theme } from "./stage";

const TALL = 13; // letters on the screen [px]
const FINE = 4; // pixels of the picture of a name for one of the screen

/** A name, its size on the screen [px], and whether it has a colour of its own. */
interface Name {
  sprite: Sprite;
  wide: number;
  high: number;
  marked: boolean;
}

export class Names {
  readonly root = new Group();
  private readonly made = new Map<string, Name>();
  private readonly used = new Set<string>();

  /** What is not put again is gone at the end. */
  begin(): void {
    this.used.clear();
  }

  /** A text at a place; a pixel of the screen is so large for a sprite. */
  put(text: string, at: Vector3, pixel: number, theme: Theme, colour = ""): void {
    let key = `${theme} ${colour} ${text}`;
    while (this.used.has(key)) key += " "; // the same text twice
    const name = this.made.get(key) ?? words(text, theme, colour);
    if (!this.made.has(key)) this.root.add(name.sprite);
    this.made.set(key, name);
    this.used.add(key);
    name.sprite.position.copy(at);
    name.sprite.scale.set(name.wide * pixel, name.high * pixel, 1);
  }

  /** Of names that would cover each other in a picture of this size [px] the nearest is seen, marked ones before all. */
  spread(camera: Camera, wide: number, high: number): void {
    const shown: { name: Name; at: Vector3 }[] = [];
    const rows = [...this.made.values()].map((name) => ({ name, at: name.sprite.position.clone().project(camera) }));
    for (const row of rows.sort((a, b) => Number(b.name.marked) - Number(a.name.marked) || a.at.z - b.at.z)) {
      row.name.sprite.visible = !shown.some(({ name, at }) =>
        wide * Math.abs(at.x - row.at.x) < name.wide + row.name.wide && high * Math.abs(at.y - row.at.y) < name.high + row.name.high);
      if (row.name.sprite.visible) shown.push(row);
    }
  }

  end(): void {
    for (const [key, { sprite }] of this.made) {
      if (this.used.has(key)) continue;
      this.made.delete(key);
      sprite.removeFromParent();
      sprite.material.map?.dispose();
      sprite.material.dispose();
    }
  }
}

function words(text: string, theme: Theme, colour: string): Name {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const font = `500 ${FINE * TALL}px system-ui, sans-serif`;
  if (pen) {
    pen.font = font;
    canvas.width = Math.ceil(pen.measureText(text).width) + 4 * FINE;
    canvas.height = 1.5 * FINE * TALL;
    Object.assign(pen, { font, textAlign: "center", textBaseline: "middle", lineWidth: 3 * FINE, lineJoin: "round" });
    pen.strokeStyle = theme === "dark" ? "#15181d" : "#ffffff";
    pen.strokeText(text, canvas.width / 2, canvas.height / 2);
    pen.fillStyle = colour || (theme === "dark" ? "#e6eaf0" : "#1d232b");
    pen.fillText(text, canvas.width / 2, canvas.height / 2);
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const sprite = new Sprite(new SpriteMaterial({ map, depthTest: false, transparent: true, sizeAttenuation: false, toneMapped: false }));
  sprite.renderOrder = 3;
  return { sprite, wide: canvas.width / FINE, high: canvas.height / FINE, marked: colour !== "" };
}
