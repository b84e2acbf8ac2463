"""Fixed-step methods: one time step of a model as a Program."""

from kinetree.steppers.discrete import discrete_program, discretise
from kinetree.steppers.families import ALL, FAMILIES
from kinetree.steppers.step import FORMULATIONS, step_program

__all__ = [
    "ALL", "FAMILIES", "FORMULATIONS", "discrete_program", "discretise", "step_program",
]  # fmt: skip
