// Code of the equations for another program: any quantity in any language, an FMU, a C package; as an archive.
import type { ReactElement } from "react";
import { perform } from "../actions/table";
import { download } from "../protocol/client";
import { cancel, isGoing, title } from "../runs/jobs";
import { RunForm } from "../runs/RunForm";
import { useStudio } from "../store/state";

export default function Code(): ReactElement {
  const made = useStudio((s) => s.runs).filter((run) => run.analysis === "generate");
  return (
    <div className="runs code">
      <section className="run-list" aria-label="Generate code"><RunForm only="generate" /></section>
      <section className="result scroll" aria-label="Archives" tabIndex={0}>
        <div className="tools"><button type="button" onClick={() => perform("share-live")}>Share a page that simulates</button> <span className="hint">one file with sliders, for browsers without a network</span></div>
        {!made.length && <p className="hint">Choose a language and a quantity: the files come as an archive.</p>}
        <table className="facts"><tbody>
          {made.toReversed().map((run) => (
            <tr key={run.id}>
              <th scope="row">{title(run)}</th>
              <td>{Object.entries(run.options).map(([name, value]) => `${name} ${String(value)}`).join(", ")}</td>
              <td>
                {isGoing(run) && <button type="button" onClick={() => void cancel(run.id)}>cancel</button>}
                {run.state === "finished" && <button type="button" onClick={() => download(`/api/runs/${run.id}/archive.zip`, `${String(run.options["target"] ?? "code")}${run.id}.zip`)}>download</button>}
                {run.state === "failed" && <span className="error">{run.error}</span>}
              </td>
            </tr>
          ))}
        </tbody></table>
      </section>
    </div>
  );
}
