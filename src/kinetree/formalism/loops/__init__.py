"""Loops: what closures demand of a mechanism.

| module | holds |
|---|---|
| closure_views | the two ends of a closure, seen from the last link that carries both |
| conditions, rolling, laws | conditions between the ends: h, rows of J, Jdqd |
| constraints | all of them, closure by closure |
| drives | coordinates that follow laws of the time |
| groups, positions | loops that belong together, and their solution for dependent coordinates |
| coupling | velocities and accelerations of dependent coordinates |
| rounding | what rounding leaves of the equations, at the coordinates of the moment |
| validity | what was decided at the model's own parameters, tested at run time |
"""

from kinetree.formalism.loops.conditions import Row
from kinetree.formalism.loops.coupling import Coupling
from kinetree.formalism.loops.positions import Choice
from kinetree.formalism.loops.rounding import Rounding
from kinetree.formalism.loops.validity import Validity, unsolved_rows

__all__ = [
    "Choice", "Coupling", "Rounding", "Row", "Validity", "unsolved_rows",
]  # fmt: skip
