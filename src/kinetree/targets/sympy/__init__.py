"""SymPy: the equations as a list of (symbol, expression), and the module that makes them."""

from __future__ import annotations

from kinetree.targets.sympy.equations import Equations, equations
from kinetree.targets.sympy.source import source_text
from kinetree.targets.text.target import ModuleTarget

TARGET = ModuleTarget("sympy", "sympy", source_text, equations)

__all__ = ["TARGET", "Equations"]
