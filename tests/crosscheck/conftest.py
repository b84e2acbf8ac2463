"""Robots and trees in our form and in the other engine's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from tests import zoo
from tests.crosscheck import pinocchio_adapter, robots

import kinetree as kt

TREES = {
    **{f"tree_{seed}": (7, seed, "") for seed in range(4)},
    **{f"floating_{seed}": (6, seed, "free") for seed in range(4, 8)},
}


@dataclass(frozen=True)
class Case:
    """A mechanism in both engines and a random state in our conventions."""

    model: kt.Model
    twin: pinocchio_adapter.Twin
    state: dict[str, Any]

    def given(self, *names: str) -> dict[str, Any]:
        """The inputs of those names."""
        return {name: self.state[name] for name in names}

    def arrays(self, *names: str) -> list[Any]:
        """The same as a list."""
        return [self.state[name] for name in names]


SMALL_TREES = {
    **{f"small_tree_{seed}": (4, seed, "") for seed in range(10, 13)},
    **{f"small_floating_{seed}": (3, seed, "free") for seed in range(13, 15)},
}


def tree_case(name: str) -> Case:
    """A random tree, or the chain with a joint of every kind."""
    model = zoo.every_kind() if name == "every_kind" else zoo.random_tree(*tree_arguments(name))
    return Case(model, pinocchio_adapter.twin(model), zoo.state(model, seed=3))


def tree_arguments(name: str) -> tuple[Any, ...]:
    """What `zoo.random_tree` wants."""
    n, seed, base = {**TREES, **SMALL_TREES}[name]
    return n, seed, zoo.KINDS, base


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
