// A block of a spreadsheet put into a table: headings, decimal commas, units; nothing of it is left out without a word.
import type { Operation } from "../protocol/text";
import { inUnits, spelled, UNITS, VALUE } from "../panel/units";
import { rowEdit, type Column, type Grid, type GridRow } from "./grid";

/** What a block is as edits, or why it is none. */
export interface Pasted {
  operations: Operation[];
  wrong: string;
}

const COMMA = /^[-+]?\d+,\d+(?:[eE][-+]?\d+)?(?:\s*[a-zA-Z][\w.*·²^]*)?$/;
const POINT = /^[-+]?\d*\.\d+/;

/** Rows of cells: of a spreadsheet, or of a text whose cells are parted by semicolons. */
export function block(text: string): string[][] {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n");
  const mark = !text.includes("\t") && lines.every((line) => line.includes(";")) ? ";" : "\t";
  return lines.map((line) => line.split(mark).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
}

interface Heading {
  columns: (Column | null)[];
  factors: number[];
  named: boolean;
}

/** A block put into a table at a cell; column -1 is that of names. Rows of unknown names are added. */
export function blockEdit(grid: Grid, row: number, column: number, cells: string[][]): Pasted {
  const head = heading(grid, cells[0] ?? []);
  if (typeof head === "string") return { operations: [], wrong: head };
  const body = plainNumbers((head ? cells.slice(1) : cells).filter((texts) => texts.some((text) => text !== "")));
  const at = head ?? below(grid, column);
  const wide = Math.max(...body.map((texts) => texts.length - (at.named ? 1 : 0)));
  if (wide > at.columns.length) return { operations: [], wrong: `The block has ${wide} columns of values, and there are ${at.columns.length} from here on; nothing was pasted.` };
  const first = head && !head.named ? Math.max(0, row) : row;
  const over = first + body.length - grid.rows.length;
  if (!at.named && over > 0) {
    return { operations: [], wrong: `The block has ${body.length} rows, ${over} more than the table from here on; put names in its first column and paste it there, and rows are added. Nothing was pasted.` };
  }
  const made: Operation[] = [];
  for (const [k, texts] of body.entries()) {
    const name = at.named ? (texts[0] ?? "") : "";
    const said = at.named ? texts.slice(1) : texts;
    const changes: [Column, string][] = [];
    for (const [c, text] of said.entries()) {
      const to = at.columns[c];
      if (!to || text === "") continue; // an empty cell says nothing
      const value = inUnits(text, to.unit, at.factors[c] ?? 1);
      if (value === null) return { operations: [], wrong: `The unit of '${text}' in row ${k + 1} is none of ${Object.keys(UNITS[to.unit] ?? {}).join(", ")}; nothing was pasted.` };
      changes.push([to, value]);
    }
    const target = at.named ? grid.rows.find((one) => one.name === name) : grid.rows[first + k];
    if (target) made.push(...rowEdit(target, changes));
    else {
      const added = name ? fresh(grid, name, changes) : null;
      if (!added) return { operations: [], wrong: name ? `'${name}' in row ${k + 1} is no name of a row${grid.title === "points" ? ", which are written body.point" : ""}; nothing was pasted.` : `Row ${k + 1} has no name; nothing was pasted.` };
      made.push(added);
    }
  }
  return { operations: made, wrong: "" };
}

/** The operation that adds a row with the values of its cells. */
function fresh(grid: Grid, name: string, changes: [Column, string][]): Operation | null {
  const row: GridRow = { path: "", name, at: [], value: {} };
  const edits = rowEdit(row, changes).filter((one) => one[0] === "set");
  return grid.add(name, Object.fromEntries(edits.map((one) => [String((one[1] as string[])[0]), one[2]])));
}

const below = (grid: Grid, column: number): Heading => ({ columns: grid.columns.slice(Math.max(0, column)), factors: [], named: column < 0 });

/** What a row of headings says: columns by their titles, perhaps with a unit; null for a row of values, a sentence for headings that are unknown. */
function heading(grid: Grid, texts: string[]): Heading | string | null {
  const found = texts.map((text) => {
    const [, title = "", unit = ""] = /^(.*?)\s*(?:[[(]\s*(.*?)\s*[\])])?$/.exec(text) ?? [];
    return { text, title: plain(title), unit };
  });
  const columns = found.map(({ title }) => grid.columns.find((one) => plain(one.title) === title) ?? null);
  if (!columns.some(Boolean) || texts.some((text) => VALUE.test(text) || COMMA.test(text))) return null;
  const named = columns[0] === null;
  const values = named ? found.slice(1) : found;
  const held = named ? columns.slice(1) : columns;
  const lost = values.find((_, k) => held[k] === null);
  if (lost) return `There is no column '${lost.text}'; nothing was pasted.`;
  const factors = values.map(({ unit }, k) => (unit ? UNITS[held[k]?.unit ?? ""]?.[spelled(unit)] : 1));
  const odd = factors.findIndex((factor) => factor === undefined);
  if (odd >= 0) return `The unit in '${values[odd]?.text}' is not one of ${held[odd]?.unit ?? ""}; nothing was pasted.`;
  return { columns: held, factors: factors as number[], named };
}

const plain = (title: string): string => title.trim().toLowerCase().replace(/[\s_]+/g, " ");
/** Decimal commas as points, where no cell of the block has a decimal point. */
function plainNumbers(cells: string[][]): string[][] {
  const all = cells.flat();
  if (!all.some((text) => COMMA.test(text)) || all.some((text) => POINT.test(text))) return cells;
  return cells.map((texts) => texts.map((text) => (COMMA.test(text) ? text.replace(",", ".") : text)));
}
