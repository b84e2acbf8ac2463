"""LaTeX: the equations as an article to read; `full=True` writes small ones without names."""

from __future__ import annotations

from kinetree.targets.latex.source import cell, sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("latex", "LaTeX", sources, cell)

__all__ = ["TARGET"]
