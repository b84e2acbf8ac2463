"""Tables on the device: constant arrays, and a function per derivative that looks one up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kinetree.tables import Lookup, pieces, weights

if TYPE_CHECKING:
    from kinetree.targets.cuda.precision import Precision

PER_LINE = 6
SEARCH = """\
/* the number of knots not above x */
static __device__ __forceinline__ int kt_piece(const real *knots, int count, real x)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high)/2;
        if (knots[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
"""


def name(row: Lookup) -> str:
    """The function that looks a derivative of a table up."""
    return f"kt_table_{row.table.digest}_d{row.order}"


def definitions(rows: Iterable[Lookup], kind: Precision) -> list[str]:
    """Arrays and functions of the tables that a file looks up, each once."""
    unique = dict.fromkeys(rows)
    tables = {row.table: None for row in unique}
    texts = [SEARCH] if unique else []
    for table in tables:
        knots = [kind.literal(x) for x in table.knots]
        flat = [kind.literal(x) for row in pieces(table).tolist() for x in row]
        texts.append(_array(f"kt_knots_{table.digest}", knots))
        texts.append(_array(f"kt_pieces_{table.digest}", flat))
    return [*texts, *(_function(row, kind) for row in unique)]


def _array(title: str, values: list[str]) -> str:
    rows = [", ".join(values[i : i + PER_LINE]) for i in range(0, len(values), PER_LINE)]
    inside = ",\n    ".join(rows)
    return f"static __device__ const real {title}[{len(values)}] = {{\n    {inside}\n}};\n"


def _function(row: Lookup, kind: Precision) -> str:
    """The polynomial of the piece by Horner; a coefficient of its derivative has a factor."""
    factors = weights(row.order)
    terms = [
        f"r[{1 + row.order + k}]"
        if factor == 1
        else f"{kind.literal(factor)}*r[{1 + row.order + k}]"
        for k, factor in enumerate(factors)
    ]
    value = terms[-1]
    for term in reversed(terms[:-1]):
        value = f"{term} + d*({value})"
    digest, count = row.table.digest, len(row.table.knots)
    lines = [
        f"static __device__ __forceinline__ real {name(row)}(const real x)",
        "{",
        f"    const real *r = kt_pieces_{digest} + 5*kt_piece(kt_knots_{digest}, {count}, x);",
        *(["    const real d = x - r[0];"] if len(factors) > 1 else []),
        f"    return {value};",
        "}\n",
    ]
    return "\n".join(lines)
