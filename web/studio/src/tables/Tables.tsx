// Tables of points, bodies, joints and parameters: arrows move, a block of a spreadsheet can be pasted.
import { useMemo, useState, type ClipboardEvent, type KeyboardEvent, type ReactElement } from "react";
import { rename } from "../actions/elements";
import { TextInput } from "../panel/inputs";
import { inUnits } from "../panel/units";
import { edit } from "../store/document";
import { recall, remember } from "../store/remember";
import { select, tell, useStudio } from "../store/state";
import { cell, grids, rowEdit, type Grid } from "./grid";
import { block, blockEdit } from "./paste";

export default function Tables(): ReactElement {
  const data = useStudio((s) => s.data);
  const [name, setName] = useState(() => recall("table", "points"));
  const all = useMemo(() => grids(data), [data]);
  const grid = all[name];
  return (
    <div className="tables">
      <div className="tools" role="toolbar" aria-label="Tables">
        {Object.keys(all).map((one) => (
          <button key={one} type="button" aria-pressed={one === name} onClick={() => { setName(one); remember("table", one); }}>{one}</button>
        ))}
        <span className="hint">A block copied from a spreadsheet can be pasted into any cell; with names in its first column, rows are found by name or added; headings say columns and units.</span>
      </div>
      {grid && <Sheet grid={grid} />}
    </div>
  );
}

function Sheet({ grid }: { grid: Grid }): ReactElement {
  const selection = useStudio((s) => s.selection);
  const paste = (event: ClipboardEvent<HTMLTableElement>): void => {
    const cells = block(event.clipboardData.getData("text/plain"));
    const at = (event.target as Element).closest<HTMLElement>("td, th[data-row]");
    if (!at || (cells.length < 2 && (cells[0]?.length ?? 0) < 2)) return;
    event.preventDefault();
    const { operations, wrong } = blockEdit(grid, Number(at.dataset["row"]), Number(at.dataset["column"]), cells);
    if (wrong || !operations.length) return tell(wrong || "The block has no values; nothing was pasted.", true);
    (document.activeElement as HTMLElement | null)?.blur();
    void edit(operations, `paste ${cells.length} rows into ${grid.title}`);
  };
  const key = (event: KeyboardEvent<HTMLTableElement>): void => {
    const at = (event.target as Element).closest<HTMLElement>("td, th[data-row]");
    const input = event.target as HTMLInputElement;
    const inside = input.tagName === "INPUT" && input.selectionStart !== input.selectionEnd;
    const [left, right] = [input.selectionStart === 0, input.selectionEnd === input.value?.length];
    const steps: Record<string, [number, number] | undefined> = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0], ...(left && !inside ? { ArrowLeft: [0, -1] } : {}), ...(right && !inside ? { ArrowRight: [0, 1] } : {}),
    };
    const step = steps[event.key];
    if (!at || !step) return;
    const [row, column] = [Number(at.dataset["row"]) + step[0], Number(at.dataset["column"]) + step[1]];
    const next = event.currentTarget.querySelector<HTMLInputElement>(`[data-row="${row}"][data-column="${column}"] input`);
    next?.focus();
    next?.select();
    if (next) event.preventDefault();
  };
  const add = (name: string): void => {
    const made = name.trim() ? grid.add(name.trim(), {}) : null;
    if (made) void edit([made], `add ${name.trim()}`);
    else if (name.trim()) tell(`'${name.trim()}' is no name of a point; write body.point.`, true);
  };
  const last = grid.rows.length;
  return (
    <div className="scroll">
      <table className="grid" aria-label={`Table of ${grid.title}`} onPaste={paste} onKeyDown={key}>
        <thead>
          <tr><th scope="col">name</th>{grid.columns.map((column) => (
            <th key={column.title} scope="col">{column.title} <span className="unit-of">{column.unit}</span></th>))}</tr>
        </thead>
        <tbody>
          {grid.rows.map((row, r) => (
            <tr key={row.path} className={selection.includes(row.path) ? "chosen" : ""} onFocus={() => select([row.path])}>
              <th scope="row" data-row={r} data-column={-1}>
                <TextInput label={`name of ${row.name}`} value={row.name} commit={(text) => void rename(row.path, text.split(".").at(-1) ?? "")} />
              </th>
              {grid.columns.map((column, c) => (
                <td key={column.title} data-row={r} data-column={c}>
                  <TextInput label={`${row.name} ${column.title}`} value={cell(row, column)}
                    commit={(text) => void edit(rowEdit(row, [[column, inUnits(text, column.unit) ?? text]]), `set ${row.name} ${column.title}`)} />
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row" data-row={last} data-column={-1}><TextInput key={last} label={`name of a new row of ${grid.title}`} hint={`new${grid.title === "points" ? " body.point" : ""}`} value="" commit={add} /></th>
            {grid.columns.map((column, c) => <td key={column.title} data-row={last} data-column={c} />)}
          </tr>
        </tbody>
      </table>
    </div>
  );
}
