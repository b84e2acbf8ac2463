"""Closed systems: what their equations of motion become.

| module | holds |
|---|---|
| explicit | equations in the independent coordinates |
| multipliers | equations in all coordinates, with the forces of the loops |
| actuation | forces of chosen actuators |
| treatments | the table of treatments |
"""

from kinetree.formalism.closed.treatments import INERTIA_AND_BIAS, LOOP_TREATMENTS, Closed, actuated

__all__ = [
    "INERTIA_AND_BIAS",
    "LOOP_TREATMENTS",
    "Closed",
    "actuated",
]
