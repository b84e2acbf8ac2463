"""C: one .c and one .h without dependencies beyond math.h, without allocation, readable."""

from __future__ import annotations

from kinetree.targets.c.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("c", "C", sources)

__all__ = ["TARGET"]
