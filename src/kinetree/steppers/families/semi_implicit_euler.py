"""Semi-implicit Euler: velocities with the accelerations at the start, positions with those.

First order; symplectic for forces without damping.

Refs: Hairer2006 sec. I.1.2
"""

from __future__ import annotations

from kinetree.steppers.family import Family

FAMILY = Family("semi_implicit_euler", order=1)
