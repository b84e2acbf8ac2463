"""A Program as one Python module on PyTorch: the functions of the Python target, with tensors."""

from __future__ import annotations

from kinetree.program.program import Program
from kinetree.targets.python.source import source_text as python_text
from kinetree.targets.torch.helpers import PRELUDE


def source_text(program: Program) -> tuple[str, str]:
    """(name of the function, text of the module)."""
    return python_text(program, PRELUDE)
