"""What cannot happen is refused in one sentence that names the element and the cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analysis.test_happenings import block, slider_crank
from tests.approx import AT_STATES, IDENTITY

import kinetree as kt
from kinetree.errors import KinetreeError

METHODS = ("dop853", "rk4", "cvode_bdf", "RK45")


@pytest.mark.parametrize("name", ["q1", "q2", "q3"])
@pytest.mark.parametrize("method", ["dop853", "cvode_bdf"])
def test_what_an_event_changes_in_a_loop_is_what_it_says(name: str, method: str) -> None:
    """Whichever coordinates would be independent otherwise; the loops hold after it."""
    model = slider_crank()
    model.event("kick", then={f"qd_{name}": 1.5}, at=0.25)
    run = kt.simulate(model, 0.5, method=method, step=0.25)
    kicked = run.isel(time=1)
    assert float(kicked["qd"].sel(velocity=name)) == pytest.approx(1.5, abs=IDENTITY)
    q, qd = kicked["q"].values, kicked["qd"].values
    closing = np.cos(q[0]) * qd[0] + 2 * np.cos(q[0] + q[1]) * (qd[0] + qd[1])
    assert closing == pytest.approx(0, abs=AT_STATES)


def test_an_event_of_a_run_keeps_what_it_changes_too() -> None:
    kick = kt.Event(at=(0.25,), then={"qd_q1": 1.5})
    run = kt.simulate(slider_crank(), 0.5, step=0.25, events={"kick": kick})
    assert float(run["qd"][1].sel(velocity="q1")) == pytest.approx(1.5, abs=IDENTITY)


def test_a_reset_that_breaks_a_loop_is_refused() -> None:
    model = slider_crank()
    model.event("kick", then={"qd_q1": 1.0, "qd_q2": 1.0}, at=0.25)
    with pytest.raises(KinetreeError, match=r"event 'kick': the loops do not let 'q1', 'q2'"):
        kt.simulate(model, 0.5)
    model = slider_crank()
    model.event("kick", then={"qd_q1": 1.0}, at=0.25)
    with pytest.raises(KinetreeError, match=r"event 'kick': 'q1' follows from .* independent="):
        kt.simulate(model, 0.5, independent=["q2"])


def test_a_drive_that_comes_after_the_event_is_seen() -> None:
    model = slider_crank()
    model.event("kick", then={"qd_q1": 1.0}, at=0.25)
    model.drive("q1", lambda t: 1.0 + t)
    with pytest.raises(KinetreeError, match="event 'kick': 'q1' is driven"):
        kt.simulate(model, 0.5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("last", ["timed", "condition"])
def test_of_two_changes_at_one_instant_the_one_added_later_counts(method: str, last: str) -> None:
    model = block()
    model.mode("gear")
    adds: dict[str, Any] = {"timed": {"at": 0.3}, "condition": {"when": lambda t: t - 0.3}}
    first = next(name for name in adds if name != last)
    model.event(first, then={"gear": 1.0}, **adds[first])
    model.event(last, then={"gear": 2.0}, **adds[last])
    run = kt.simulate(model, 0.5, method=method, step=0.1)
    assert run["x"].values[-1, 0] == 2.0
    assert sorted(run["event_name"].values) == ["condition", "timed"]


def unset() -> kt.Model:
    """A block that is pushed by a mode without a first value."""
    model = block()
    model.mode("gear", None)
    model.joint_law("push", "x", lambda x: x["gear"])
    return model


def test_a_mode_that_nobody_has_set_is_refused(tmp_path: Path) -> None:
    told = r"mode 'gear': it has no value at the start; give x=\{'gear': …\}"
    model = unset()
    with pytest.raises(KinetreeError, match=told):
        kt.simulate(model, 1.0)
    with pytest.raises(KinetreeError, match=told):
        kt.simulate(model, 1.0, method="trapezoidal", step=0.1)
    with pytest.raises(KinetreeError, match=told):
        kt.linearise(model)
    with pytest.raises(KinetreeError, match=told):
        kt.export_c(model, tmp_path)
    assert kt.simulate(model, 1.0, x={"gear": 2.0})["x"].values[-1, 0] == 2.0


def test_an_event_at_the_start_sets_a_mode_and_files_keep_it_unset(tmp_path: Path) -> None:
    model = unset()
    model.event("shift", then={"gear": 3.0}, at=0.0)
    kt.save(model, tmp_path / "model.yaml")
    again = kt.load(tmp_path / "model.yaml")
    assert again.content_hash() == model.content_hash()
    for one in (model, again):
        assert kt.simulate(one, 1.0, step=0.5)["x"].values[:, 0].tolist() == [3.0] * 3


def test_a_state_with_a_rate_has_a_first_value(tmp_path: Path) -> None:
    kt.save(block(), tmp_path / "model.yaml")
    with (tmp_path / "model.yaml").open("a") as file:
        file.write("states:\n  w: {initial: null, rate: 1}\n")
    with pytest.raises(KinetreeError, match=r"states.w, line \d+: it has no initial value"):
        kt.load(tmp_path / "model.yaml")


@pytest.mark.parametrize(
    ("add", "told"),
    [
        (lambda m: m.event("e", then={"block.mass": 1.0}, at=1.0), r"'e': there is no .*'x_n"),
        (lambda m: m.event("e", then={"t": 1.0}, at=1.0), r"event 'e': there is no .* 't'"),
        (lambda m: (m.drive("x", lambda t: t), m.dry_friction("rub", "x", 1.0, 2.0)),
         r"dry friction 'rub': velocity 'x' is driven.*remove"),
        (lambda m: (m.drive("x", lambda t: t), m.lock("brake", "x", 1.0)),
         r"'x': it is driven and locked; keep one"),
    ],
)  # fmt: skip
def test_mistakes_of_a_model_are_told(add: Any, told: str) -> None:
    model = block()
    model.mode("n")

    def use() -> None:
        add(model)
        kt.simulate(model, 1.0)

    with pytest.raises(KinetreeError, match=told):
        use()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"method": "rk4", "step": 0.1, "rtol": 1e-3}, "rtol: method 'rk4' has no use for it"),
        ({"method": "hht", "max_steps": 9}, "max_steps: method 'hht' has no use for it"),
        ({"method": "BDF", "spectral_radius": 0.8}, "there is no option 'spectral_radius'"),
        ({"method": "cvode_bdf", "formulation": "hybrid"}, "method 'cvode_bdf': it integrates"),
        ({"method": "dop853", "tolerance": 1.0}, "tolerance: it is an option of equal steps"),
    ],
)
def test_options_that_a_method_does_not_know_are_told(how: dict[str, Any], told: str) -> None:
    with pytest.raises(KinetreeError, match=told):
        kt.simulate(block(), 1.0, **how)
