"""Program: the recursive scheme as data, and what maps Programs to Programs."""

from kinetree.program.program import (
    TARGETS,
    Assign,
    Block,
    Input,
    Newton,
    Note,
    Output,
    Program,
    Solve,
)
from kinetree.program.scheme import Scheme

__all__ = [
    "TARGETS", "Assign", "Block", "Input", "Newton", "Note", "Output", "Program", "Scheme",
    "Solve",
]  # fmt: skip
