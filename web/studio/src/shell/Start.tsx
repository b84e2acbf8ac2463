// The first start: a new model, an example, an imported robot, or a file of the folder.
import { useState, type ReactElement } from "react";
import type { FilesMessage } from "../protocol/api";
import { newFile, openFile } from "../store/files";
import { useStudio } from "../store/state";

export function Start({ files }: { files: FilesMessage }): ReactElement {
  const notice = useStudio((s) => s.notice);
  return (
    <main className="start" aria-label="Start">
      <h1>kinetree studio</h1>
      <Choices files={files} />
      <p role="status" className="error">{notice?.text}</p>
    </main>
  );
}

/** What there is to open, and what can be made. */
export function Choices({ files }: { files: FilesMessage }): ReactElement {
  const [name, setName] = useState("mechanism.yaml");
  const [example, setExample] = useState("");
  const [source, setSource] = useState("");
  const models = files.files.filter((file) => file.kind === "model");
  const robots = files.files.filter((file) => file.kind === "import");
  return (
    <>
      <p className="hint">folder {files.folder}</p>
      <form onSubmit={(event) => { event.preventDefault(); void newFile(name, example, source); }}>
        <h2>New model</h2>
        <div className="row"><label htmlFor="new-name">file</label><div className="inputs">
          <input id="new-name" className="entry wide" value={name} autoFocus spellCheck={false} onChange={(event) => setName(event.target.value)} /></div></div>
        <div className="row"><label htmlFor="new-example">begin with</label><div className="inputs">
          <select id="new-example" className="entry" value={example} onChange={(event) => { setExample(event.target.value); setSource(""); }}>
            <option value="">an empty model</option>
            {files.examples.map((one) => <option key={one} value={one}>{one.replaceAll("_", " ")}</option>)}
          </select></div></div>
        {robots.length > 0 && <div className="row"><label htmlFor="new-source">or import</label><div className="inputs">
          <select id="new-source" className="entry" value={source} onChange={(event) => { setSource(event.target.value); setExample(""); }}>
            <option value="">nothing</option>
            {robots.map((file) => <option key={file.name} value={file.name}>{file.name}</option>)}
          </select></div></div>}
        <footer><button type="submit" className="primary">Create</button></footer>
      </form>
      <section aria-label="Files of the folder">
        <h2>Open</h2>
        {!models.length && <p className="hint">There is no model in this folder yet.{robots.length === 0 && " A URDF, MJCF or SDF file put here can be imported."}</p>}
        <ul className="plain">{models.map((file) => <li key={file.name}><button type="button" className="link" disabled={file.name === files.open} onClick={() => void openFile(file.name)}>{file.name}</button>{file.name === files.open && <span className="dim"> is open</span>}</li>)}</ul>
      </section>
    </>
  );
}
