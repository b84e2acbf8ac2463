"""JAX: one module whose function can be compiled, batched and differentiated; double precision.

Making or importing it switches JAX to doubles.
"""

from __future__ import annotations

from kinetree.targets.jax.source import source_text
from kinetree.targets.text.target import ModuleTarget

TARGET = ModuleTarget("jax", "jax", source_text, choices=("unroll",))

__all__ = ["TARGET"]
