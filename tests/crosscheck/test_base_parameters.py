"""The number of base parameters of real robots is the rank of their standard regressor."""

from __future__ import annotations

import numpy as np
import pytest
from tests import zoo
from tests.approx import FORMALISM, assert_close
from tests.crosscheck.robots import package_folder
from tests.laws.tools import regressor_rank

import kinetree as kt

SMALL = (
    "asr_twodof_description/urdf/TwoDofs",
    "bolt_description/robots/bolt",
    "bravo7_description/urdf/bravo7_gripper",
    "finger_edu_description/robots/finger_edu",
    "kinova_description/robots/kinova",
    "panda_description/urdf/panda",
    "quadruped_description/urdf/quadruped",
    "so_arm_description/urdf/so100",
    "ur_description/urdf/ur5_gripper",
    "ur_description/urdf/ur5_robot",
)
"""With hands that follow one another, feet, zero inertias, axes that are nearly parallel."""


@pytest.mark.crosscheck
@pytest.mark.parametrize("robot", SMALL)
def test_base_parameters_of_robots(robot: str) -> None:
    model = kt.load(package_folder() / f"{robot}.urdf")
    state = {key: x for key, x in zoo.state(model, 3, (60,)).items() if key != "tau"}
    base, standard = (
        kt.derive(model, "regressor", base_parameters=base).compile()(**state)
        for base in (True, False)
    )
    assert base["Y"].shape[-1] == regressor_rank(base["Y"]) == regressor_rank(standard["Y"])
    tau = np.einsum("nij,nj->ni", standard["Y"], standard["pi"])
    assert_close(np.einsum("nij,nj->ni", base["Y"], base["pi"]), tau, FORMALISM, "Y π")
