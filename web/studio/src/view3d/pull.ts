// A body that is pulled: the mechanism follows with its loops closed, one request at a time, the latest wish next.
import type { World } from "@kinetree/scene/world";
import type { ClosedPose } from "../protocol/api";
import { ask } from "../protocol/client";
import { tell } from "../store/state";

export class Pull {
  /** The last pose that was reached. */
  pose: ClosedPose | null = null;
  private wish: { body: string; at: number[]; to: number[] } | null = null;
  private busy = false;

  constructor(private readonly world: World, private readonly reached: (pose: ClosedPose) => void) {}

  take(body: string, at: number[], to: number[]): void {
    this.wish = { body, at, to };
    if (!this.busy) void this.follow();
  }

  private async follow(): Promise<void> {
    this.busy = true;
    try {
      while (this.wish) {
        const drag = this.wish;
        this.wish = null;
        this.pose = await ask<ClosedPose>("/api/pose", { start: this.pose?.q ?? {}, drag });
        this.world.place(this.pose.poses);
        this.reached(this.pose);
      }
    } catch (error) {
      tell((error as Error).message, true);
    } finally {
      this.busy = false;
    }
  }
}
