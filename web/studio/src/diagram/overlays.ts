// What the diagram shows beside the drawing, where it is wanted: roles of coordinates, shares of the operations.
import { useEffect } from "react";
import type { DiagramMessage, SharesMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import { put, state, tell, useStudio } from "../store/state";

type Joint = DiagramMessage["joints"][number];

/** What the partition makes of the steps of a joint; a step of several coordinates is what the first of them is. */
export function rolesOf(joint: Joint, roles: Record<string, string>): string[] {
  const found = joint.coordinates.map((name) => roles[name] ?? (joint.driven ? "driven" : "independent"));
  if (joint.steps.length === joint.coordinates.length) return found;
  const best = ["independent", "dependent", "driven"].find((role) => found.includes(role)) ?? "";
  return joint.steps.map(() => best);
}

export function percent(share: number): string {
  return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

/** Count the operations of the text as it is, while they are shown. */
export function useShares(): void {
  const shown = useStudio((s) => s.overlays.includes("shares"));
  const revision = useStudio((s) => s.drawing?.revision ?? -1);
  useEffect(() => {
    if (!shown || revision < 0) return;
    void ask<SharesMessage>("/api/shares").then(
      ({ shares }) => state().drawing?.revision === revision && put({ shares }),
      (error: Error) => { put({ shares: null }); tell(error.message, true); },
    );
  }, [shown, revision]);
}
