"""PyTorch: first lines of a module.

An iteration runs without derivatives.  Those of its solution are the ones of two more Newton steps
at it, as in CasADi: the first makes the first derivative right, the second those up to the third.
Inside `torch.func.vmap` nothing can be looked at, so that all iterations are made.
"""

from __future__ import annotations

from textwrap import dedent

from kinetree.targets.text.python.arrays import arrays

IMPORTS = dedent("""\
    import numpy as np
    import torch
    from torch import acos, asin, atan, cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh


""")
TOOLS = dedent('''\
    def atan2(y, x):
        return torch.atan2(*(torch.as_tensor(row, dtype=float) for row in (y, x)))


    def kt_look_up(table, order, x):
        """A derivative of a table: the cubic of the piece that x lies in."""
        knots, rows = (torch.tensor(row, dtype=float, device=x.device) for row in table)
        piece = (knots <= x[..., None]).sum(-1)
        rows = rows.index_select(0, piece.reshape(-1)).reshape(piece.shape + rows.shape[1:])
        return kt_cubic(rows, order, x)


    def kt_solve(A, X, n, k, symmetric):
        """A X = B by the inverse and one correction; vmap of solve is wrong in forward mode."""
        A, B = kt_system(A, X, n, k, symmetric)
        inverse = torch.linalg.inv_ex(A)[0]
        X = inverse @ B
        X = X + inverse @ (B - A @ X)
        return kt_split(X.reshape(X.shape[:-2] + (n * k,)))


    def kt_newton(step, start, given, tolerance, limit):
        """h(v, w) = 0 by v - dv with J dv = h; NaN where the iterations do not suffice."""
        lead = kt_lead([*start, *(x for w in given for x in w)])
        v, *given = (kt_stack(row, lead) for row in (start, *given))

        def moved(v, w):
            h, dv = step(kt_split(v), *(kt_split(x) for x in w))
            return kt_stack(h, lead), kt_stack(dv, lead)

        with torch.no_grad():
            v, w = v.detach(), [x.detach() for x in given]
            going = torch.ones(lead, dtype=bool, device=v.device)
            for count in range(limit + 1):
                h, dv = moved(v, w)
                going = going & ~(abs(h) <= tolerance).all(-1)
                if count == limit or kt_none(going):
                    break
                v = torch.where(going[..., None], v - dv, v)
            v = torch.where(going[..., None], torch.nan, v)
        found = v
        for _ in range(2 if torch.is_grad_enabled() else 0):
            v = v - moved(v, given)[1]
        return kt_split(found + (v - v.detach()))


    def kt_none(going):
        """Whether no lane is going; unknown, hence no, inside vmap."""
        try:
            return not bool(going.any())
        except RuntimeError:
            return False

''')
PRELUDE = f"{IMPORTS}{arrays('torch')}\n{TOOLS}".replace("torch.asarray", "torch.as_tensor")
