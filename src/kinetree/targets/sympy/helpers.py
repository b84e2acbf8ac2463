"""SymPy: first and last lines of a module."""

from __future__ import annotations

from textwrap import dedent

PRELUDE = dedent('''\
    import math

    import sympy as sp
    from sympy import Piecewise, Rational
    from sympy import acos, asin, atan, atan2, cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh

    equations = []


    def kt_let(name, expression):
        """A symbol for an expression, unless it is a symbol or a number itself."""
        expression = sp.sympify(expression)
        if expression.is_Atom:
            return expression
        symbol = sp.Symbol(name, real=True)
        equations.append((symbol, expression))
        return symbol


    def kt_select(c, a, b):
        return Piecewise((a, c > 0), (b, True))


    def kt_look_up(table, order, x):
        """A derivative of a table: the cubic of the piece that x lies in."""
        knots, rows = table
        pieces = []
        for i, (start, *coefs) in enumerate(rows):
            value = 0
            for power in range(3, order - 1, -1):
                factor = math.perm(power, order)
                value = value * (x - start) + factor * coefs[power]
            pieces.append((value, x < knots[i] if i < len(knots) else True))
        return Piecewise(*pieces)


    def kt_solve(A, X, n, k, symmetric):
        """A X = B, every step a symbol of its own."""
        place = f"s{len(equations)}"
        rows = [[*A[i * n : i * n + n], *X[i * k : i * k + k]] for i in range(n)]
        solved = kt_symmetric if symmetric else kt_general
        solved(rows, n, lambda i, j, x: kt_let(f"{place}_{len(equations)}_{i}_{j}", x))
        return [x for row in rows for x in row[n:]]


    def kt_symmetric(rows, n, let):
        """A = L'DL from the last row to the first."""
        below = {}
        for i in reversed(range(n)):
            rows[i][i] = let(i, i, 1 / sp.sympify(rows[i][i]))
            below[i] = [j for j in range(i) if rows[i][j] != 0]
            for j in reversed(below[i]):
                factor = let(i, j, rows[i][j] * rows[i][i])
                for t in (*(t for t in below[i] if t <= j), *range(n, len(rows[i]))):
                    rows[j][t] = let(j, t, rows[j][t] - factor * rows[i][t])
                rows[i][j] = factor
        for i in range(n):
            for t in range(n, len(rows[i])):
                known = sum(rows[i][j] * rows[j][t] for j in below[i])
                rows[i][t] = let(i, t, rows[i][t] * rows[i][i] - known)


    def kt_general(rows, n, let):
        """Elimination; the largest entry of a column comes up by exchanges of two rows."""
        width = len(rows[0])
        for c in range(n):
            for i in range(c + 1, n):
                if rows[i][c] == 0:
                    continue
                larger = abs(rows[i][c]) > abs(rows[c][c])
                for t in range(c, width):
                    a, b = rows[c][t], rows[i][t]
                    rows[c][t] = let(c, t, Piecewise((b, larger), (a, True)))
                    rows[i][t] = let(i, t, Piecewise((a, larger), (b, True)))
            inverse = let(c, c, 1 / sp.sympify(rows[c][c]))
            for t in range(c + 1, width):
                rows[c][t] = let(c, t, rows[c][t] * inverse)
            for i in range(n):
                if i != c and rows[i][c] != 0:
                    for t in range(c + 1, width):
                        rows[i][t] = let(i, t, rows[i][t] - rows[i][c] * rows[c][t])


    def kt_symbols(row):
        """Symbols of the components of an input."""
        name, shape, _, _, labels = row
        labels = labels or range(1, math.prod(shape) + 1)
        return tuple(sp.Symbol(f"{name}.{label}", real=True) for label in labels)


    def kt_shaped(components, shape):
        return sp.Array(components, shape) if shape else sp.sympify(components[0])

''')
LAST = dedent("""\
    kt_inputs = INPUTS
    kt_outputs = OUTPUTS
    inputs = {row[0]: kt_symbols(row) for row in kt_inputs}
    values = {row[0]: row[2] for row in kt_inputs if row[2] is not None}
    outputs = {
        row[0]: kt_shaped(found, row[1])
        for row, found in zip(kt_outputs, EQUATIONS(*inputs.values()))
    }
""")
