"""A vehicle over a kerb: loops stay closed at all levels, in large steps too."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from ruamel.yaml import YAML
from tests.approx import CLOSED
from tests.steppers.test_hybrid import gaps

import kinetree as kt
from kinetree.formats.build import build
from kinetree.formats.schema import validate
from kinetree.integrate import Stepper

FILE = "examples/models/iltis.yaml"
RAMP = "0.3*select(x - 1.2, select(3.2 - x, (x - 1.2)/2, 1), 0)"
STAIR = "-0.15*select(x - 4, select(4.1 - x, 0.5 - 0.5*cos(pi*(x - 4)/0.1), 1), 0)"


@cache
def vehicle() -> kt.Model:
    data = YAML(typ="safe").load(Path(FILE).read_text(encoding="utf-8"))
    for corner in ("FL", "FR", "RR", "RL"):
        data["forces"][f"{corner}_tyre"]["height"] = f"{RAMP} + {STAIR}"
    return build(validate(data))


@pytest.mark.slow
@pytest.mark.parametrize("formulation", ["hybrid", "topological"])
def test_loops_stay_closed_over_a_stair(formulation: str) -> None:
    model = vehicle()
    stepper = Stepper(model, formulation, "newmark")
    speed = np.array([5.0 if name == "x" else 0.0 for name in model.velocities])
    ends = []
    for h in (0.01, 0.04):
        run = stepper.run(1.2, h, qd=speed)
        assert run.report.end == "finished", run.report.message
        assert max(gaps(model, run)) < CLOSED
        assert run.report.most < 20
        ends.append(run.q[-1, list(model.coordinates).index("z")])
    assert np.abs(run.qdd[:, 2]).max() > 10
    assert ends[0] == pytest.approx(ends[1], abs=0.03)
