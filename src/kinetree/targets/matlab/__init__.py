"""MATLAB and Octave: a function, the right-hand side for ode45, and a script that runs it."""

from __future__ import annotations

from kinetree.targets.matlab.source import sources
from kinetree.targets.text.target import TextTarget

TARGET = TextTarget("matlab", "MATLAB", sources)

__all__ = ["TARGET"]
