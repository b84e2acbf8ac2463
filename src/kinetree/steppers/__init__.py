"""Fixed-step methods: one time step of a model as a Program, and runs of many in native code."""

from kinetree.steppers.discrete import discrete_program
from kinetree.steppers.families import ALL, FAMILIES
from kinetree.steppers.runs.run import Control, Report, Run, Stepper, run
from kinetree.steppers.step import FORMULATIONS, step_program

__all__ = [
    "ALL",
    "FAMILIES",
    "FORMULATIONS",
    "Control",
    "Report",
    "Run",
    "Stepper",
    "discrete_program",
    "run",
    "step_program",
]
