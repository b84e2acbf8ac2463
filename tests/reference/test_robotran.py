"""M, c and inverse dynamics against the code ROBOTRAN itself generated."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import GOLDEN, assert_close
from tests.reference import counts, robotran

pytestmark = pytest.mark.golden


@pytest.mark.parametrize("name", robotran.GOLDEN)
def test_mass_matrix_and_bias(name: str) -> None:
    golden = robotran.golden(name)
    program = counts.program(counts.robotran_row(name, "mass_bias"))
    out = program.evaluate(q=golden.q, qd=golden.qd, **golden.wrenches)
    assert_close(out["M"], golden.M, GOLDEN, f"{name} M")
    assert_close(out["c"], golden.c, GOLDEN, f"{name} c")


@pytest.mark.parametrize("name", robotran.GOLDEN)
def test_inverse_dynamics(name: str) -> None:
    golden = robotran.golden(name)
    program = counts.program(counts.robotran_row(name, "inverse"))
    out = program.evaluate(q=golden.q, qd=golden.qd, qdd=golden.qdd, **golden.wrenches)
    assert_close(out["tau"], golden.Qq, GOLDEN, f"{name} Qq")


@pytest.mark.parametrize("name", robotran.GOLDEN)
def test_golden_numbers_are_consistent(name: str) -> None:
    golden = robotran.golden(name)
    assert_close(golden.M @ golden.qdd + golden.c, golden.Qq, GOLDEN, f"{name} M qdd + c")


@pytest.mark.parametrize("name", robotran.MODELS)
def test_coordinates_follow_the_file(name: str) -> None:
    file = robotran.read(name)
    joints = [joint for body in file["bodies"] for joint in body["joints"]]
    model = robotran.model(name, wrenches=False)
    assert list(model.coordinates) == [joint["name"] for joint in joints]
    assert [joint["i"] for joint in joints] == list(range(1, file["n_joints"] + 1))


def test_no_generator_dropped_a_driven_motion() -> None:
    dropped = [robotran.dropped(n, s) for n in robotran.MODELS for s in ("qd", "qdd")]
    assert not np.any([len(rows) for rows in dropped])
