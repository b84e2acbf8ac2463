// Materials of solids: matt ones that a processor draws quickly, or ones that mirror the room.
import { MeshLambertMaterial, MeshStandardMaterial, type Material, type MeshStandardMaterialParameters } from "three";

export type SolidMaterial = MeshStandardMaterial | MeshLambertMaterial;

/** A material of what is said; roughness and metal are seen in a fine picture only. */
export function solidMaterial(fine: boolean, said: MeshStandardMaterialParameters): SolidMaterial {
  if (fine) return new MeshStandardMaterial(said);
  const { roughness: _, metalness: __, ...rest } = said;
  return new MeshLambertMaterial(rest);
}

export function isSolid(material: Material | Material[]): material is SolidMaterial {
  return material instanceof MeshStandardMaterial || material instanceof MeshLambertMaterial;
}

export interface Canvas {
  canvas: HTMLCanvasElement;
  context: WebGL2RenderingContext;
  /** Whether a graphics card draws it; else the processor does. */
  card: boolean;
}

const PROCESSORS = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * A canvas to draw on: of a graphics card with smooth edges, or of the processor without.
 * @throws {Error} where there is neither.
 */
export function openCanvas(): Canvas {
  const plain = canvasWith(false);
  return isProcessor(plain.context) ? { ...plain, card: false } : { ...canvasWith(true), card: true };
}

function canvasWith(antialias: boolean): { canvas: HTMLCanvasElement; context: WebGL2RenderingContext } {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { antialias, alpha: true });
  if (!context) throw new Error("no context of WebGL 2");
  return { canvas, context };
}

/** Whether pictures are computed without a graphics card, as its name tells. */
function isProcessor(context: WebGL2RenderingContext): boolean {
  return PROCESSORS.test(rendererName(context));
}

export function rendererName(context: WebGL2RenderingContext | WebGLRenderingContext): string {
  const known = context.getExtension("WEBGL_debug_renderer_info");
  return String(context.getParameter(known ? known.UNMASKED_RENDERER_WEBGL : context.RENDERER));
}
