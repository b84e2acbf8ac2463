"""Closed systems: what their equations of motion become.

| module | holds |
|---|---|
| explicit | equations in the independent coordinates |
| multipliers | equations in all coordinates, with the forces of the loops |
| actuation | forces of chosen actuators |
| treatments | the table of treatments |
"""

from kinetree.formalism.closed.treatments import BUILDS, WAYS, Closed, actuated

__all__ = [
    "BUILDS",
    "WAYS",
    "Closed",
    "actuated",
]
