// Rows that an analysis found: in pages, as a file, and as points of one column over another.
import { useState, type ReactElement } from "react";
import { Choice, short } from "../panel/inputs";
import { downloadText } from "../protocol/client";

const PAGE = 100; // rows of a page
const FEW = 3; // rows, below which points say nothing
const [WIDE, HIGH, LEFT, LOW] = [420, 230, 62, 30]; // of the picture, and of its margins [px]

type Row = Record<string, unknown>;

export function Rows({ name, rows, action }: { name: string; rows: Row[]; action?: { title: string; of: (k: number) => ReactElement } }): ReactElement {
  const [page, setPage] = useState(0);
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => row[column] !== "" && row[column] !== null && typeof row[column] !== "object"));
  const pages = Math.ceil(rows.length / PAGE);
  const first = Math.min(page, pages - 1) * PAGE;
  const table = (): string => [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => line.map(cell).join(",")).join("\n") + "\n";
  return (
    <div className="found">
      {name === "runs" && <Points rows={rows} columns={columns} />}
      <div className="tools">
        <strong>{name}</strong> <span className="dim">{rows.length}</span>
        {pages > 1 && <>
          <button type="button" disabled={first === 0} onClick={() => setPage(page - 1)}>earlier</button> {first + 1} to {Math.min(first + PAGE, rows.length)}
          <button type="button" disabled={first + PAGE >= rows.length} onClick={() => setPage(page + 1)}>later</button>
        </>}
        <button type="button" onClick={() => downloadText(table(), `${name}.csv`, "text/csv")}>CSV</button>
      </div>
      <table className="facts" aria-label={name}>
        <thead><tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}{action && <th scope="col">{action.title}</th>}</tr></thead>
        <tbody>{rows.slice(first, first + PAGE).map((row, k) => (
          <tr key={first + k}>{columns.map((column) => <td key={column}>{told(row[column])}</td>)}{action && <td>{action.of(first + k)}</td>}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** A value in a few words. */
export function told(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : short(value, 6);
  if (Array.isArray(value)) return value.map(told).join(", ") || "none";
  if (value === null || value === undefined) return "–";
  if (typeof value !== "object") return String(value);
  return Object.keys(value).length ? JSON.stringify(value) : "none";
}

/** A cell of a table of commas. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One column over another. */
function Points({ rows, columns }: { rows: Row[]; columns: string[] }): ReactElement | null {
  const numeric = columns.filter((column) => rows.some((row) => typeof row[column] === "number"));
  const [x, setX] = useState("");
  const [y, setY] = useState("");
  const [a, b] = [x || (numeric[0] ?? ""), y || (numeric.at(-1) ?? "")];
  const pairs = rows.map((row): [unknown, unknown] => [row[a], row[b]]).filter((pair): pair is [number, number] => pair.every((one) => typeof one === "number" && Number.isFinite(one)));
  if (numeric.length < 2 || pairs.length < FEW) return null;
  const ends = (at: 0 | 1): [number, number] => pairs.reduce<[number, number]>(([low, high], pair) => [Math.min(low, pair[at]), Math.max(high, pair[at])], [Infinity, -Infinity]);
  const [[left, right], [low, high]] = [ends(0), ends(1)];
  const across = (value: number): number => LEFT + ((value - left) / (right - left || 1)) * (WIDE - LEFT - 12);
  const up = (value: number): number => HIGH - LOW - ((value - low) / (high - low || 1)) * (HIGH - LOW - 12);
  return (
    <figure className="points">
      <div className="tools">
        <Choice label="column upwards" value={b} choices={numeric} commit={setY} /> over <Choice label="column along the axis" value={a} choices={numeric} commit={setX} />
      </div>
      <svg width={WIDE} height={HIGH} role="img" aria-label={`${b} over ${a}: ${pairs.length} points, from ${short(low)} to ${short(high)}`}>
        <path d={`M${LEFT},8V${HIGH - LOW}H${WIDE - 8}`} />
        <text x={LEFT - 5} y={16} textAnchor="end">{short(high, 4)}</text><text x={LEFT - 5} y={HIGH - LOW} textAnchor="end">{short(low, 4)}</text>
        <text x={LEFT} y={HIGH - 10}>{short(left, 4)}</text><text x={WIDE - 8} y={HIGH - 10} textAnchor="end">{short(right, 4)}</text>
        <text x={(LEFT + WIDE) / 2} y={HIGH - 10} textAnchor="middle">{a}</text>
        {pairs.map(([one, two], k) => <circle key={k} cx={across(one)} cy={up(two)} r={pairs.length > 300 ? 1.6 : 3}><title>{`${a} ${short(one)}, ${b} ${short(two)}`}</title></circle>)}
      </svg>
    </figure>
  );
}
