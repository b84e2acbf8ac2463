"""MATLAB and Octave: solvers of linear systems, Newton's method, tables."""

from __future__ import annotations

from kinetree.tables import pieces
from kinetree.targets.text.tables import Tables, list_numbers, polynomial

SOLVE = """\
% A X = B; A and X are read and given row by row; of a symmetric A the lower triangle is filled.
function X = kt_solve(A, X, n, k, symmetric)
    A = reshape(A, n, n).';
    if symmetric
        A = A + tril(A, -1).';
    end
    X = reshape((A\\reshape(X, k, n).').', n*k, 1);
end
"""
NEWTON = """\
% h(v, w) = 0 by v = v - dv with J dv = h; v comes in as the start and is NaN where this fails.
function v = NAME(ARGUMENTS)
    for count = 0:LIMIT
        [h, dv] = NAME_step(ARGUMENTS);
        if all(abs(h) <= TOLERANCE)
            return
        end
        v = v - dv;
    end
    v(:) = NaN;
end
"""
SELECT = """\
function y = kt_select(c, a, b)
    if c > 0
        y = a;
    else
        y = b;
    end
end
"""

REAL = """\
function y = kt_NAME(ARGUMENTS)
    y = NAME(ARGUMENTS);
    if ~isreal(y)
        y = NaN;
    end
end
"""
BOUNDED = {"sqrt": "x", "asin": "x", "acos": "x", "log": "x", "power": "x, p"}
"""Functions that give complex numbers beyond their range, where all other languages give NaN."""


def real(name: str) -> str:
    """A function that stays real."""
    return REAL.replace("NAME", name).replace("ARGUMENTS", BOUNDED[name])


def lookups(tables: Tables) -> list[str]:
    """Per table a function that finds the piece, per derivative one that evaluates it."""
    texts = []
    for table, name in tables.names.items():
        rows = [f"        {list_numbers(row, repr)}" for row in pieces(table).tolist()]
        knots = [f"        {x!r}" for x in table.knots]
        texts.append(
            f"function r = {name}_piece(x)\n    persistent knots rows\n    if isempty(knots)\n"
            "        knots = [\n" + "\n".join(knots) + "];\n"
            "        rows = [\n" + "\n".join(rows) + "];\n    end\n"
            "    r = rows(sum(knots <= x) + 1, :);\nend\n"
        )
    for row in tables.rows:
        value = polynomial(row.order, lambda power: f"r({2 + power})", repr)
        texts.append(
            f"function y = {tables.function(row)}(x)\n"
            f"    r = {tables.names[row.table]}_piece(x);\n"
            f"    d = x - r(1);\n    y = {value};\nend\n"
        )
    return texts
