// The socket that only tells: revisions of other tabs and scripts, runs, the file on the disk.
import type { FileEvent, RevisionEvent, RunEvent } from "../protocol/api";
import { loadRuns, takeRun } from "../runs/jobs";
import { reload } from "./document";
import { put, state } from "./state";

const AGAIN = 800; // after the connection was lost [ms]

export function hear(): void {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/api/events`);
  socket.addEventListener("open", () => {
    const lost = !state().connected;
    put({ connected: true });
    if (lost) void reload().then(loadRuns).catch(() => undefined);
  });
  socket.addEventListener("message", (event: MessageEvent<string>) => take(JSON.parse(event.data) as RevisionEvent | RunEvent | FileEvent));
  socket.addEventListener("close", () => {
    put({ connected: false });
    window.setTimeout(hear, AGAIN);
  });
}

function take(said: RevisionEvent | RunEvent | FileEvent): void {
  if (said.kind === "run") takeRun(said.run);
  else if (said.kind === "file") put({ file: said.state, fileNews: state().fileNews + 1 });
  else {
    const known = state().document;
    if (known && (said.revision > known.revision || (said.revision === known.revision && said.saved !== known.saved))) {
      window.setTimeout(() => {
        if ((state().document?.revision ?? 0) < said.revision || state().document?.saved !== said.saved) void reload();
      }, 250); // our own edit may be on its way
    }
  }
}
