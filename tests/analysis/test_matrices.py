"""Analyses of models given by position matrices: they work, or say what to do instead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.approx import AT_STATES, IDENTITY

import kinetree as kt
from kinetree.algebra import disp, rotz
from kinetree.errors import UnsupportedError
from kinetree.functions import asin, cos, sin


@pytest.fixture(scope="module")
def tree() -> kt.Model:
    return kt.load("examples/models/double_pendulum.yaml")


@pytest.fixture(scope="module")
def crank() -> kt.FrameModel:
    made = kt.FrameModel("crank", gravity=(0, -9.81, 0))
    q = made.coordinate("q", initial=1.0)
    alpha = asin(sin(q) / 2)
    made.frame("crank", rotz(q) @ disp(0.5, 0, 0), 1.0, (0, 1 / 12, 1 / 12))
    made.frame("slider", disp(cos(q) + 2 * cos(alpha), 0, 0), 5.0)
    return made


@pytest.mark.parametrize(
    ("quantity", "third"), [("inverse_derivatives", "qdd"), ("forward_derivatives", "tau")]
)
def test_derivatives_are_those_of_the_tree(tree: kt.Model, quantity: str, third: str) -> None:
    given = {"q": [0.1, 0.2], "qd": [1.0, 2.0], third: [0.3, 0.4]}
    wanted = kt.derive(tree, quantity).evaluate(**given)
    found = kt.derive(kt.as_frames(tree), quantity).evaluate(**given)
    assert list(found) == list(wanted)
    for name, value in wanted.items():
        assert np.allclose(found[name], value, rtol=IDENTITY, atol=IDENTITY), name


def test_rest_and_modes_are_those_of_the_tree(tree: kt.Model) -> None:
    frames = kt.as_frames(tree)
    rest, same = (kt.equilibrium(model) for model in (tree, frames))
    assert np.allclose(rest.q, same.q, atol=AT_STATES)
    wanted, found = kt.modes(tree, at=rest), kt.modes(frames, at=same)
    assert np.allclose(found.frequencies, wanted.frequencies, rtol=AT_STATES)


def test_there_is_nothing_to_assemble_and_all_is_independent(crank: kt.FrameModel) -> None:
    assert kt.assemble(crank, [0.3]).q.tolist() == [0.3]
    found = kt.partition(crank)
    assert (found.independent, found.dependent, found.mobility) == (("q",), (), 1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: kt.derive(model, "regressor"),
        lambda model: kt.derive(model, "reactions"),
        lambda model: kt.reactions(model, kt.simulate(model, 0.01)),
        lambda model: kt.derive(model, "constraints"),
        lambda model: kt.derive(model, "drives"),
        kt.derive_actuation,
        lambda model: kt.save(model, "model.yaml"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_cure(
    crank: kt.FrameModel, ask: Callable[[kt.Model], object]
) -> None:
    with pytest.raises(UnsupportedError, match=r"crank.*position matrices") as caught:
        ask(crank)
    assert caught.value.cure
