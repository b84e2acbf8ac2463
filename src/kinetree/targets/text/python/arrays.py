"""Helpers that modules on NumPy and on JAX share; XP is the name of the array library."""

from __future__ import annotations

from textwrap import dedent

_ARRAYS = dedent('''\
    def kt_parts(name, x, shape, values=None):
        """The components of an input, each with the axes of the batch."""
        if x is None:
            x = np.reshape(values, shape)
        x = XP.asarray(x, dtype=float)
        lead = x.shape[: x.ndim - len(shape)]
        if x.shape != lead + shape:
            raise ValueError(f"the last axes of {name} must be {shape}, but its shape is {x.shape}")
        return kt_split(x.reshape(lead + (int(np.prod(shape)),)))


    def kt_split(x):
        return [x[..., i] for i in range(x.shape[-1])]


    def kt_lead(rows):
        return np.broadcast_shapes(*(np.shape(x) for x in rows))


    def kt_stack(rows, shape):
        if not rows:
            return XP.zeros(shape + (0,))
        rows = [XP.broadcast_to(XP.asarray(x, dtype=float), shape) for x in rows]
        return XP.stack(rows, axis=-1)


    def kt_results(found, rows):
        lead = kt_lead([x for row in found for x in row])
        return {
            name: kt_stack(row, lead).reshape(lead + shape)
            for row, (name, shape) in zip(found, rows)
        }


    def kt_system(A, X, n, k, symmetric):
        """The matrix, of which the lower triangle is given where it is symmetric, and B."""
        lead = kt_lead([*A, *X])
        A = kt_stack(A, lead).reshape(lead + (n, n))
        X = kt_stack(X, lead).reshape(lead + (n, k))
        return A + XP.swapaxes(XP.tril(A, -1), -1, -2) if symmetric else A, X


''')
_BRANCHES = dedent('''\
    def kt_select(c, a, b):
        return XP.where(c > 0, a, b)


    def kt_cubic(row, order, x):
        """A derivative of the cubic of a piece: its start, and its coefficients."""
        value = 0.0
        for power in range(3, order - 1, -1):
            factor = float(np.prod([power - i for i in range(order)]))
            value = value * (x - row[..., 0]) + factor * row[..., 1 + power]
        return value

''')


def arrays(library: str) -> str:
    """The helpers with the arrays of a library."""
    return f"{_ARRAYS}{_BRANCHES}".replace("XP", library)


def branches(library: str) -> str:
    """Those alone that choose between values."""
    return _BRANCHES.replace("XP", library)
