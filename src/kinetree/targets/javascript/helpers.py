"""JavaScript: solvers of linear systems, Newton's method, tables."""

from __future__ import annotations

from kinetree.tables import pieces
from kinetree.targets.text.tables import Tables, break_lines, list_numbers, polynomial

SYMMETRIC = """\
// A X = B by A = L'DL from the last row to the first [Featherstone2008 sec. 6.5]; X is B before.
// Of A the lower triangle is read and used up; its zeros are skipped.
function kt_solve_symmetric(A, X, n, k) {
    for (let i = n - 1; i >= 0; i--) {
        const inverse = 1/A[i*n + i];
        A[i*n + i] = inverse;
        for (let j = i - 1; j >= 0; j--) {
            const l = A[i*n + j]*inverse;
            if (l === 0) continue;
            for (let t = 0; t <= j; t++) A[j*n + t] -= l*A[i*n + t];
            A[i*n + j] = l;
            for (let r = 0; r < k; r++) X[j*k + r] -= l*X[i*k + r];
        }
    }
    for (let i = 0; i < n; i++) {
        for (let r = 0; r < k; r++) X[i*k + r] *= A[i*n + i];
        for (let j = 0; j < i; j++) {
            const l = A[i*n + j];
            if (l === 0) continue;
            for (let r = 0; r < k; r++) X[i*k + r] -= l*X[j*k + r];
        }
    }
}
"""
GENERAL = """\
// A X = B by elimination with row pivoting; X comes in as B, A is used up.
function kt_solve_general(A, X, n, k) {
    for (let c = 0; c < n; c++) {
        let best = c;
        for (let i = c + 1; i < n; i++)
            if (Math.abs(A[i*n + c]) > Math.abs(A[best*n + c])) best = i;
        if (best !== c) {
            for (let j = c; j < n; j++)
                [A[c*n + j], A[best*n + j]] = [A[best*n + j], A[c*n + j]];
            for (let r = 0; r < k; r++)
                [X[c*k + r], X[best*k + r]] = [X[best*k + r], X[c*k + r]];
        }
        const inverse = 1/A[c*n + c];
        for (let j = c + 1; j < n; j++) A[c*n + j] *= inverse;
        for (let r = 0; r < k; r++) X[c*k + r] *= inverse;
        for (let i = 0; i < n; i++) {
            const m = A[i*n + c];
            if (i === c || m === 0) continue;
            for (let j = c + 1; j < n; j++) A[i*n + j] -= m*A[c*n + j];
            for (let r = 0; r < k; r++) X[i*k + r] -= m*X[c*k + r];
        }
    }
}
"""
NEWTON = """\
// h(v, w) = 0 by v -= dv with J dv = h; v comes in as the start and is NaN where this fails.
function NAME(ARGUMENTS) {
    const h = new Float64Array(EQUATIONS), dv = new Float64Array(UNKNOWNS);
    for (let count = 0; count <= LIMIT; count++) {
        NAME_step(ARGUMENTS, h, dv);
        if (h.every((x) => Math.abs(x) <= TOLERANCE)) return;
        for (let i = 0; i < UNKNOWNS; i++) v[i] -= dv[i];
    }
    v.fill(NaN);
}
"""
SEARCH = """\
// the number of knots not above x
function kt_piece(knots, x) {
    let low = 0, high = knots.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (knots[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}
"""


def table_helpers(tables: Tables) -> list[str]:
    """Arrays and a function per derivative, in order of first use."""
    texts = [SEARCH] if tables.rows else []
    for table, name in tables.names.items():
        rows = [f"    [{list_numbers(row, repr)}]," for row in pieces(table).tolist()]
        texts.append(
            f"const {name}_knots = [\n{break_lines(list_numbers(table.knots, repr))}\n];\n"
            f"const {name}_pieces = [\n" + "\n".join(rows) + "\n];\n"
        )
    for row in tables.rows:
        name = tables.names[row.table]
        value = polynomial(row.order, lambda power: f"r[{1 + power}]", repr)
        texts.append(
            f"function {tables.function(row)}(x) {{\n"
            f"    const r = {name}_pieces[kt_piece({name}_knots, x)];\n"
            f"    const d = x - r[0];\n    return {value};\n}}\n"
        )
    return texts
