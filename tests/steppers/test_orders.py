"""Fixed-step methods converge with their orders, on plain coordinates and on quaternions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import AT_STATES, ROUNDING
from tests.steppers import systems

from kinetree.integrate import Stepper
from kinetree.steppers import ALL

BUILDS = {
    "pendulum": systems.pendulum, "double": systems.double_pendulum, "top": systems.top,
    "thrown": systems.thrown,
}  # fmt: skip
COARSE = {"rk4": 0.05}
"""First step, where half of the usual one would reach the rounding."""


@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
def test_order(name: str, family) -> None:
    build = BUILDS[name]
    exact = systems.reference(build)
    stepper = Stepper(build(), method=family.name)
    first = COARSE.get(family.name, 0.004)
    errors = []
    for h in (first, first / 2, first / 4):
        run = stepper.run(1.0, h, qd=systems.SPEEDS[name])
        assert run.report.end == "finished"
        errors.append(np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - exact).max())
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert slopes[-1] == pytest.approx(family.order, abs=0.25), (errors, slopes)


def test_quaternions_keep_their_length() -> None:
    run = Stepper(systems.thrown()).run(5.0, 0.005, qd=systems.SPEEDS["thrown"])
    lengths = np.linalg.norm(run.q[:, :4], axis=1)
    assert np.abs(lengths - 1).max() < ROUNDING


def test_small_steps_meet_the_reference() -> None:
    exact = systems.reference(systems.double_pendulum)
    run = Stepper(systems.double_pendulum(), method="rk4").run(
        1.0, 5e-4, qd=systems.SPEEDS["double"]
    )
    np.testing.assert_allclose(np.concatenate([run.q[-1], run.qd[-1]]), exact, atol=AT_STATES)
