"""CasADi: a `Function` of the Program, and the module that makes it."""

from __future__ import annotations

from kinetree.targets.casadi.source import source_text
from kinetree.targets.text.target import ModuleTarget

TARGET = ModuleTarget("casadi", "casadi", source_text)

__all__ = ["TARGET"]
