// The studio in the browser. The text that the server holds is the document; everything here shows it.
import "@xyflow/react/dist/style.css";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { createRoot } from "react-dom/client";
import type { CatalogueMessage } from "./protocol/api";
import { ask, Refusal, Silence } from "./protocol/client";
import { App } from "./shell/App";
import { edit } from "./store/document";
import { openDesk } from "./store/files";
import { hear } from "./store/events";
import { dress, put, state, tell, type Values } from "./store/state";

Object.assign(window, { kinetreeEdit: edit }); // for scripts that drive the page
dress();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);

/** What forms are made of. */
async function loadKinds(): Promise<void> {
  const [schema, { kinds, outlines }] = await Promise.all([ask<Values>("/api/schema"), ask<CatalogueMessage>("/api/catalogue")]);
  put({ schema, catalogue: kinds, outlines });
}

async function begin(): Promise<void> {
  void import("./view3d/View3d"); // large, and wanted as soon as a file is open
  if (state().tab === "text") void import("./text/TextPane");
  await Promise.all([openDesk(), loadKinds()]);
  hear();
}
// what is refused, and nobody waits for the answer, is told like any other mistake
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof Refusal) tell(event.reason.message, true);
  else if (event.reason instanceof Silence) put({ connected: false });
  else return;
  event.preventDefault();
});
begin().catch((error: Error) => tell(error.message, true));
