"""Python: one module that needs NumPy alone; leading axes of its arguments are a batch."""

from __future__ import annotations

from kinetree.targets.python.source import source_text
from kinetree.targets.text.target import ModuleTarget

TARGET = ModuleTarget("python", "numpy", source_text)

__all__ = ["TARGET"]
