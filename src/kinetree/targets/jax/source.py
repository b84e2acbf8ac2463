"""A Program as one Python module on JAX: the functions of the Python target, with JAX's arrays.

XLA takes time that grows with the square of the number of operations: minutes for ten thousand.  A
long Program is therefore written as data, a sheet of values that a few loops fill; see
`array_loops`.  Loops move every value through memory: calls take longer than unrolled ones.
"""

from __future__ import annotations

from kinetree.program.program import Program
from kinetree.targets.jax.array_loops import sheet_text
from kinetree.targets.jax.helpers import PRELUDE
from kinetree.targets.python.source import source_text as python_text

WHOLE = 300
"""Operations up to which the equations are written one by one, under their names."""


def source_text(program: Program, unroll: bool | None = None) -> tuple[str, str]:
    """(name of the function, text of the module).

    Args:
        program: what to write.
        unroll: True writes the equations one by one, False as data that loops work through; by
            default the former up to `WHOLE` operations.
    """
    whole = program.count().total <= WHOLE if unroll is None else unroll
    return python_text(program, PRELUDE) if whole else sheet_text(program)
