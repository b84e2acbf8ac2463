"""A run ends for a reason that is said, and keeps what it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.analysis import systems
from tests.approx import READ_OFF

import kinetree as kt
from kinetree.engine import sqrt
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.integrate.methods import METHODS
from kinetree.steppers import FAMILIES

READY = [name for name, row in METHODS.items() if row.solve and row.ready()]
NATIVE = [name for name in READY if METHODS[name].native]


def ended(model: kt.Model, *arguments: Any, **options: Any) -> tuple[Any, str]:
    """A run that ends early, and its warning."""
    with pytest.warns(ModelWarning) as caught:
        run = kt.simulate(model, *arguments, **options)
    (only,) = caught
    return run, str(only.message)


@pytest.mark.parametrize("method", [name for name in READY if name not in NATIVE])
def test_an_effort_without_value_is_named_with_its_time(method: str) -> None:
    run, said = ended(
        systems.pendulum(), 2.0, tau=lambda t, q, qd: [np.sqrt(1.0 - t)], method=method
    )
    assert "NaN at t = 1" in said
    assert "tau of 'swing'" in said
    assert 0.99 < run.time.values[-1] <= 1.0
    assert np.isfinite(run.q.values).all()


@pytest.mark.parametrize("method", NATIVE)
def test_a_law_without_value_is_named_in_native_runs(method: str) -> None:
    model = systems.pendulum()
    model.joint_spring("spring", "swing", stiffness=2.0)
    model.joint_law("motor", "swing", lambda t: sqrt(1.0 - t))
    run, said = ended(model, 2.0, method=method, **({"step": 1e-3} if method == "rk4" else {}))
    assert "NaN at t = 1" in said
    assert "force 'motor' in joint 'swing'" in said
    assert 0.9 < run.time.values[-1] <= 1.0
    assert np.isfinite(run.q.values).all()


@pytest.mark.parametrize("method", FAMILIES)
def test_a_law_without_value_is_named_in_equal_steps(method: str) -> None:
    model = systems.pendulum()
    model.joint_spring("spring", "swing", stiffness=2.0)
    model.joint_law("motor", "swing", lambda t: sqrt(1.0 - t))
    way = "explicit" if method == "rk4" else None
    run, said = ended(model, 2.0, method=method, formulation=way, step=0.01)
    assert "force 'motor' in joint 'swing'" in said
    assert "change the law" in said
    assert 0.9 < run.time.values[-1] <= 1.01
    assert np.isfinite(run.q.values).all()


@pytest.mark.parametrize("method", ["DOP853", "LSODA", "auto"])
def test_no_value_at_the_start_is_told_at_once(method: str) -> None:
    run, said = ended(systems.pendulum(), 2.0, tau=lambda t, q, qd: [np.nan], method=method)
    assert "NaN at t = 0 s in tau of 'swing'" in said
    assert run.sizes["time"] == 1


@pytest.mark.parametrize("method", ["DOP853", "RK45", "dopri5", "dop853"])
def test_stiff_forces_with_an_explicit_method_bring_advice(method: str) -> None:
    model = kt.Model("stiff", gravity=(1, 0, 0))
    model.prismatic("x", model.ground, model.body("m", mass=1.0), axis="x")
    model.joint_spring("s", "x", stiffness=1e10, damping=1e7)
    run, said = ended(model, 1.0, method=method, max_steps=500)
    assert "too many steps" in said
    assert "stiff method" in said
    assert 0 < run.time.values[-1] < 1.0
    good = kt.simulate(model, 1.0, method="BDF", max_steps=500)
    assert good.attrs["termination"] == "finished"
    assert good.q.values[-1, 0] == pytest.approx(1e-10, rel=READ_OFF)


@pytest.mark.parametrize("method", ["auto", "dopri5"])
def test_steps_that_stability_holds_bring_advice_at_the_end(method: str) -> None:
    model = kt.Model("stiff", gravity=(1, 0, 0))
    model.prismatic("x", model.ground, model.body("m", mass=1.0), axis="x")
    model.joint_spring("s", "x", stiffness=1e6, damping=1e5)
    run, said = ended(model, 0.2, method=method)
    assert run.attrs["termination"] == "finished"
    assert "stiff forces held the steps" in said
    assert "method='cvode_bdf'" in said


def test_steps_that_accuracy_asks_for_bring_none() -> None:
    model = kt.Model("quick", gravity=(1, 0, 0))
    model.prismatic("x", model.ground, model.body("m", mass=1.0), axis="x", initial=0.01)
    model.joint_spring("s", "x", stiffness=1e8)
    assert kt.simulate(model, 0.5, method="dopri5").attrs["steps"] > 2000


def test_a_law_without_value_in_a_closed_system_is_named() -> None:
    model = mechanisms.slider_crank()
    rod, slider = model.bodies["rod"], model.bodies["slider"]
    model.link("strut", rod, slider, lambda t: sqrt(0.2 - t))
    run, said = ended(model, 1.0)
    assert "NaN at t = 0.2 s in force 'strut' on 'rod' and 'slider'" in said
    assert 0.1 < run.time.values[-1] <= 0.2


def test_a_drive_or_a_state_without_value_is_named() -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + sqrt(0.2 - t) * (0.2 - t) ** 2)
    assert "at t = 0.2 s in the drive of 'q1'" in ended(model, 1.0)[1]
    model = systems.pendulum()
    model.state("tank", rate=lambda t: sqrt(0.2 - t))
    assert "at t = 0.2 s in rate of state 'tank'" in ended(model, 1.0)[1]


def test_an_interrupted_run_keeps_what_it_has() -> None:
    def law(t: float, q: Any, qd: Any) -> list[float]:
        if t > 1.0:
            raise KeyboardInterrupt
        return [0.0]

    run = kt.simulate(systems.pendulum(), 5.0, tau=law)
    assert run.attrs["termination"].startswith("interrupted at t = ")
    assert 0.5 < run.time.values[-1] <= 1.0
    assert run.attrs["steps"] > 5


@pytest.mark.parametrize("method", ["DOP853", "dop853"])
def test_progress_is_shown_when_asked(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    options: dict[str, Any] = {"method": method, "max_step": 0.01}
    quiet = kt.simulate(systems.pendulum(), 2.0, progress=False, **options)
    assert capsys.readouterr().err == ""
    run = kt.simulate(systems.pendulum(), 2.0, progress=True, **options)
    assert "t = " in capsys.readouterr().err
    assert np.array_equal(run.q.values, quiet.q.values)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "method": ({"method": "dopri"}, "'dopri5'"),
    "native method with a Python law": (
        {"method": "dop853", "tau": lambda t, q, qd: [0]},
        "'DOP853'",
    ),
    "coordinate": ({"q": {"swingg": 1}}, "'swing'"),
    "length": ({"q": [1, 2]}, "1 finite"),
    "not finite": ({"qd": [np.nan]}, "finite numbers"),
    "effort": ({"tau": {"swin": 1}}, "'swing'"),
    "efforts": ({"tau": [1, 2]}, "function of (t, q, qd)"),
    "law of wrong size": ({"tau": lambda t, q, qd: [1, 2]}, "return 1 number"),
    "wrench": ({"wrenches": {"push": [0] * 6}}, "push"),
    "parameter": ({"parameters": {"bob.mas": 1}}, "bob.mas"),
    "step": ({"step": -1}, "step"),
    "event": ({"events": {"low": "q_swin - 1"}}, "q_swing"),
    "event function": ({"events": {"low": lambda q: q["swin"]}}, "'swing'"),
    "event argument": ({"events": {"low": lambda r: r}}, "low"),
}


@pytest.mark.parametrize(("given", "cure"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence(given: dict[str, Any], cure: str) -> None:
    with pytest.raises(KinetreeError) as error:
        kt.simulate(systems.pendulum(mass=2.0), 1.0, **given)
    assert cure in str(error.value)


def test_a_quaternion_must_have_unit_length() -> None:
    with pytest.raises(KinetreeError, match="length 2"):
        kt.simulate(systems.top(), 1.0, q=[2, 0, 0, 0])


@pytest.mark.parametrize("duration", [0.0, -1.0, np.inf, np.nan])
def test_a_duration_is_positive(duration: float) -> None:
    with pytest.raises(KinetreeError, match="duration"):
        kt.simulate(systems.pendulum(), duration)


def test_an_event_knows_its_directions() -> None:
    with pytest.raises(KinetreeError, match="rising"):
        kt.Event("t", "up")
