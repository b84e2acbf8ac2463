// The folder: which file is open, and how another one is opened or made.
import type { DocumentText, FilesMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import { close } from "../live/session";
import { forgetMotions, loadRuns } from "../runs/jobs";
import { reload } from "./document";
import { put, solid, tell, wind } from "./state";

/** The file that is open; without one, what there is to open. */
export async function openDesk(): Promise<void> {
  const files = await ask<FilesMessage>("/api/files");
  put({ files });
  if (files.open === null) return;
  await Promise.all([reload(), loadRuns()]);
}

/** What the folder has now. */
export async function listFiles(): Promise<void> {
  put({ files: await ask<FilesMessage>("/api/files") });
}

async function go(path: string, body: unknown): Promise<void> {
  try {
    await ask<DocumentText>(path, body);
    put({ document: null, view: null, check: null, drawing: null, scene: null, runs: [], selection: [], lit: [], shares: null, sheet: null });
    solid({ hidden: [], faded: [], moving: false, pulling: false });
    wind({ run: null, ghost: null, clip: 0, t: 0, playing: false });
    forgetMotions();
    close();
    await openDesk();
  } catch (error) {
    tell((error as Error).message, true);
  }
}

export const openFile = (name: string): Promise<void> => go("/api/files/open", { name });
export const newFile = (name: string, example = "", source = ""): Promise<void> => go("/api/files/new", { name, example, source });
