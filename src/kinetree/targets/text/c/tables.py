"""Tables in C and C++: constant arrays, and a function per derivative that looks one up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.tables import Lookup, Table, pieces, weights
from kinetree.targets.text.tables import Tables, break_lines, list_numbers, polynomial

if TYPE_CHECKING:
    from kinetree.targets.text.c.family import CFamily

SEARCH = """\
/* the number of knots not above x */
static inline int kt_piece(const REAL *knots, int count, REAL x)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high)/2;
        if (knots[middle] <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
"""


def table_helpers(language: CFamily, tables: Tables) -> list[str]:
    """Definitions of arrays and functions, in order of first use."""
    stored = "double" if language.before else language.real
    texts = [SEARCH.replace("REAL", stored)] if tables.rows else []
    texts += [_arrays(stored, name, table) for table, name in tables.names.items()]
    return texts + [_definition(language, stored, tables, row) for row in tables.rows]


def _definition(language: CFamily, stored: str, tables: Tables, row: Lookup) -> str:
    """The polynomial of the piece; in C++ its coefficients become numbers of the type asked for."""
    name, count = tables.names[row.table], len(row.table.knots)
    real = language.real if language.before else ""

    def read(index: int) -> str:
        return f"{real}(r[{index}])" if real else f"r[{index}]"

    at = f"static_cast<{stored}>(x)" if real else "x"
    value = polynomial(row.order, lambda power: read(1 + power), language.number)
    lines = [
        language.inline(tables.function(row)),
        "{",
        f"    const {stored} *r = {name}_pieces[kt_piece({name}_knots, {count}, {at})];",
    ]
    if len(weights(row.order)) > 1:
        lines.append(f"    const {language.real} d = x - {read(0)};")
    return "\n".join([*lines, f"    return {value};", "}\n"])


def _arrays(stored: str, name: str, table: Table) -> str:
    """The knots, and per piece its start and the coefficients of its cubic."""
    rows = [f"{{{list_numbers(row, repr)}}}" for row in pieces(table).tolist()]
    return (
        f"static const {stored} {name}_knots[{len(table.knots)}] = {{\n"
        f"{break_lines(list_numbers(table.knots, repr))}\n}};\n\n"
        f"static const {stored} {name}_pieces[{len(rows)}][5] = {{\n"
        + ",\n".join(break_lines(row) for row in rows)
        + "\n};\n"
    )
