"""Python on NumPy: first lines of a module."""

from __future__ import annotations

from textwrap import dedent

from kinetree.targets.text.python.arrays import arrays

IMPORTS = dedent("""\
    import numpy as np
    from numpy import arccos as acos, arcsin as asin, arctan as atan, arctan2 as atan2
    from numpy import cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh


""")
TOOLS = dedent('''\
    def kt_look_up(table, order, x):
        """A derivative of a table: the cubic of the piece that x lies in."""
        knots, rows = (np.array(row) for row in table)
        return kt_cubic(rows[np.searchsorted(knots, x, side="right")], order, x)


    def kt_solve(A, X, n, k, symmetric):
        """A X = B; NaN where A is singular."""
        A, X = kt_system(A, X, n, k, symmetric)
        try:
            X = np.linalg.solve(A, X)
        except np.linalg.LinAlgError:
            X = kt_solve_each(A.reshape(-1, n, n), X.reshape(-1, n, k)).reshape(X.shape)
        return kt_split(X.reshape(X.shape[:-2] + (n * k,)))


    def kt_solve_each(A, X):
        found = np.full(X.shape, np.nan)
        for i in range(len(A)):
            try:
                found[i] = np.linalg.solve(A[i], X[i])
            except np.linalg.LinAlgError:
                pass
        return found


    def kt_newton(step, v, given, tolerance, limit):
        """h(v, w) = 0 by v - dv with J dv = h; NaN where the iterations do not suffice."""
        lead = kt_lead([*v, *(x for w in given for x in w)])
        v, *given = (kt_split(kt_stack(row, lead)) for row in (v, *given))
        going = np.ones(lead, dtype=bool)
        with np.errstate(all="ignore"):
            for count in range(limit + 1):
                h, dv = step(v, *given)
                going = going & ~np.all(np.abs(kt_stack(h, lead)) <= tolerance, axis=-1)
                if count == limit or not np.any(going):
                    break
                v = [np.where(going, a - b, a) for a, b in zip(v, dv)]
            return [np.where(going, np.nan, a) for a in v]

''')
PRELUDE = f"{IMPORTS}{arrays('np')}\n{TOOLS}"
