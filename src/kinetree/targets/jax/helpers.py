"""JAX: first lines of a module.

An iteration is a bounded `while_loop`, which has no derivative of its own.  Its derivative is that
of one more Newton step at the solution: with h(v, w) = 0 and J dv = h, d(v - dv) = -J⁻¹ dh/dw dw.
"""

from __future__ import annotations

from textwrap import dedent

from kinetree.targets.text.arrays import arrays

IMPORTS = dedent("""\
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
    from jax.numpy import arccos as acos, arcsin as asin, arctan as atan, arctan2 as atan2
    from jax.numpy import cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh

    jax.config.update("jax_enable_x64", True)


""")
TOOLS = dedent('''\
    def kt_look_up(table, order, x):
        """A derivative of a table: the cubic of the piece that x lies in."""
        knots, rows = (jnp.asarray(row) for row in table)
        piece = jnp.searchsorted(knots, lax.stop_gradient(x), side="right")
        return kt_cubic(rows[piece], order, x)


    def kt_solve(A, X, n, k, symmetric):
        """A X = B."""
        X = jnp.linalg.solve(*kt_system(A, X, n, k, symmetric))
        return kt_split(X.reshape(X.shape[:-2] + (n * k,)))


    def kt_newton(step, start, given, tolerance, limit):
        """h(v, w) = 0 by v - dv with J dv = h; NaN where the iterations do not suffice."""
        lead = kt_lead([*start, *(x for w in given for x in w)])

        def moved(v, w):
            h, dv = step(kt_split(v), *(kt_split(x) for x in w))
            return kt_stack(h, lead), kt_stack(dv, lead)

        @jax.custom_jvp
        def solution(v, w):
            def body(state):
                count, v, going = state
                h, dv = moved(v, w)
                going = going & ~jnp.all(jnp.abs(h) <= tolerance, axis=-1)
                return count + 1, jnp.where(going[..., None] & (count < limit), v - dv, v), going

            def more(state):
                return (state[0] <= limit) & jnp.any(state[2])

            _, v, going = lax.while_loop(more, body, (0, v, jnp.ones(lead, dtype=bool)))
            return jnp.where(going[..., None], jnp.nan, v)

        @solution.defjvp
        def _(values, rates):
            found = solution(*values)
            _, rate = jax.jvp(lambda v, w: v - moved(v, w)[1], (found, values[1]), rates)
            return found, rate

        return kt_split(solution(kt_stack(start, lead), tuple(kt_stack(w, lead) for w in given)))

''')
PRELUDE = f"{IMPORTS}{arrays('jnp')}\n{TOOLS}"
