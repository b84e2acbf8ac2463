"""Linear systems in C and C++: one static function per size and pattern of zeros.

A symmetric matrix is factorised as Lᵀ D L from its last row to its first, which keeps the zeros of
a kinematic tree (Featherstone2008 sec. 6.5); the zeros are listed, so loops skip them.  A
general matrix is eliminated with row pivoting.

Refs: Featherstone2008 sec. 6.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.program.solving import filled_rows

if TYPE_CHECKING:
    from kinetree.program.program import Solve
    from kinetree.targets.text.c.family import CFamily


def pattern(block: Solve) -> tuple[tuple[int, ...], ...]:
    """Per row, the columns left of the diagonal that are not zero in L, fill-in included."""
    return tuple(tuple(sorted(row)) for row in filled_rows(block))


def symmetric_helper(language: CFamily, n: int, k: int, rows: tuple[tuple[int, ...], ...]) -> str:
    """`%s(A, X)`: X with A X = B in place of B; of A the lower triangle is read and used up."""
    columns = [j for row in rows for j in row]
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    listed = ", ".join(map(str, columns)) or "0"
    real, one = language.real, language.number(1)
    return f"""\
/* A X = B by A = L'DL from the last row to the first [Featherstone2008 sec. 6.5]; X is B before. */
{language.machines}{language.head("%s", public=False)}({real} A[{n * n}], {real} X[{n * k}])
{{
    static const int start[{n + 1}] = {{{", ".join(map(str, starts))}}};
    static const int column[{max(len(columns), 1)}] = {{{listed}}};
    int i, r, s, t;
    for (i = {n - 1}; i >= 0; i--) {{
        const {real} inverse = {one}/A[i*{n} + i];
        A[i*{n} + i] = inverse;
        for (s = start[i + 1] - 1; s >= start[i]; s--) {{
            const int j = column[s];
            const {real} l = A[i*{n} + j]*inverse;
            for (t = start[i]; t <= s; t++)
                A[j*{n} + column[t]] -= l*A[i*{n} + column[t]];
            A[i*{n} + j] = l;
            for (r = 0; r < {k}; r++)
                X[j*{k} + r] -= l*X[i*{k} + r];
        }}
    }}
    for (i = 0; i < {n}; i++) {{
        for (r = 0; r < {k}; r++)
            X[i*{k} + r] *= A[i*{n} + i];
        for (s = start[i]; s < start[i + 1]; s++)
            for (r = 0; r < {k}; r++)
                X[i*{k} + r] -= A[i*{n} + column[s]]*X[column[s]*{k} + r];
    }}
}}
"""


def general_helper(language: CFamily, n: int, k: int) -> str:
    """`%s(A, X)`: X with A X = B in place of B, by elimination with row pivoting."""
    real, one, zero = language.real, language.number(1), language.number(0)
    return f"""\
/* A X = B by elimination with row pivoting; X comes in as B, A is used up. */
{language.machines}{language.head("%s", public=False)}({real} A[{n * n}], {real} X[{n * k}])
{{
    int c, i, j, r;
    for (c = 0; c < {n}; c++) {{
        int best = c;
        {real} inverse;
        for (i = c + 1; i < {n}; i++)
            if (fabs{language.suffix}(A[i*{n} + c]) > fabs{language.suffix}(A[best*{n} + c]))
                best = i;
        for (j = c; j < {n} && best != c; j++) {{
            const {real} a = A[c*{n} + j];
            A[c*{n} + j] = A[best*{n} + j];
            A[best*{n} + j] = a;
        }}
        for (r = 0; r < {k} && best != c; r++) {{
            const {real} x = X[c*{k} + r];
            X[c*{k} + r] = X[best*{k} + r];
            X[best*{k} + r] = x;
        }}
        inverse = {one}/A[c*{n} + c];
        for (j = c + 1; j < {n}; j++)
            A[c*{n} + j] *= inverse;
        for (r = 0; r < {k}; r++)
            X[c*{k} + r] *= inverse;
        for (i = 0; i < {n}; i++) {{
            const {real} m = A[i*{n} + c];
            if (i == c || m == {zero})
                continue;
            for (j = c + 1; j < {n}; j++)
                A[i*{n} + j] -= m*A[c*{n} + j];
            for (r = 0; r < {k}; r++)
                X[i*{k} + r] -= m*X[c*{k} + r];
        }}
    }}
}}
"""
