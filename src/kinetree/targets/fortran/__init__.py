"""Fortran 2008: one module in free form, in double or single precision, without dependencies."""

from __future__ import annotations

from kinetree.targets.fortran.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("fortran", "Fortran", sources)

__all__ = ["TARGET"]
