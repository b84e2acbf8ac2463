// A matrix of a linear model, its rows and columns by name.
import type { ReactElement } from "react";
import { short } from "../panel/inputs";

export type Table = number[][];

/** Of which lists of names the rows and columns of a matrix are. */
const NAMES: Record<string, [string, string]> = { A: ["states", "states"], B: ["states", "inputs"], C: ["outputs", "states"], D: ["outputs", "inputs"] };

export function Matrix({ name, table, facts }: { name: string; table: Table; facts: Record<string, unknown> }): ReactElement {
  const names = (which: 0 | 1, count: number): string[] => {
    const found = facts[NAMES[name]?.[which] ?? ""];
    return Array.isArray(found) && found.length === count ? (found as string[]) : Array.from({ length: count }, (_, k) => String(k + 1));
  };
  const columns = names(1, table[0]?.length ?? 0);
  const rows = names(0, table.length);
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={`matrix ${name}`}>
      <table className="facts" aria-label={name}>
        <thead><tr><th scope="col">{name}</th>{columns.map((word) => <th key={word} scope="col">{word}</th>)}</tr></thead>
        <tbody>{table.map((row, k) => <tr key={rows[k]}><th scope="row">{rows[k]}</th>{row.map((value, n) => <td key={columns[n]} className={value === 0 ? "dim" : ""}>{short(value, 6)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}
