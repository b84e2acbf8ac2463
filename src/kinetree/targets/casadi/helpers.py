"""CasADi: first and last lines of a module.

The body runs once, on symbols; a Newton block then only hands out symbols for its solution, and
notes what it starts from and is given.  The loops are put in afterwards.
The derivatives of a solution are those of two more Newton steps at it: the first makes the first
derivative right, the second those up to the third.
"""

from __future__ import annotations

from textwrap import dedent

PRELUDE = dedent('''\
    import math

    import casadi as ca
    from casadi import (
        acos, asin, atan, atan2, cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh,
    )

    kt_blocks = []


    def kt_select(c, a, b):
        return ca.if_else(c > 0, a, b)


    def kt_look_up(table, order, x):
        """A derivative of a table: the sum of the pieces, of which one is not zero."""
        knots, rows = table
        found = ca.SX(0)
        for i, (start, *coefs) in enumerate(rows):
            value = 0.0
            for power in range(3, order - 1, -1):
                factor = math.perm(power, order)
                value = value * (x - start) + factor * coefs[power]
            below = x < knots[i] if i < len(knots) else ca.SX(1)
            here = below if i == 0 else ca.logic_and(x >= knots[i - 1], below)
            found += ca.if_else(here, value, 0)
        return found


    def kt_solve(A, X, n, k, symmetric):
        """A X = B: L'DL from the last row to the first, or by orthogonal factors."""
        if not symmetric:
            A = ca.sparsify(ca.reshape(ca.vertcat(*map(ca.SX, A)), n, n).T)
            X = ca.solve(A, ca.reshape(ca.vertcat(*map(ca.SX, X)), k, n).T)
            return ca.vertsplit(ca.vec(X.T))
        A, X = list(A), list(X)
        below = [[] for _ in range(n)]
        for i in range(n - 1, -1, -1):
            inverse = 1 / A[i * n + i]
            A[i * n + i] = inverse
            row = A[i * n : i * n + i]
            full = [j for j, x in enumerate(row) if not (isinstance(x, float) and x == 0)]
            for j in reversed(full):
                factor = A[i * n + j] * inverse
                for t in full:
                    if t <= j:
                        A[j * n + t] = A[j * n + t] - factor * A[i * n + t]
                A[i * n + j] = factor
                for r in range(k):
                    X[j * k + r] = X[j * k + r] - factor * X[i * k + r]
            below[i] = full
        for i in range(n):
            for r in range(k):
                X[i * k + r] = X[i * k + r] * A[i * n + i]
                for j in below[i]:
                    X[i * k + r] = X[i * k + r] - A[i * n + j] * X[j * k + r]
        return X


    def kt_newton(step, start, given, tolerance, limit):
        found = ca.SX.sym(f"v_{len(kt_blocks)}", len(start))
        rows = [ca.vertcat(*map(ca.SX, row)) for row in (start, *(given or ([],)))]
        kt_blocks.append((step, rows, bool(given), tolerance, limit, found))
        return ca.vertsplit(found)


    def kt_iteration(step, rows, given, tolerance, limit):
        """The Function (start, w) -> v, NaN where the iterations do not suffice."""
        n, m = rows[0].numel(), rows[1].numel()
        v, w = ca.SX.sym("v", n), ca.SX.sym("w", m)
        going = ca.SX.sym("going")
        arguments = [ca.vertsplit(x) for x in (v, w)[: 1 + given]]
        h, dv = (ca.vertcat(*map(ca.SX, row)) for row in step(*arguments))
        far = 1 - ca.logic_all(ca.fabs(h) <= tolerance)
        state = ca.vertcat(v, going)
        moved = ca.Function("moved", [state, w], [ca.vertcat(ca.if_else(far, v - dv, v), far)])
        still = ca.Function("still", [state, w], [state])
        once = ca.Function.if_else("once", moved, still)
        improved = ca.Function("improved", [v, w], [v - dv])
        last = ca.Function("last", [v, w], [ca.if_else(far, math.nan, v)])
        stop = ca.Function("stop", [v], [v], {"is_diff_in": [False], "never_inline": True})
        y, s, c = ca.MX.sym("y", n + 1), ca.MX.sym("s", n), ca.MX.sym("c", m)
        repeated = ca.Function("repeated", [y, c], [once(y[n], y, c)]).fold(limit)
        end = repeated(ca.vertcat(s, 1), ca.repmat(c, 1, limit))[:n]
        found = stop(last(end, c))
        again = improved(improved(found + s - stop(s), c), c)
        return ca.Function("newton", [s, c], [found + again - stop(again)])


    class kt_Function(ca.Function):
        """A Function with values for what is left out, where CasADi's own would take zero.

        values: name of an input -> its value, None where it must be given.
        """

        def __init__(self, function, values):
            super().__init__(function)
            self.values = values

        def call(self, given, *options):
            by_name = isinstance(given, dict)
            known = given if by_name else self.name_in()[: len(given)]
            left = [n for n in self.name_in() if n not in known and n in self.values]
            needed = [n for n in left if self.values[n] is None]
            if needed:
                raise TypeError(f"{self.name()}: there is no value for {', '.join(needed)}")
            more = {n: self.values[n] for n in left}
            given = {**more, **given} if by_name else [*given, *more.values()]
            return super().call(given, *options)

        def factory(self, *given):
            return kt_Function(super().factory(*given), self.values)

        def jacobian(self):
            return kt_Function(super().jacobian(), self.values)

        def expand(self, *given):
            return kt_Function(super().expand(*given), self.values)

        def __reduce__(self):
            return ca.Function.deserialize, (self.serialize(),)


    def kt_default(row):
        """The value of an input; None where it must be given."""
        _, shape, values, *_ = row
        if values is None:
            return None if math.prod(shape) else ca.DM(*(shape or (1,)))
        values = ca.DM(values)
        return ca.reshape(values, *shape[::-1]).T if len(shape) == 2 else values


    def kt_function(name, equations, inputs, outputs, names):
        """The Function of all equations."""
        options = {"default_in": [math.nan] * len(inputs)}
        values = dict(zip(names[0], map(kt_default, inputs)))
        made = kt_plain_function(name, equations, inputs, outputs, [*names, options])
        return kt_Function(made, values)


    def kt_plain_function(name, equations, inputs, outputs, names):
        shapes = [row[1][::-1] or (1,) for row in inputs]
        ins = [ca.SX.sym(row, *shape) for row, shape in zip(names[0], shapes)]
        given = [ca.vertsplit(ca.vec(x)) if x.numel() else [] for x in ins]
        results = [ca.vertcat(*map(ca.SX, row)) for row in equations(*given)]
        results = [
            ca.reshape(x, *shape[::-1]).T if len(shape) == 2 else x
            for x, (_, shape, _) in zip(results, outputs)
        ]
        ins = [x.T if len(shape) == 2 else x for x, (_, shape, *_) in zip(ins, inputs)]
        if not kt_blocks:
            return ca.Function(name, ins, results, *names)
        values = [ca.MX.sym(row, *x.shape) for row, x in zip(names[0], ins)]
        solved, symbols = [], []
        for step, rows, known, tolerance, limit, found in kt_blocks:
            before = ca.Function("before", [*ins, *symbols], rows)(*values, *solved)
            solved.append(kt_iteration(step, rows, known, tolerance, limit)(*before))
            symbols.append(found)
        after = ca.Function("after", [*ins, *symbols], results)
        return ca.Function(name, values, after.call([*values, *solved]), *names)

''')
LAST = dedent("""\
    kt_inputs = INPUTS
    kt_outputs = OUTPUTS
    DEFAULTS = {row[0]: row[2] for row in kt_inputs if row[2] is not None}
    NAME = kt_function(
        "LABEL", EQUATIONS, kt_inputs, kt_outputs,
        [
            IN_NAMES,
            OUT_NAMES,
        ],
    )
""")
