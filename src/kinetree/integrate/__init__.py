"""Integration over time: one problem, one table of methods, the start, the partition."""

from kinetree.integrate.start.start_program import start_program
from kinetree.integrate.steps.stepper import Control, Report, SteppedRun, Stepper, run

__all__ = ["Control", "Report", "SteppedRun", "Stepper", "run", "start_program"]
