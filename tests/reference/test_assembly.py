"""Closed configurations of ROBOTRAN's models, reached from the models' own start values.

Which joints may move is what the files say.  car_50 has more of them than equations, so its closed
configuration depends on the way: it is met with steps cut at 0.3 rad or m, as in the data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import GOLDEN, ROUNDING, assert_close
from tests.reference import robotran

import kinetree as kt

pytestmark = pytest.mark.golden
CLOSED: dict[str, Any] = robotran.read("assembled_configurations")["models"]


def start(name: str) -> tuple[kt.Model, np.ndarray, list[str]]:
    """The closed model, its start values, and the names of its independent joints.

    Driven joints without a value in the file (Limousine) stand where its user functions put them.
    """
    joints = [joint for body in robotran.read(name)["bodies"] for joint in body["joints"]]
    model = robotran.model(name, wrenches=False, cuts=True)
    q = np.array([joint.get("q0", 0.0) for joint in joints])
    for k, joint in enumerate(joints):
        if joint["nature"] == "driven":
            model.drive(joint["name"])
            q[k] = CLOSED[name]["q"][k]
    return model, q, [j["name"] for j in joints if j["nature"] == "independent"]


@pytest.mark.parametrize("name", CLOSED)
def test_closed_configuration(name: str) -> None:
    model, q, independent = start(name)
    found = kt.partition(model, q, independent=independent)
    assert_close(found.q, CLOSED[name]["q"], GOLDEN, name, 1.0)
    h = kt.derive(model, "constraints").evaluate(q=found.q, qd=np.zeros(model.nv))["h"]
    assert np.abs(h).max() < ROUNDING
    assert found.rank == CLOSED[name]["rank_J"]
    assert len(found.dependent) == CLOSED[name]["rank_Jv"]
    assert found.rank + len(found.redundant) == CLOSED[name]["n_constraints"]


def test_a_partition_is_found_without_help() -> None:
    model, q, _ = start("iltis_40")
    found = kt.partition(model, q)
    assert found.rank == 12
    assert found.condition < 10
