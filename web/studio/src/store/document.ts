// The document: edits go to the server one after the other, what follows from the text comes back.
import type { DocumentChange, DocumentText, ElementsMessage, ResolveMessage, ViewMessage } from "../protocol/api";
import { ask, Refusal, Silence } from "../protocol/client";
import { difference, rebased, splice, type Operation } from "../protocol/text";
import { sceneOf } from "./scene";
import { shown } from "./shown";
import { put, state, tell, type ModelData, type StudioState } from "./state";

const PAUSE = 400; // after typing, before the text is sent [ms]
const TRIES = 5; // of an edit, while others are first
const EDIT = "/api/document/edit";
const AGAIN = 700; // before a request that nobody answered is made again [ms]

let queue: Promise<unknown> = Promise.resolve();
let typed: string | null = null;
let typedOn = ""; // the text to which it was typed
let sending: string | null = null; // what was typed before, and is on its way
let timer = 0;

/** Requests that change the text go one after the other; one that nobody answers waits for the studio. Whether it was obeyed. */
function inTurn(path: string, body: () => unknown): Promise<boolean> {
  let tries = TRIES;
  const made = queue.then(async () => {
    for (;;) {
      try {
        take(await ask<DocumentChange>(path, body()));
        tell("");
        return true;
      } catch (error) {
        if (error instanceof Silence) {
          put({ connected: false });
          await new Promise((done) => window.setTimeout(done, AGAIN));
          continue;
        }
        tell((error as Error).message, true);
        if (!(error instanceof Refusal) || error.status !== 409) return false;
        take(await ask<DocumentText>("/api/document")); // others were first: the same on the text as it is now
        if (path !== EDIT || (tries -= 1) === 0) return false;
      }
    }
  });
  queue = made.then(() => void look());
  return made;
}

function take(said: DocumentChange | DocumentText): void {
  const before = state().document;
  let text = before?.text ?? "";
  if ("text" in said) text = said.text;
  else if (said.splice) text = splice(text, said.splice);
  put({ document: { ...said, text }, connected: true });
}

/** Make operations one edit of the history. */
export async function edit(operations: Operation[], label: string): Promise<boolean> {
  if (!operations.length) return false;
  await flush();
  return inTurn(EDIT, () => ({ base: state().document?.revision ?? 0, operations, label }));
}

export async function verb(name: "undo" | "redo" | "save"): Promise<void> {
  await flush();
  await inTurn(`/api/document/${name}`, () => ({}));
}

/** Go on with a file that was changed on the disk. */
export async function resolve(choice: ResolveMessage["choice"], more: Omit<Partial<ResolveMessage>, "choice"> = {}): Promise<void> {
  await flush();
  if (await inTurn("/api/document/resolve", () => ({ choice, ...more }))) put({ file: "known" });
}

/** Text that was typed; it is sent after a pause. */
export function type(text: string): void {
  if (typed === null) typedOn = sending ?? state().document?.text ?? "";
  typed = text;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void flush(), PAUSE);
}

/** Send what was typed. */
export async function flush(): Promise<void> {
  window.clearTimeout(timer);
  const [now, on] = [typed, typedOn];
  if (now === null) return;
  [typed, sending] = [null, now];
  await inTurn(EDIT, () => {
    const { revision = 0, text = "" } = state().document ?? {};
    return { base: revision, operations: [difference(text, rebased(on, now, text))], label: "typed" };
  });
  if (sending !== now) return;
  sending = null;
  put({ sent: state().sent + 1 });
}

/** What was typed and is not in the document yet. */
export function pending(): string | null {
  return typed ?? sending;
}

/** Take the document as the server has it. */
export async function reload(): Promise<void> {
  const looked = look();
  take(await ask<DocumentText>("/api/document"));
  await looked;
}

let looking = false;
let again = false;

/** Ask for what follows from the text; changes meanwhile are looked at once more. */
export async function look(): Promise<void> {
  if (looking) {
    again = true;
    return;
  }
  looking = true;
  try {
    do {
      again = false;
      await lookOnce();
    } while (again);
  } catch (error) {
    if (error instanceof Silence) put({ connected: false });
    else tell((error as Error).message, true);
  } finally {
    looking = false;
  }
}

/** What follows from the text in one answer; where loops have to be derived for it, data and findings come first. */
async function lookOnce(): Promise<void> {
  const known = state().view;
  if (known === null) {
    takeView(await ask<ViewMessage>("/api/view"));
    return;
  }
  const said = await ask<ViewMessage>(`/api/view?since=${known}&early=1`);
  if (said.partial) takeEarly(said);
  takeView(said.partial ? await ask<ViewMessage>(`/api/view?since=${known}`) : said);
}

/** Everything at once, so that the page is drawn once; what is as it was stays the same object. */
function takeView(said: ViewMessage): void {
  const { check, elements, values, drawing, scene } = said;
  const change: Partial<StudioState> = { view: said.revision, check };
  if (elements) Object.assign(change, read(elements));
  if (values) change.values = values.values;
  if (!said.kept.includes("drawing")) Object.assign(change, drawing ? { drawing, stale: false } : { stale: true });
  if (scene) change.scene = sceneOf(scene, state().scene);
  if (scene || said.kept.includes("scene")) change.standing = said.revision;
  put(change);
  shown("checked", said.revision);
}

/** Tree, forms and findings of a text whose loops are still looked at. */
function takeEarly({ check, elements, values, revision }: ViewMessage): void {
  const before = state().check;
  put({
    ...(elements ? read(elements) : {}), ...(values ? { values: values.values } : {}),
    ...(before ? { check: { ...before, findings: check.findings } } : {}),
  });
  shown("findings", revision);
}

function read({ data }: ElementsMessage): Partial<StudioState> {
  return isMapping(data) ? { readable: true, data: data as ModelData } : { readable: false };
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
