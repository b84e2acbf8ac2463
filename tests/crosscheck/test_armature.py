"""Rotor inertia on joints of all kinds against MuJoCo's and Pinocchio's armature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests import zoo
from tests.crosscheck import mujoco_adapter, pinocchio_adapter
from tests.crosscheck.compare import assert_same
from tests.crosscheck.test_mujoco import compare as compare_with_mujoco

import kinetree as kt

pytestmark = pytest.mark.crosscheck


def with_rotors(links: list[zoo.Link], seed: int = 0) -> kt.Model:
    """The tree with a rotor in every joint."""
    inertias = np.random.default_rng(seed).uniform(0.1, 2.0, len(links))
    return zoo.build([replace(x, armature=float(a)) for x, a in zip(links, inertias, strict=True)])


@pytest.mark.parametrize("seed", range(4))
def test_mujoco(seed: int) -> None:
    model = with_rotors(zoo.random_links(6, 60 + seed, mujoco_adapter.KINDS), seed)
    compare_with_mujoco(model, mujoco_adapter.twin(model))


LINKS = {"every kind": zoo.every_kind_links(3), "free base": zoo.random_links(4, 7, base="free")}


@pytest.mark.parametrize("name", LINKS)
def test_pinocchio(name: str) -> None:
    model = with_rotors(LINKS[name])
    peer, state, names = pinocchio_adapter.twin(model), zoo.state(model, 5), model.velocities
    q, qd, qdd, tau = (state[key] for key in ("q", "qd", "qdd", "tau"))
    out = kt.derive(model, "inverse_derivatives").evaluate(q=q, qd=qd, qdd=qdd)
    assert_same(out["tau"], peer.inverse(q, qd, qdd), "tau", labels=names)
    assert_same(out["dtau_dqdd"], peer.mass_matrix(q), "M", labels=names)
    for part, theirs in zip(("q", "qd"), peer.inverse_derivatives(q, qd, qdd), strict=True):
        assert_same(out[f"dtau_d{part}"], theirs, f"derivative of tau by {part}", labels=names)
    for way in ("newton_euler", "order_n", "virtual_power", "lagrange"):
        found = kt.derive(model, "forward", way).evaluate(q=q, qd=qd, tau=tau)["qdd"]
        assert_same(found, peer.forward(q, qd, tau), f"qdd by {way}", labels=names)
    out = kt.derive(model, "forward_derivatives").evaluate(q=q, qd=qd, tau=tau)
    theirs = peer.forward_derivatives(q, qd, tau)
    for part, expected in zip(("q", "qd", "tau"), theirs, strict=True):
        assert_same(out[f"dqdd_d{part}"], expected, f"derivative of qdd by {part}", labels=names)
