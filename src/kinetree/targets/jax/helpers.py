"""JAX: first lines of a module.

An iteration is a bounded `while_loop`, which has no derivative of its own.  Its derivative is that
of one more Newton step at the solution: with h(v, w) = 0 and J dv = h, d(v - dv) = -J⁻¹ dh/dw dw.
"""

from __future__ import annotations

from textwrap import dedent

from kinetree.targets.text.python.arrays import arrays, branches

IMPORTS = dedent("""\
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
    from jax.numpy import arccos as acos, arcsin as asin, arctan as atan, arctan2 as atan2
    from jax.numpy import cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh

    jax.config.update("jax_enable_x64", True)


""")
LOOK_UP = dedent('''\
    def kt_look_up(table, order, x):
        """A derivative of a table: the cubic of the piece that x lies in."""
        knots, rows = (jnp.asarray(row) for row in table)
        piece = jnp.searchsorted(knots, lax.stop_gradient(x), side="right")
        return kt_cubic(rows[piece], order, x)


''')
TOOLS = dedent('''\
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
PRELUDE = f"{IMPORTS}{arrays('jnp')}\n{LOOK_UP}{TOOLS}"
SHEET_TOOLS = dedent('''\
    # All values of a function stand in the rows of one array v, behind them the axes of a batch.


    def kt_ints(text):
        return np.array(text.split(), dtype=np.int32)


    def kt_floats(text):
        return np.array(text.split(), dtype=float)


    def kt_parts(name, x, shape, values=None):
        """The components of an input as rows."""
        if x is None:
            x = np.reshape(values, shape)
        x = jnp.asarray(x, dtype=float)
        lead = x.shape[: x.ndim - len(shape)]
        if x.shape != lead + shape:
            raise ValueError(f"the last axes of {name} must be {shape}, but its shape is {x.shape}")
        return jnp.moveaxis(x.reshape(lead + (int(np.prod(shape)),)), -1, 0)


    def kt_results(found, rows):
        shaped = (jnp.moveaxis(row, 0, -1) for row in found)
        return {n: x.reshape(x.shape[:-1] + shape) for x, (n, shape) in zip(shaped, rows)}


    def kt_begin(size, numbers, *inputs):
        """Numbers and inputs, and room for the rest."""
        lead = np.broadcast_shapes(*(x.shape[1:] for x in inputs))
        rows = [
            jnp.broadcast_to(
                x.reshape(x.shape[:1] + (1,) * (len(lead) + 1 - x.ndim) + x.shape[1:]),
                x.shape[:1] + lead,
            )
            for x in (numbers, *inputs)
        ]
        rest = size - sum(x.shape[0] for x in rows)
        return jnp.concatenate([*rows, jnp.zeros((rest,) + lead)])


    def kt_take(v, rows):
        return v.at[rows].get(mode="promise_in_bounds")


    def kt_put(v, at, rows):
        return lax.dynamic_update_slice_in_dim(v, rows, at, 0)


    def kt_steps(v, at, width, code):
        """Arithmetic: per step `width` rows y = (a*b + s*c*d)/e from rows a, b, c, d, e on."""
        code = code.reshape(-1, 6, width)
        places = at + width * np.arange(len(code), dtype=np.int32)

        def step(v, row):
            place, rows, sign = row
            a, b, c, d, e = kt_take(v, rows)
            sign = sign.reshape(sign.shape + (1,) * (v.ndim - 1))
            return kt_put(v, place, (a * b + sign * (c * d)) / e), None

        rows = (places, code[:, :5], code[:, 5].astype(float))
        return lax.scan(step, v, rows)[0]


    def kt_solve(v, at, n, k, rows):
        """A X = B, A in the first n*n of the rows and B behind them."""
        given = jnp.moveaxis(kt_take(v, rows), 0, -1)
        lead = given.shape[:-1]
        A, B = given[..., : n * n], given[..., n * n :]
        X = jnp.linalg.solve(A.reshape(lead + (n, n)), B.reshape(lead + (n, k)))
        return kt_put(v, at, jnp.moveaxis(X.reshape(lead + (n * k,)), -1, 0))


    def kt_newton(v, at, step, n, rows, tolerance, limit):
        """h(x, w) = 0 by x - dx with J dx = h; NaN where the iterations do not suffice."""
        lead = v.shape[1:]

        @jax.custom_jvp
        def solution(x, w):
            def body(state):
                count, x, going = state
                h, dx = step(x, w)
                going = going & ~jnp.all(jnp.abs(h) <= tolerance, axis=0)
                return count + 1, jnp.where(going & (count < limit), x - dx, x), going

            def more(state):
                return (state[0] <= limit) & jnp.any(state[2])

            _, x, going = lax.while_loop(more, body, (0, x, jnp.ones(lead, dtype=bool)))
            return jnp.where(going, jnp.nan, x)

        @solution.defjvp
        def _(values, rates):
            found = solution(*values)
            _, rate = jax.jvp(lambda x, w: x - step(x, w)[1], (found, values[1]), rates)
            return found, rate

        given = kt_take(v, rows)
        return kt_put(v, at, solution(given[:n], given[n:]))

''')
SHEET_PRELUDE = f"{IMPORTS}{branches('jnp')}\n{LOOK_UP}{SHEET_TOOLS}"
