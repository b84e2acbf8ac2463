"""Programs before the passes, and small ones written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests import zoo
from tests.approx import IDENTITY, assert_close

from kinetree import engine as en
from kinetree.engine import Rank
from kinetree.formalism import QUANTITIES
from kinetree.formalism.links.linkage import linkage
from kinetree.program import Assign, Input, Output, Program

if TYPE_CHECKING:
    import kinetree as kt

x, y, z = (en.symbol(name, Rank.COORDINATE) for name in "xyz")
m, k = (en.symbol(name) for name in "mk")
STATE = Input("s", (3,), (x, y, z))
PARAMETERS = Input("p", (2,), (m, k), (2.0, 3.0), parameter=True)


def local(name: str) -> en.Node:
    return en.symbol(name, Rank.LOCAL)


Equations = dict[str, en.Node]


def small(blocks: Equations, outputs: Equations, preamble: Equations | None = None) -> Program:
    """A Program of three coordinates and two parameters."""
    return Program(
        "small",
        (STATE, PARAMETERS),
        tuple(Assign(local(name), expr) for name, expr in (preamble or {}).items()),
        tuple(Assign(local(name), expr) for name, expr in blocks.items()),
        tuple(Output(name, (1,), (node,)) for name, node in outputs.items()),
    )


def raw(model: kt.Model, quantity: str, formalism: str | None = None) -> Program:
    """What a formalism writes, before any pass."""
    row = QUANTITIES[quantity]
    return row.derive(linkage(model, folded=False), row.choose(model, formalism))


RAW: dict[str, Any] = {
    "tree7 inverse": lambda: raw(zoo.tree(7), "inverse"),
    "every_kind inverse": lambda: raw(zoo.every_kind(), "inverse"),
    "chain5 mass_bias": lambda: raw(zoo.chain(5), "mass_bias"),
    "floating3 forward": lambda: raw(zoo.SMALL["floating3"](), "forward", "order_n"),
    "spherical2 forward": lambda: raw(zoo.SMALL["spherical2"](), "forward", "newton_euler"),
    "planar4 inverse": lambda: raw(zoo.planar_pendulum(4), "inverse"),
    "random6 forward": lambda: raw(zoo.random_tree(6, 11), "forward"),
}


def random_inputs(program: Program, seed: int = 0) -> dict[str, Any]:
    """Random values for every input without a default, quaternions or not."""
    rng = np.random.default_rng(seed)
    return {
        row.name: rng.uniform(-1, 1, row.shape) for row in program.inputs if row.default is None
    }


def assert_same_values(left: Program, right: Program, seed: int = 0) -> None:
    """Both Programs give the same outputs at a random point."""
    point = random_inputs(left, seed)
    with np.errstate(all="ignore"):
        a, b = left.evaluate(**point), right.evaluate(**point)
    assert a.keys() == b.keys()
    for name, values in a.items():
        assert_close(b[name], values, 100 * IDENTITY, name)
