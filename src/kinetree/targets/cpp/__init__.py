"""C++: one header, functions templated on the type of numbers, no dependencies, no allocation."""

from __future__ import annotations

from kinetree.targets.cpp.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("cpp", "C++", sources)

__all__ = ["TARGET"]
