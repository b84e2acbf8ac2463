"""The classical Runge–Kutta method: fourth order, four evaluations per step.

Refs: Hairer1993 sec. II.1
"""

from __future__ import annotations

from kinetree.steppers.family import Family

STAGES = ((0.5,), (0.0, 0.5), (0.0, 0.0, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6))

FAMILY = Family("rk4", stages=STAGES, order=4)
