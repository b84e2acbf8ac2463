// Values with a unit of their own, as people type and spreadsheets have them: the file has SI units.

/** Units that are understood, by the unit that is wanted. */
export const UNITS: Record<string, Record<string, number>> = {
  m: { m: 1, mm: 1e-3, cm: 1e-2, dm: 0.1, um: 1e-6, km: 1e3, in: 0.0254, ft: 0.3048 },
  kg: { kg: 1, g: 1e-3, mg: 1e-6, t: 1e3, lb: 0.45359237 },
  "kg.m2": { "kg.m2": 1, "kg.mm2": 1e-6, "kg.cm2": 1e-4, "g.mm2": 1e-9, "g.cm2": 1e-7, "t.mm2": 1e-3, "t.m2": 1e3 },
};
export const VALUE = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Zµ][\w.*·²^]*)?$/;
/** A unit as the table has it. */
export const spelled = (unit: string): string => unit.replace(/[*·]/g, ".").replace(/²|\^2/g, "2").replace("µ", "u");

/** The text of a value in the unit that is wanted; null for a unit that is not known there. */
export function inUnits(text: string, unit: string, factor = 1): string | null {
  const [, digits = "", own] = VALUE.exec(text.trim()) ?? [];
  if (!digits) return text;
  const scale = own === undefined ? factor : unit ? UNITS[unit]?.[spelled(own)] : own === "deg" ? 1 : undefined;
  if (scale === undefined) return unit ? null : text;
  return scale === 1 ? (own && !unit ? text : digits) : String(Number((Number(digits) * scale).toPrecision(15)));
}
