// Curves of runs: put side by side.
export interface Curve {
  run: number;
  name: string;
  time: number[];
  values: number[];
}

/** The largest value, and when. */
export function largest(curve: Curve): { value: number; time: number } {
  let at = 0;
  curve.values.forEach((value, k) => {
    if (Math.abs(value) > Math.abs(curve.values[at] ?? 0)) at = k;
  });
  return { value: curve.values[at] ?? 0, time: curve.time[at] ?? 0 };
}

/** Curves over one list of times; a curve without a row there has none. */
export function joined(curves: Curve[]): [number[], ...(number | null)[][]] {
  const [first] = curves;
  if (first && curves.every((curve) => curve.time === first.time)) return [first.time, ...curves.map((curve) => curve.values)]; // of one run
  const times = [...new Set(curves.flatMap((curve) => curve.time))].sort((a, b) => a - b);
  const place = new Map(times.map((t, k) => [t, k]));
  return [times, ...curves.map((curve) => {
    const row = Array.from<number | null>({ length: times.length }).fill(null);
    curve.time.forEach((t, k) => (row[place.get(t) ?? 0] = curve.values[k] ?? null));
    return row;
  })];
}
