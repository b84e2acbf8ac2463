"""Loops of a model among the equations of a whole: h(q) = 0, and forces that keep it.

Of the equations of all closures those take part that are independent where the loops close from
the start values; the others follow from them.
"""

from __future__ import annotations

from kinetree.acausal.instances import Flat, FlatEquation
from kinetree.acausal.mechanics.motion import MotionRows
from kinetree.assembly.partition import partition
from kinetree.engine import ZERO, Node, add, mul, partials, substitute
from kinetree.errors import UnsupportedError
from kinetree.pipeline import derive
from kinetree.program import Assign
from kinetree.program.restrict import restrict


def write_loops(flat: Flat, motion: MotionRows, path: str) -> list[list[Node]]:
    """Write the independent equations of the loops, each with a multiplier.

    Args:
        flat: where the equations go.
        motion: of a model with closures.
        path: that the multipliers begin with.

    Returns:
        The forces Jᵀ lambda that every equation brings, one per velocity.
    """
    model = motion.model
    found = partition(model)
    if found.rates:
        raise UnsupportedError(
            f"closures of velocities ({', '.join(found.rates)})",
            element=f"model '{model.name}'",
            cure="simulate the model by itself",
        )
    program = restrict(derive(model, "constraints"), "h", sorted(found.rows))
    new = motion.bindings(program)
    for block in program.all_blocks:
        assert isinstance(block, Assign)
        (new[block.target],) = substitute((block.expr,), new)
    h = substitute(program.output("h").nodes, new)
    pulls = []
    for number, (row, k) in enumerate(zip(h, sorted(found.rows), strict=True), 1):
        flat.equations.append(FlatEquation(row, path, number))
        force = flat.add_hidden(f"{path}.{found.labels[k]}")
        by = partials(row)
        slopes = [by.get(q, ZERO) for q in motion.q]
        N = [substitute(rates, new) for rates in program.input("q").tangent]
        if N:
            slopes = [add(ZERO, *map(mul, slopes, column)) for column in zip(*N, strict=True)]
        pulls.append([mul(force, slope) for slope in slopes])
    return pulls
