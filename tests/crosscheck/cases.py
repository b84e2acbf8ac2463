"""Mechanisms in our form and in Pinocchio's, with a random state each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests import zoo
from tests.crosscheck import pinocchio_adapter

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


def one_joint_case(kind: str) -> Case:
    """A joint of the kind between two revolute ones."""
    model = zoo.one_joint(kind)
    return Case(model, pinocchio_adapter.twin(model), zoo.state(model, seed=3))
