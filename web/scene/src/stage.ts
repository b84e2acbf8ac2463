// Camera, light, floor and frame of reference; everything hangs on the direction of gravity.
import {
  AxesHelper, Box3, CircleGeometry, Color, DirectionalLight, HemisphereLight, LineBasicMaterial, LineSegments, Mesh,
  NeutralToneMapping, OrthographicCamera, PCFShadowMap, PerspectiveCamera, PMREMGenerator,
  Quaternion, Scene, ShadowMaterial, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { makeGrid } from "./grid";
import type { Canvas } from "./looks";
import type { Payload } from "./payload";

export const THEMES = {
  light: { back: "#eef1f5", grid: "#b4bdc8", main: "#8d98a6", shadow: 0.22 },
  dark: { back: "#2f3742", grid: "#535e6d", main: "#78859a", shadow: 0.5 },
};
/** Directions to look from: shares of right, back and up. */
export const SIDES: Record<string, [number, number, number]> = {
  front: [0, 1, 0.0001], back: [0, -1, 0.0001], left: [-1, 0, 0.0001], right: [1, 0, 0.0001], side: [1, 0, 0.0001],
  top: [0, 0.0001, 1], bottom: [0, 0.0001, -1],
};
const MARGIN = 1.12;
const FLAT = 0.15; // a mechanism that lies in the plane of the ground is seen from above
export type Theme = keyof typeof THEMES;

export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  camera: PerspectiveCamera | OrthographicCamera;
  private readonly lens: PerspectiveCamera;
  private readonly flat = new OrthographicCamera();
  readonly controls: OrbitControls;
  readonly up: Vector3;
  cell: number;
  private box: Box3;
  private centre: Vector3;
  /** Height above and below that something else covers [px]. */
  covered = 0;
  private theme: Theme = "light";
  private readonly axes: AxesHelper;
  private grid: LineSegments | null = null;
  private readonly floor: Mesh<CircleGeometry, ShadowMaterial>;
  private readonly sun = new DirectionalLight("#ffffff", 2.0);
  private readonly sky = new HemisphereLight("#ffffff", "#aab0ba");

  /** A plain picture has no shadows and no mirrored room: for machines without a graphics card. */
  constructor(
    private payload: Payload, readonly host: HTMLElement, plain: boolean, own?: Canvas,
  ) {
    this.up = new Vector3(...payload.up).normalize();
    this.box = new Box3(new Vector3(...payload.low), new Vector3(...payload.high));
    this.centre = this.box.getCenter(new Vector3());
    this.cell = niceStep(payload.size / 5);
    this.renderer = new WebGLRenderer(own ? { canvas: own.canvas, context: own.context } : { antialias: true, preserveDrawingBuffer: true });
    this.renderer.debug.checkShaderErrors = false; // asking waits for the other side
    this.renderer.setPixelRatio(this.ratio());
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.type = PCFShadowMap;
    host.append(this.renderer.domElement);
    const span = this.box.getSize(new Vector3()).length();
    this.camera = this.lens = new PerspectiveCamera(35, 1);
    this.fit(span);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.light(span);
    this.floor = this.makeFloor(span);
    this.axes = new AxesHelper(0.6 * this.cell);
    (this.axes.material as LineBasicMaterial).transparent = true; // drawn as the grid is
    this.scene.add(this.axes);
    if (!plain) this.refine();
  }

  /** Shadows and a room that is mirrored, from now on. */
  refine(): void {
    this.renderer.shadowMap.enabled = this.sun.castShadow = this.floor.visible = true;
    this.sky.intensity = 0.9;
    this.mirror();
  }

  private ratio(): number {
    return Math.min(2, window.devicePixelRatio);
  }

  /** Edges of a canvas without smooth ones: twice the pixels, for a picture that rests. Whether it was otherwise. */
  smooth(on: boolean): boolean {
    const ratio = on ? 2 : this.ratio();
    if (this.renderer.getPixelRatio() === ratio) return false;
    this.renderer.setPixelRatio(ratio);
    return true;
  }

  /** Another mechanism in the same view: floor, light and grid fit it, the camera stays. */
  measure(payload: Payload): void {
    this.payload = payload;
    this.up.set(...(payload.up as [number, number, number])).normalize();
    this.box = new Box3(new Vector3(...payload.low), new Vector3(...payload.high));
    this.centre = this.box.getCenter(new Vector3());
    this.cell = niceStep(payload.size / 5);
    const span = this.box.getSize(new Vector3()).length();
    this.fit(span);
    this.floor.quaternion.copy(turnFromY(this.up));
    this.floor.position.copy(this.snapped()).addScaledVector(this.up, -1e-3 * span);
    this.paint(this.theme);
  }

  /** What is near enough and far enough to be seen. */
  private fit(span: number): void {
    for (const camera of [this.lens, this.flat]) camera.up.copy(this.up);
    [this.lens.near, this.lens.far] = [span / 500, span * 50];
    [this.flat.near, this.flat.far] = [-span * 50, span * 50];
    this.lens.updateProjectionMatrix();
    this.flat.updateProjectionMatrix();
  }

  /** Parallel lines stay parallel, or what is far is small; what the camera looks at keeps its size. */
  project(orthographic: boolean): void {
    const next = orthographic ? this.flat : this.lens;
    if (next === this.camera) return;
    const { target } = this.controls;
    const away = this.camera.position.clone().sub(target).multiplyScalar(1 / this.flat.zoom);
    next.position.copy(target).add(away);
    next.quaternion.copy(this.camera.quaternion);
    this.camera = this.controls.object = next;
    this.frame();
    this.controls.update();
  }

  /** The part of the plane through what is looked at that the lens would see. */
  private frame(): void {
    const half = this.camera.position.distanceTo(this.controls.target) * Math.tan((Math.PI * this.lens.fov) / 360) || 1;
    [this.flat.top, this.flat.bottom] = [half, -half];
    [this.flat.right, this.flat.left] = [half * this.lens.aspect, -half * this.lens.aspect];
    this.flat.zoom = 1;
    this.flat.updateProjectionMatrix();
  }

  /** Colours of back and floor. */
  paint(theme: Theme): void {
    this.theme = theme;
    const colours = THEMES[theme];
    this.scene.background = new Color(colours.back);
    this.floor.material.opacity = colours.shadow;
    const shown = this.grid?.visible ?? true;
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.geometry.dispose();
    }
    const span = this.box.getSize(new Vector3()).length();
    const wide = (this.payload.follow > 0 ? 3.0 : 2.0) * this.payload.size;
    const cells = Math.min(400, 2 * Math.ceil((0.5 * span + wide) / this.cell));
    const main = this.payload.follow > 0 ? colours.grid : colours.main;
    const grid = makeGrid(cells, this.cell, new Color(main), new Color(colours.grid));
    grid.quaternion.copy(turnFromY(this.up));
    grid.position.copy(this.snapped());
    grid.visible = shown;
    this.scene.add(grid);
    this.grid = grid;
  }

  showGrid(shown: boolean): void {
    if (this.grid) this.grid.visible = shown;
    this.floor.visible = shown && this.renderer.shadowMap.enabled;
  }

  showAxes(shown: boolean): void {
    this.axes.visible = shown;
  }

  /** Light and floor for a mechanism that has travelled so far; the grid moves by whole cells. */
  travel(moved: Vector3): void {
    const step = this.centre.clone().add(this.level(moved)).sub(this.box.getCenter(new Vector3()));
    if (step.lengthSq() === 0) return;
    this.box.translate(step);
    this.sun.position.add(step);
    this.sun.target.position.add(step);
    this.floor.position.add(step);
    this.grid?.position.copy(this.snapped());
  }

  /** Move the camera along with something that has moved, keeping its height. */
  carry(moved: Vector3): void {
    const step = this.level(moved);
    this.camera.position.add(step);
    this.controls.target.add(step);
  }

  /** Look at everything that moves, from a direction given as (right, back, up) shares. */
  look(from: [number, number, number]): void {
    const centre = this.box.getCenter(new Vector3());
    const { right, back } = this.horizontal();
    const direction = new Vector3()
      .addScaledVector(right, from[0]).addScaledVector(back, from[1])
      .addScaledVector(this.up, from[2]).normalize();
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(direction);
    this.camera.lookAt(centre);
    this.camera.position.copy(centre).addScaledVector(direction, this.distance(centre));
    this.frame();
    this.controls.update();
  }

  /** Turn the camera about what it looks at [rad]. */
  orbit(sideways: number, upwards: number): void {
    const { target } = this.controls;
    const away = this.camera.position.clone().sub(target).applyAxisAngle(this.up, -sideways);
    const across = new Vector3().crossVectors(this.up, away).normalize();
    const steep = away.angleTo(this.up);
    const next = Math.min(Math.PI - 0.02, Math.max(0.02, steep - upwards));
    away.applyAxisAngle(across, next - steep);
    this.camera.position.copy(target).add(away);
    this.controls.update();
  }

  /** Go nearer, or further away where the factor is above one. */
  approach(factor: number): void {
    const { target } = this.controls;
    this.camera.position.sub(target).multiplyScalar(factor).add(target);
    if (this.camera === this.flat) this.flat.zoom /= factor;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /** Move what is looked at by shares of the picture. */
  shift(right: number, up: number): void {
    const far = this.camera.position.distanceTo(this.controls.target);
    const step = new Vector3(right * far, up * far, 0).applyQuaternion(this.camera.quaternion);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.controls.update();
  }

  /** How far the camera must stand back, as it is turned now, to see every corner of the box. */
  private distance(centre: Vector3): number {
    const slope = Math.tan((Math.PI * this.lens.fov) / 360) / MARGIN;
    const turn = this.camera.quaternion.clone().invert();
    const { min, max } = this.box;
    const high = this.host.clientHeight;
    const tall = high > 4 * this.covered ? high / (high - 2 * this.covered) : 1;
    let least = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(
        corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z,
      ).sub(centre).applyQuaternion(turn);
      const across = Math.max(tall * Math.abs(at.y), Math.abs(at.x) / this.lens.aspect);
      least = Math.max(least, across / slope + at.z);
    }
    return least || 1;
  }

  /** The direction in which the mechanism is thinnest, seen from which a planar one is plain. */
  broadside(): [number, number, number] {
    const { right, back } = this.horizontal();
    const size = this.box.getSize(new Vector3());
    const width = Math.abs(size.dot(absolute(right)));
    const depth = Math.abs(size.dot(absolute(back)));
    const height = Math.abs(size.dot(absolute(this.up)));
    const stays = this.payload.follow === 0;
    if (stays && height < FLAT * Math.max(width, depth)) return [0.2, 0.6, 1.2];
    return depth <= width ? [0.45, 1, 0.4] : [1, 0.45, 0.4];
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width < 2 || height < 2) return;
    this.renderer.setSize(width, height);
    this.lens.aspect = width / height;
    this.lens.updateProjectionMatrix();
    [this.flat.right, this.flat.left] = [this.flat.top * this.lens.aspect, this.flat.bottom * this.lens.aspect];
    this.flat.updateProjectionMatrix();
  }

  /** What a pixel of the screen is to a sprite that keeps its size. */
  pixel(): number {
    const high = this.host.clientHeight || 1;
    if (this.camera === this.flat) return (this.flat.top - this.flat.bottom) / this.flat.zoom / high;
    return (2 * Math.tan((Math.PI * this.lens.fov) / 360)) / high;
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }

  private level(v: Vector3): Vector3 {
    return v.clone().addScaledVector(this.up, -v.dot(this.up));
  }

  private horizontal(): { right: Vector3; back: Vector3 } {
    const along = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const right = along.addScaledVector(this.up, -along.dot(this.up)).normalize();
    const back = new Vector3().crossVectors(right, this.up).normalize();
    return { right, back };
  }

  private snapped(): Vector3 {
    const centre = this.box.getCenter(new Vector3());
    const { right, back } = this.horizontal();
    const snap = (v: Vector3): number => Math.round(centre.dot(v) / this.cell) * this.cell;
    return new Vector3().addScaledVector(right, snap(right)).addScaledVector(back, snap(back))
      .addScaledVector(this.up, this.payload.floor);
  }

  private mirror(): void {
    const surroundings = new PMREMGenerator(this.renderer);
    this.scene.environment = surroundings.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentIntensity = 0.45;
  }

  private light(span: number): void {
    const { right, back } = this.horizontal();
    const centre = this.box.getCenter(new Vector3());
    this.sky.intensity = 2.6;
    this.sky.position.copy(this.up);
    this.sun.position.copy(centre).addScaledVector(this.up, 2 * span)
      .addScaledVector(right, 0.7 * span).addScaledVector(back, 0.9 * span);
    this.sun.target.position.copy(centre);
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.normalBias = span / 600;
    const frame = this.sun.shadow.camera;
    frame.left = frame.bottom = -0.8 * span;
    frame.right = frame.top = 0.8 * span;
    frame.near = 0.1 * span;
    frame.far = 6 * span;
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  private makeFloor(span: number): Mesh<CircleGeometry, ShadowMaterial> {
    const floor = new Mesh(new CircleGeometry(3 * span, 48).rotateX(-Math.PI / 2),
      new ShadowMaterial({ opacity: 0.2 }));
    floor.quaternion.copy(turnFromY(this.up));
    floor.position.copy(this.snapped()).addScaledVector(this.up, -1e-3 * span);
    floor.receiveShadow = true;
    floor.visible = false; // it shows shadows, and nothing else
    this.scene.add(floor);
    return floor;
  }
}

function turnFromY(up: Vector3): Quaternion {
  return new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up);
}

function absolute(v: Vector3): Vector3 {
  return new Vector3(Math.abs(v.x), Math.abs(v.y), Math.abs(v.z));
}

/** The largest of 1, 2, 5 times a power of ten that is not above x. */
export function niceStep(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const share = x / power;
  return (share >= 5 ? 5 : share >= 2 ? 2 : 1) * power;
}
