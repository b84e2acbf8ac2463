"""A Program as one Python module on JAX: the functions of the Python target, with JAX's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.jax.helpers import PRELUDE
from kinetree.targets.python.source import source_text as python_text

if TYPE_CHECKING:
    from kinetree.program.program import Program


def source_text(program: Program) -> tuple[str, str]:
    """(name of the function, text of the module)."""
    return python_text(program, PRELUDE)
