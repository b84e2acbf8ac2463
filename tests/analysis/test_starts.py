"""Start values: what is given by name or as independent is kept, in every way to make a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import FORMALISM, IDENTITY, ITERATED, TRAJECTORY

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.integrate import Stepper
from kinetree.integrate.start import starts

MODELS = Path(__file__).parents[2] / "examples" / "models"
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "multipliers": {"loops": "multipliers"},
    "projection": {"loops": "projection"},
    "hybrid": {"formulation": "hybrid"},
    "hht": {"formulation": "hybrid", "method": "hht"},
    "topological": {"formulation": "topological"},
    "global": {"formulation": "global"},
    "rk4": {"formulation": "explicit", "method": "rk4"},
    "euler": {"method": "semi_implicit_euler"},
}


def begun(model: kt.Model, **given: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and velocities at the start of a run."""
    run = kt.simulate(model, 0.003, step=1e-3, **given)
    q, qd = run.q.values[0], run.qd.values[0]
    return (
        dict(zip(model.coordinates, q, strict=True)),
        dict(zip(model.velocities, qd, strict=True)),
    )


@pytest.mark.parametrize(
    ("way", "name"),
    [*((way, "crank") for way in WAYS), ("default", "rod"), ("hybrid", "rod"), ("global", "slide")],
)
def test_values_by_name_are_kept(way: str, name: str) -> None:
    model = kt.load(MODELS / "slider_crank.yaml")
    value = {"crank": 0.7, "rod": -1.1, "slide": 2.5}[name]
    q, qd = begun(model, q={name: value}, qd={name: 3.0}, **WAYS[way])
    assert q[name] == pytest.approx(value, abs=IDENTITY)
    assert qd[name] == pytest.approx(3.0, abs=IDENTITY)
    assert np.sin(q["crank"]) + 2 * np.sin(q["crank"] + q["rod"]) == pytest.approx(0, abs=FORMALISM)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_starts_alike(way: str) -> None:
    model = mechanisms.n_four_bar(3)  # one freedom, seven coordinates, some named
    given: dict[str, Any] = {"q": {"u1": 1.2}, "qd": {"u2": -1.5}}
    q, qd = begun(model, **given, **WAYS[way])
    assert q["u1"] == pytest.approx(1.2, abs=IDENTITY)
    assert qd["u2"] == pytest.approx(-1.5, abs=IDENTITY)
    first, rate = begun(model, **given)
    assert list(q.values()) == pytest.approx(list(first.values()), abs=ITERATED)
    assert list(qd.values()) == pytest.approx(list(rate.values()), abs=ITERATED)


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_kept_is_told(way: str) -> None:
    model = kt.load(MODELS / "slider_crank.yaml")
    with pytest.warns(ModelWarning, match="q of 'slide' is .* instead of 2.9"):
        q, _ = begun(model, q={"crank": 0.7, "slide": 2.9}, **WAYS[way])
    assert q["crank"] == pytest.approx(0.7, abs=IDENTITY)
    with pytest.warns(ModelWarning, match="qd of 'rod' is .* instead of 1"):
        _, qd = begun(model, qd={"crank": 2.0, "rod": 1.0}, **WAYS[way])
    assert qd["crank"] == pytest.approx(2.0, abs=IDENTITY)


@pytest.mark.parametrize("way", ["default", "hybrid", "global"])
def test_velocities_in_order_that_do_not_fit_are_told(way: str) -> None:
    model = kt.load(MODELS / "slider_crank.yaml")
    with pytest.warns(ModelWarning, match="qd of 'crank' is .* instead of 6"):
        begun(model, qd=[6.0, 0.0, 0.0], **WAYS[way])


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("multipliers", "projection")])
def test_independent_coordinates_keep_coordinates_and_velocities(way: str) -> None:
    """Where a drive moves at the start, what shall be independent stands still."""
    model = kt.load(MODELS / "slider_crank.yaml")
    other = model.body("other", mass=1.0)
    model.prismatic("rail", model.ground, other, axis="y")
    model.drive("rail", lambda t: 0.1 * kt.functions.sin(2 * t))
    load = model.body("load", mass=1.0)
    model.prismatic("lift", model.ground, load, axis="y", initial=2.3)
    model.constrain("tie", lambda q: q["slide"] - 0.3 * q["rail"] - q["lift"])
    for chosen, rate in (("slide", "lift"), ("lift", "slide"), ("crank", "lift")):
        q, qd = begun(model, independent=[chosen], **WAYS[way])
        assert qd[chosen] == 0
        assert abs(qd[rate]) == pytest.approx(0.06, abs=IDENTITY)
        assert q[chosen] == model.initial()[model.coordinates.index(chosen)]


@pytest.mark.parametrize("way", ["default", "multipliers", "hybrid", "topological", "rk4"])
def test_the_crank_starts_where_the_model_says(way: str) -> None:
    for file in ("slider_crank", "four_bar"):
        model = kt.load(MODELS / f"{file}.yaml")
        q, _ = begun(model, **WAYS[way])
        assert q["crank"] == 1.0
        assert kt.assemble(model).q[model.coordinates.index("crank")] == 1.0


def test_an_initial_value_that_cannot_be_kept_is_told() -> None:
    model = mechanisms.slider_crank()
    short = {"rod.end_x": 0.8}  # the crank of 1 m cannot stand at 1.2 rad
    with pytest.warns(ModelWarning, match=r"q of 'q1' is .* instead of "):
        begun(model, q={"q1": 1.2}, parameters=short)
    model = kt.load(MODELS / "slider_crank.yaml")
    with pytest.warns(ModelWarning, match=r"q of 'crank' is .* instead of 1"):
        begun(model, parameters={"rod.end_x": 0.8})


@pytest.mark.parametrize("way", ["hybrid", "topological", "global", "rk4"])
def test_runs_side_by_side_keep_what_is_given(way: str) -> None:
    model = kt.load(MODELS / "slider_crank.yaml")
    options = {"method": "rk4" if way == "rk4" else "trapezoidal"}
    stepper = Stepper(model, "explicit" if way == "rk4" else way, **options)
    angles, speeds = np.linspace(0.3, 1.2, 5), np.linspace(1, 3, 5)
    lengths = np.linspace(1.9, 2.6, 5)
    given: dict[str, Any] = {"q": {"crank": angles}, "qd": {"crank": speeds}}
    many = stepper.run(0.01, 1e-3, **given, parameters={"rod.end_x": lengths})
    np.testing.assert_allclose(many.q[:, 0, 0], angles, atol=IDENTITY)
    np.testing.assert_allclose(many.qd[:, 0, 0], speeds, atol=IDENTITY)
    for k in (0, 3):
        one = stepper.run(
            0.01, 1e-3, q={"crank": angles[k]}, qd={"crank": speeds[k]},
            parameters={"rod.end_x": lengths[k]},
        )  # fmt: skip
        np.testing.assert_allclose(many.q[k], one.q, atol=ITERATED)
    with pytest.warns(ModelWarning, match="in 2 of 5 runs: q of 'crank'"):
        stepper.run(0.01, 1e-3, q={"crank": np.full(5, 1.2)}, parameters={
            "rod.end_x": np.array([0.8, 2.0, 2.0, 2.0, 0.7])})  # fmt: skip


def test_loops_close_in_the_turn_of_the_start() -> None:
    """A mechanism that cannot be as given is closed by angles near the given ones."""
    model = mechanisms.parallelogram()
    found = kt.assemble(model, [1.0, 2.5, 0.3])
    assert np.abs(found.q - [1.0, 2.5, 0.3]).max() < np.pi


def test_many_starts_far_from_closed_are_found_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a turn of the crank each start is as found alone, and none is left to that."""
    model = mechanisms.slider_crank()
    angles = np.linspace(-3.0, 3.0, 61)
    stepper = Stepper(model, "hybrid")
    alone = [stepper.run(1e-3, 1e-3, q={"q1": angle}).q[0] for angle in angles[::6]]

    def trap(*given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(starts, "consistent_coordinates", trap)
    many = stepper.run(1e-3, 1e-3, q={"q1": angles})
    np.testing.assert_allclose(many.q[::6, 0], alone, atol=IDENTITY)


# --- at= -----------------------------------------------------------------------------------------


def sprung() -> kt.Model:
    """A mass that hangs from a spring, at rest 9.81 m/k below."""
    model = kt.Model("sprung", gravity=(0, 0, -9.81))
    model.parameter("k", 50.0, "N/m")
    model.prismatic("z", model.ground, model.body("mass", mass=2.0), axis="z", initial=0.3)
    model.joint_spring("spring", "z", model.parameters["k"].symbol)
    return model


@pytest.mark.parametrize("way", ["default", "rk4", "hht"])
def test_a_run_starts_at_an_equilibrium_with_its_parameters(way: str) -> None:
    model, options = sprung(), {k: x for k, x in WAYS[way].items() if k != "formulation"}
    rest = kt.equilibrium(model, parameters={"k": 80.0})
    run = kt.simulate(model, 0.1, step=1e-2, at=rest, **options)
    assert np.ptp(run.q.values) < ITERATED
    assert abs(float(run.q.values[0, 0]) + 2 * 9.81 / 80) < ITERATED
    moving = kt.simulate(model, 0.1, step=1e-2, at=rest, qd=[1.0], **options)
    assert moving.qd.values[0, 0] == 1.0
    softer = kt.simulate(model, 0.1, step=1e-2, at=rest, parameters={"k": 70.0}, **options)
    assert np.ptp(softer.q.values) > 1e-3


def test_an_equilibrium_brings_the_efforts_that_hold_it() -> None:
    model = sprung()
    held = kt.equilibrium(model, q={"z": 0.1}, locked=["z"])
    run = kt.simulate(model, 0.1, step=1e-2, at=held)
    assert np.ptp(run.q.values) < ITERATED
    assert run.q.values[0, 0] == 0.1


def test_a_run_starts_at_a_point_of_another_run() -> None:
    model = sprung()
    first = kt.simulate(model, 1.0, step=0.1, parameters={"k": 60.0})
    again = kt.simulate(model, 0.4, step=0.1, at=first.isel(time=6))
    assert again.time.values[0] == first.time.values[6]
    np.testing.assert_allclose(again.q.values, first.q.values[6:11], atol=TRAJECTORY)
    last = kt.simulate(model, 0.1, at=first)
    assert last.q.values[0, 0] == first.q.values[-1, 0]
    point = kt.linearise(model, at=first.isel(time=6))
    assert point.t == first.time.values[6]
    assert abs(point.A[1, 0] + 60.0 / 2.0) < ITERATED


def test_what_at_and_another_argument_give_is_refused() -> None:
    model = sprung()
    with pytest.raises(KinetreeError, match=r"q: at= gives it, too"):
        kt.simulate(model, 0.1, at={"q": [0.1]}, q=[0.2])
    with pytest.raises(KinetreeError, match=r"t0: at= gives it, too"):
        kt.simulate(model, 0.1, at={"t": 2.0}, t0=1.0)
    run = kt.simulate(model, 0.1)
    with pytest.raises(KinetreeError, match=r"at: the run that this one continues"):
        kt.simulate(model, 0.1, at=run, continues=run)
    with pytest.raises(KinetreeError, match="not a valid state"):
        kt.simulate(model, 0.1, at=3)
