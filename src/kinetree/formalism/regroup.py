"""Base parameters."""
from __future__ import annotations
from kinetree.formalism.linkage import Linkage
def regroup(system: Linkage) -> Linkage:
    return system
