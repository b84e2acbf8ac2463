"""Small mechanisms that the tests of this room share."""

from __future__ import annotations

import pytest

import kinetree.joints  # noqa: F401  fills the joint table
from kinetree.model import Model


@pytest.fixture
def pendulum() -> Model:
    """Two links in a vertical plane, with a point at the tip of each."""
    model = Model("pendulum")
    upper = model.body("upper", mass=1.5, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.02))
    lower = model.body("lower", mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.01))
    model.revolute("shoulder", model.ground, upper, axis="y")
    model.revolute("elbow", upper.point("tip", (0, 0, -0.8)), lower, axis="y")
    return model
