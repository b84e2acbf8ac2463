"""Functions that users write as laws: which arguments they get, wherever they stand."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, LONG_RUN, assert_close

import kinetree as kt
from kinetree.functions import sin


def rail(names: tuple[str, ...] = ("a", "b")) -> kt.Model:
    """Sliders of 1 kg side by side along x."""
    model = kt.Model("rail", gravity=(0, 0, 0))
    for name in names:
        model.prismatic(name, model.ground, model.body(f"{name}_body", mass=1.0))
    return model


def test_laws_made_in_a_loop_keep_what_they_were_made_for() -> None:
    model = rail()
    for name, k in (("a", 2.0), ("b", 5.0)):
        model.joint_law(f"damper_{name}", name, lambda qd, name=name, k=k: -k * qd[name])
    out = kt.derive(model, "forward").evaluate(q=[0, 0], qd=[1, 10], tau=[0, 0])
    assert_close(out["qdd"], [-2.0, -50.0], IDENTITY)


def forces(model: kt.Model) -> None:
    model.link("spring", "a_body", "ground", lambda length, k=3.0: -k * length)


def vectors(model: kt.Model) -> None:
    model.external("wind", "a_body", lambda t, size=2.0: (size * t, 0, 0))


def free_laws(model: kt.Model) -> None:
    def push(points: Any, q: Any, gain: float = 2.0) -> dict[str, Any]:
        return {"at": (gain * q["b"], 0, 0)}

    model.force_law("push", {"at": "a_body"}, push)


def drives(model: kt.Model) -> None:
    model.drive("a", lambda t, w=2.0: sin(w * t))


def closures(model: kt.Model) -> None:
    model.constrain("gear", lambda q, n=2.0: q["a"] - n * q["b"])


def states(model: kt.Model) -> None:
    model.state("lag", 0.0, lambda x, q, rate=3.0: rate * (q["a"] - x["lag"]))


def partials(model: kt.Model) -> None:
    def law(qd: Any, name: str, gain: float) -> Any:
        return -gain * qd[name]

    model.joint_law("damper", "a", functools.partial(law, name="b", gain=4.0))


@pytest.mark.parametrize(
    "add",
    [forces, vectors, free_laws, drives, closures, states, partials],
    ids=lambda f: f.__name__,
)
def test_defaults_are_kept_wherever_a_law_stands(add: Any) -> None:
    model = rail()
    add(model)
    run = kt.simulate(model, 0.1, q={"b": 0.25}, step=0.05)
    assert np.isfinite(run.q.values).all()


def test_events_and_efforts_keep_defaults() -> None:
    model = rail(("a",))
    event = kt.Event(lambda q, limit=0.02: q["a"] - limit, stops=True)
    push = {"a": lambda t, q, qd, force=4.0: force}
    run = kt.simulate(model, 1.0, tau=push, events={"far": event})
    assert_close(run.time[-1], 0.1, LONG_RUN)


def test_names_of_the_place_come_first() -> None:
    model = rail(("a",))
    model.joint_law("push", "a", lambda t=5.0, **rest: t * len(rest["q"]))
    out = kt.derive(model, "forward").evaluate(q=[0], qd=[0], tau=[0], t=2.0)
    assert_close(out["qdd"], [2.0], IDENTITY)


def test_what_has_neither_meaning_nor_default_is_refused() -> None:
    with pytest.raises(kt.errors.ModelError, match=r"no argument of a law 'qdot'.*'qd'"):
        rail().joint_law("push", "a", lambda qdot, k=1.0: k * qdot["a"])


def test_a_function_that_hides_its_arguments_is_refused() -> None:
    with pytest.raises(kt.errors.ModelError, match=r"force 'push'.*does not tell its arguments"):
        rail().joint_law("push", "a", min)
