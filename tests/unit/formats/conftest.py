"""Texts that the tests of this room share."""

from __future__ import annotations

import pytest

ARM = """\
# a comment at the top
name: arm
parameters:
  L: {value: 0.8, unit: m}
bodies:
  upper:
    mass: 1.5   # measured
    com: [0, 0, -L/2]
    inertia: [0.1, 0.1, 0.02]
    points:
      tip: [0, 0, -L]
  lower:
    mass: 1.0
    com: [0, 0, -0.5]
    inertia: [0.08, 0.08, 0.01]
joints:
  shoulder: {kind: revolute, parent: ground, child: upper, axis: y}
  elbow: {kind: revolute, parent: upper.tip, child: lower, axis: y}
"""


@pytest.fixture
def arm() -> str:
    """A sound model file."""
    return ARM
