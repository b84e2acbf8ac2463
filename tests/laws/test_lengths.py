"""Other values of parameters at run time: as the model built with them, or no number at all.

Equations left out, equations that repeat others, the choice of dependent coordinates and closed
forms were found for the model's own values.  For any others a Program gives what the equations of
all closures and the masses determine together, or NaN; NaN only where the model built with these
values is refused, does not close, or has other equations that repeat each other.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests import lengths
from tests.approx import COARSE_RUN, TRAJECTORY
from tests.closed import CLOSED

import kinetree as kt
from kinetree.assembly import with_values
from kinetree.errors import KinetreeError
from targets.test_c import built, called

Array = np.ndarray[Any, Any]
WAYS = ("explicit", "multipliers", "projection")
NAMED = {name: [*make().parameters] for name, make in lengths.MODELS.items()}
SPECIAL = st.sampled_from([0.0, 1.0, -1.0, 1.2, 0.25, -0.5, 2.0, 30.0])


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, dict[str, float]]:
    """A mechanism, and other values of some of its parameters."""
    name = draw(st.sampled_from(sorted(lengths.MODELS)))
    names = draw(st.lists(st.sampled_from(NAMED[name]), min_size=1, max_size=3, unique=True))
    values = SPECIAL | st.floats(0.5, 1.5, width=16)
    return name, {key: draw(values) for key in names}


@cache
def programs(name: str) -> tuple[kt.Partition, dict[str, kt.Program]]:
    """The mechanism with its own values: partition, and forward dynamics three ways."""
    model = lengths.MODELS[name]()
    found = kt.partition(model)
    made = {way: kt.derive(model, "forward", partition=found, loops=way) for way in WAYS}
    return found, made


def rebuilt(name: str, values: dict[str, float]) -> tuple[kt.Model, kt.Partition | None]:
    """The mechanism built with the values, and its partition; none where it is refused."""
    model = lengths.MODELS[name](**values)
    try:
        return model, kt.partition(model)
    except KinetreeError:
        return model, None


@lru_cache(maxsize=8)
def derived(model: kt.Model, quantity: str) -> kt.Program:
    """A quantity, derived once for the last models."""
    return kt.derive(model, quantity)


def accelerations(
    model: kt.Model, q: Array, qd: Array, tau: Array, values: lengths.Values | None = None
) -> tuple[Array, Array]:
    """qdd of all equations with all multipliers, by NumPy; and what is left open."""
    rows, tree = (
        with_values(derived(model, quantity), values).evaluate(q=q, qd=qd)
        for quantity in ("constraints", "mass_bias")
    )
    J, n = rows["J"], model.nv
    A = np.block([[tree["M"], -J.T], [J, np.zeros((len(J), len(J)))]])
    b = np.concatenate([tau - tree["c"], -rows["Jdqd"]])
    x = np.linalg.pinv(A, rcond=1e-11) @ b
    gaps = np.concatenate([rows["h"], J @ qd, (A @ x - b)[n:]])
    return x[:n], gaps


def finite(out: dict[str, Array]) -> bool:
    return all(np.isfinite(x).all() for x in out.values())


def alike(first: kt.Partition, second: kt.Partition) -> bool:
    """Whether as many equations repeat others, at a place that is not singular."""
    return (
        first.rank == second.rank
        and not second.singular
        and len(first.redundant) == len(second.redundant)
    )


def singular(model: kt.Model, q: Array, rank: int) -> bool:
    """Whether equations nearly depend on each other that do not elsewhere."""
    J = derived(model, "constraints").evaluate(q=q, qd=np.zeros(model.nv))["J"]
    sizes = np.linalg.svd(J, compute_uv=False)
    return bool(rank and sizes[rank - 1] < COARSE_RUN * sizes[0])


def check(name: str, values: dict[str, float], way: str, q: Array, twin: Any) -> None:
    """One evaluation with run-time values beside the model built with them."""
    found, made = programs(name)
    model, own = twin
    rng = np.random.default_rng(3)
    qd, tau = rng.normal(size=(2, model.nv))
    qd = _allowed(model, q, qd) if own is not None else qd
    p = lengths.with_parameters(made[way], values)
    with np.errstate(all="ignore"):
        out = made[way].evaluate(q=q, qd=qd, tau=tau, p=p)
    if finite(out):
        if own is not None and singular(model, out["q_closed"], own.rank):
            return
        want, gaps = accelerations(model, out["q_closed"], out["qd_closed"], tau)
        size = 1 + np.abs(want).max()
        assert np.abs(gaps).max(initial=0.0) < TRAJECTORY * size, gaps
        np.testing.assert_allclose(out["qdd"], want, atol=TRAJECTORY * size)
    elif own is not None and alike(found, own):
        assert _fails(model, found, q, way, qd, tau)


def _allowed(model: kt.Model, q: Array, qd: Array) -> Array:
    """The velocities nearest to qd that the loops allow."""
    J = derived(model, "constraints").evaluate(q=q, qd=qd)["J"]
    return np.asarray(qd - np.linalg.pinv(J, rcond=1e-10) @ J @ qd)


def _fails(model: kt.Model, found: kt.Partition, q: Array, way: str, qd: Array, tau: Array) -> bool:
    """Whether the model built with the values has no number there either."""
    try:
        own = kt.partition(model, q.tolist(), independent=[*found.independent])
        program = kt.derive(model, "forward", partition=own, loops=way)
    except KinetreeError:
        return True
    with np.errstate(all="ignore"):
        return not alike(found, own) or not finite(program.evaluate(q=q, qd=qd, tau=tau))


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=40)
@given(changes())
@example(("four_bar", {"Z": 0.25}))
@example(("three_cranks", {"L3": 1.2}))
@example(("braced", {"L3": 1.0}))
def test_as_built_with_the_values_or_no_number(way: str, change: tuple[str, Any]) -> None:
    name, values = change
    twin = rebuilt(name, values)
    found, _ = programs(name)
    if way == "explicit":
        check(name, values, way, found.q, twin)
    if twin[1] is not None:
        check(name, values, way, twin[1].q, twin)


OPEN = [("four_bar", {"Z": 0.25}), ("three_cranks", {"L3": 1.2}), ("braced", {"L3": 1.0})]
"""Mechanisms with values for which what was decided for their own does not hold."""


@pytest.mark.parametrize(("name", "values"), OPEN)
@pytest.mark.parametrize("parameters", ["own", "other"])
def test_actuators_and_derivatives_tell_too(
    name: str, values: dict[str, float], parameters: str
) -> None:
    found, made = programs(name)
    model = lengths.MODELS[name]()
    zero = np.zeros(model.nv)
    inverse = kt.derive_actuation(model, partition=found)
    slopes = made["explicit"].derivative("qdd", ["q", "tau"], only=True)
    for program, third in ((inverse, "qdd"), (slopes, "tau")):
        p = lengths.with_parameters(program, values if parameters == "other" else {})
        with np.errstate(all="ignore"):
            out = program.evaluate(**{"q": found.q, "qd": zero, third: zero, "p": p})
        told = np.concatenate([x[x != 0] for x in out.values()])
        assert np.isfinite(told).all() == (parameters == "own")


@pytest.mark.parametrize(("name", "values"), OPEN)
@pytest.mark.parametrize("way", WAYS)
def test_native_code_and_c_tell_too(
    name: str, values: dict[str, float], way: str, tmp_path: Path, gcc: str
) -> None:
    found, made = programs(name)
    program = made[way]
    _, own = rebuilt(name, values)
    zero = np.zeros(len(found.u) + len(found.v))
    library, function = built(program, tmp_path, gcc), program.compile()
    for change, place in (({}, found), (values, own or found)):
        state = {"q": place.q, "qd": zero, "tau": zero}
        state["p"] = lengths.with_parameters(program, change)
        for out in (function(**state), called(library, program, state)):
            assert finite(out) == (not change)
            assert np.isfinite(out["qdd"]).any() == (not change)


KINDS = ("ball", "rod", "solid", "revolute", "universal", "prismatic", "line", "coupling", "sphere")


@pytest.mark.parametrize("kind", KINDS)
def test_closures_in_space_with_any_value_changed(kind: str) -> None:
    """Where there are numbers, all equations of closures and masses hold with the values given."""
    model = CLOSED[kind]()
    found = kt.partition(model)
    program = kt.derive(model, "forward", partition=found)
    names = program.input("p").labels
    own = dict(zip(names, program.input("p").default or (), strict=True))
    rng = np.random.default_rng(len(kind))
    told = 0
    for _ in range(12):
        chosen = rng.choice(names, size=2, replace=False)
        values = {str(n): float(own[n] * rng.choice([0, -1, 0.9, 1.05, 30])) for n in chosen}
        qd, tau = rng.normal(size=(2, model.nv))
        p = lengths.with_parameters(program, values)
        with np.errstate(all="ignore"):
            out = program.evaluate(q=found.q, qd=qd, tau=tau, p=p)
        if finite(out):
            told += 1
            want, gaps = accelerations(model, out["q_closed"], out["qd_closed"], tau, values)
            size = 1 + np.abs(want).max()
            assert np.abs(gaps).max(initial=0.0) < TRAJECTORY * size, values
            np.testing.assert_allclose(out["qdd"], want, atol=TRAJECTORY * size)
        else:
            assert refused(model, found, values), values
    assert told > 3


def refused(model: kt.Model, found: kt.Partition, values: dict[str, float]) -> bool:
    """Whether the loops have no solution with the values where the independent ones stay."""
    try:
        now = kt.partition(
            model, found.q.tolist(), independent=[*found.independent], parameters=values
        )
    except KinetreeError:
        return True
    return not alike(found, now) or now.condition > 1e3
