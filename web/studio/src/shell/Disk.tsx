// What happened to the file outside of the studio: yours, what both began with, and the disk, side by side.
import { useEffect, useState, type ReactElement } from "react";
import type { DifferenceMessage, ThreeWayMessage } from "../protocol/api";
import { ask } from "../protocol/client";
import { MergeLines, type Choice } from "./MergeLines";
import { written } from "../panel/inputs";
import { Lines } from "../runs/Lines";
import { resolve } from "../store/document";
import { tell, useStudio } from "../store/state";

export function Disk(): ReactElement {
  const file = useStudio((s) => s.file);
  const recovered = useStudio((s) => s.document?.recovered ?? 0);
  const name = useStudio((s) => s.document?.file ?? "");
  const [seen, setSeen] = useState(false);
  return (
    <div className="disk">
      {file !== "known" && <ThreeWay name={name} />}
      {recovered > 0 && !seen && <p className="note" role="note">{recovered} unsaved edits of an earlier session were recovered; undo takes them back one by one.
        <button type="button" onClick={() => setSeen(true)}>Keep</button></p>}
    </div>
  );
}

function ThreeWay({ name }: { name: string }): ReactElement | null {
  const [found, setFound] = useState<ThreeWayMessage | null>(null);
  const [choices, choose] = useState<Choice[]>([]); // here, so that they outlive a file that is gone for a moment
  const revision = useStudio((s) => s.document?.revision);
  const news = useStudio((s) => s.fileNews);
  const look = (): void => void ask<ThreeWayMessage>("/api/document/disk").then(setFound, (error: Error) => tell(error.message, true));
  useEffect(look, [revision, news]);
  if (!found || found.state === "known") return null;
  const gone = found.state === "removed";
  return (
    <section className="three" role="alert" aria-label="The file on the disk">
      <p className="warning">{name} {gone ? "is gone from the disk" : found.state === "unreadable" ? "cannot be read any more" : "has changed on the disk since it was read"}.
        Nothing is overwritten until you choose, and undo takes the choice back.</p>
      {found.conflicts.length > 0 && (
        <table className="facts"><thead><tr><th scope="col">changed by both</th><th scope="col">yours</th><th scope="col">before</th><th scope="col">disk</th></tr></thead>
          <tbody>{found.conflicts.map((row) => (
            <tr key={row.path.join(".")}><th scope="row">{row.path.join(".")}</th><td>{written(row.mine)}</td><td>{written(row.base)}</td><td>{written(row.disk)}</td></tr>
          ))}</tbody></table>
      )}
      {found.disk !== null && <Texts />}
      {found.disk !== null && found.stamp && <MergeLines found={found} choices={choices} choose={choose} again={look} />}
      <p>
        <button type="button" onClick={() => void resolve("mine")}>Keep mine</button>
        <button type="button" disabled={found.disk === null} onClick={() => void resolve("disk")}>Take the disk</button>
        <button type="button" disabled={!found.can_merge} onClick={() => void resolve("both")}>Take both, by element</button>
      </p>
    </section>
  );
}

/** What each of the two texts has changed, line by line: from what was read to yours, and from the disk to yours. */
function Texts(): ReactElement {
  const [open, setOpen] = useState(false);
  const [lines, setLines] = useState<[string, string[]][]>([]);
  const revision = useStudio((s) => s.document?.revision);
  useEffect(() => {
    if (!open) return;
    const asked = [["what you changed since it was saved", "saved"], ["how yours differs from the disk (− disk, + yours)", "disk"]] as const;
    Promise.all(asked.map(async ([title, against]): Promise<[string, string[]]> => [
      title, (await ask<DifferenceMessage>(`/api/document/diff?against=${against}`)).lines,
    ])).then(setLines, (error: Error) => tell(error.message, true));
  }, [open, revision]);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Lines that differ</summary>
      {lines.map(([title, rows]) => <section key={title} aria-label={title}><h3>{title}</h3><Lines lines={rows} /></section>)}
    </details>
  );
}
