"""The mechanisms of the cross-check as fixtures."""

from __future__ import annotations

import pytest
from tests import zoo
from tests.crosscheck import pinocchio_adapter, robots
from tests.crosscheck.cases import SMALL_TREES, TREES, Case, tree_case

import kinetree as kt


@pytest.fixture(scope="session")
def robot_cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    """The four robots, each read from the same URDF by both engines."""
    folder, cases = tmp_path_factory.mktemp("robots"), {}
    for name, robot in robots.ROBOTS.items():
        path = robots.write_urdf(name, folder)
        model = kt.load(path, floating=robot.floating)
        twin = pinocchio_adapter.urdf_twin(model, path, robot.floating)
        cases[name] = Case(model, twin, zoo.state(model, seed=3))
    return cases


@pytest.fixture(
    scope="session",
    params=[*robots.ROBOTS, "every_kind", *TREES],
)
def case(request: pytest.FixtureRequest, robot_cases: dict[str, Case]) -> Case:
    """Every mechanism of the cross-check in turn."""
    name = request.param
    return robot_cases[name] if name in robot_cases else tree_case(name)


@pytest.fixture(
    scope="session",
    params=[*robots.ROBOTS, "every_kind", *SMALL_TREES],
)
def small_case(request: pytest.FixtureRequest, robot_cases: dict[str, Case]) -> Case:
    """The robots, and trees small enough for derivatives in every direction."""
    name = request.param
    return robot_cases[name] if name in robot_cases else tree_case(name)
