"""Inverse and forward dynamics against Pinocchio over trees that hypothesis makes up."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests import strategies, zoo
from tests.approx import CROSS_ENGINE
from tests.crosscheck.compare import assert_same
from tests.crosscheck.pinocchio_adapter import twin

import kinetree as kt

pytestmark = pytest.mark.crosscheck


@given(links=strategies.trees(max_size=4), seed=strategies.seeds)
def test_inverse_and_mass_matrix(links: list[zoo.Link], seed: int) -> None:
    model = zoo.build(links)
    peer, state = twin(model), zoo.state(model, seed)
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    tau = kt.derive(model, "inverse").evaluate(q=q, qd=qd, qdd=qdd)["tau"]
    assert_same(tau, peer.inverse(q, qd, qdd), "inverse", labels=model.velocities)
    out = kt.derive(model, "mass_bias").evaluate(q=q, qd=qd)
    assert_same(out["M"], peer.mass_matrix(q), "M", labels=model.velocities)


@given(links=strategies.trees(max_size=3), seed=strategies.seeds)
def test_order_n_undoes_inverse(links: list[zoo.Link], seed: int) -> None:
    model = zoo.build(links)
    peer, state = twin(model), zoo.state(model, seed)
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    tau = peer.inverse(q, qd, qdd)
    found = kt.derive(model, "forward", formalism="order_n").evaluate(q=q, qd=qd, tau=tau)["qdd"]
    back = peer.inverse(q, qd, found)
    assert_same(back, tau, "tau of our qdd", labels=model.velocities, tolerance=CROSS_ENGINE)
