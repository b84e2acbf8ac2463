// Forces and torques in joints and closures as arrows on the mechanism, from the run of reactions that belongs to the run shown.
import { locate } from "@kinetree/scene/motion";
import { unpack, type Packed } from "@kinetree/scene/payload";
import type { Effort, World } from "@kinetree/scene/world";
import { useEffect, useState } from "react";
import type { EffortsMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import { start } from "../runs/jobs";
import { state, tell, useStudio } from "../store/state";

interface Arrows {
  run: number;
  said: EffortsMessage;
  forces: Float32Array[];
  torques: Float32Array[];
}

/** Arrows while the layer is shown; reactions that nobody has asked for yet are run. */
export function useEfforts(world: { current: World | null }, shown: boolean): void {
  const { run, t } = useStudio((s) => s.clock);
  const runs = useStudio((s) => s.runs);
  const [arrows, setArrows] = useState<Arrows | null>(null);
  const moves = runs.find((one) => one.id === run)?.analysis === "simulate";
  const own = runs.findLast((one) => one.analysis === "reactions" && one.options["run"] === run && one.state !== "cancelled");
  useEffect(() => {
    if (shown && moves && !own && run !== null) void start("reactions", { run }, state().tab, false);
  }, [shown, moves, own?.id, run]);
  useEffect(() => {
    setArrows(null);
    if (!shown || !own || own.state !== "finished") return;
    void ask<EffortsMessage>(`/api/runs/${own.id}/efforts`).then(
      (said) => setArrows({ run: own.id, said, forces: unpack(said.forces as unknown as Packed), torques: unpack(said.torques as unknown as Packed) }),
      (error: Error) => tell(error.message, true),
    );
  }, [shown, own?.id, own?.state]);
  useEffect(() => {
    world.current?.push(arrows ? at(arrows, t) : [], { force: arrows?.said.strongest ?? 1, torque: arrows?.said.strongest_torque ?? 1 });
    if (arrows) document.body.dataset["efforts"] = String(arrows.run);
    else delete document.body.dataset["efforts"];
  }, [arrows, t, world]);
}

/** Forces and torques at a time, mixed between two frames. */
function at({ said, forces, torques }: Arrows, t: number): Effort[] {
  const { row, share } = locate(said.time, t);
  const value = (columns: Float32Array[], k: number): number => {
    const [a = 0, b = a] = [columns[k]?.[row], columns[k]?.[row + 1]];
    return a + share * (b - a);
  };
  const three = (columns: Float32Array[], k: number): number[] => [0, 1, 2].map((i) => value(columns, 3 * k + i));
  return said.marks.map((mark, k) => ({ body: mark.body, at: mark.at, force: three(forces, k), torque: three(torques, k) }));
}
