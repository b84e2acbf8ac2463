"""Closed systems: what their equations of motion become.

| module | holds |
|---|---|
| explicit | equations in the independent coordinates |
| multipliers | equations in all coordinates, with the forces of the loops |
| actuation | forces of chosen actuators |
| mixed | one equation between acceleration and force per velocity |
| treatments | the table of treatments |
"""

from kinetree.formalism.closed.treatments import LOOP_TREATMENTS, Closed, actuation, mixed_dynamics

__all__ = ["LOOP_TREATMENTS", "Closed", "actuation", "mixed_dynamics"]
