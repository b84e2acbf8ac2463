"""Optimal values: closed forms, values found again, journals, bad input."""

from __future__ import annotations

import errno
import json
import os
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
from analysis.test_sensitivity import oscillator
from approx import CLOSED, COARSE_RUN, EQUAL_STEPS, READ_OFF, TRAJECTORY, assert_close
from kinetree.assembly.changed_values import change_values
from kinetree.model.parameters import parameter_table

MU = 0.05


def absorber() -> kt.Model:
    """A mass of 1 kg on a spring of 1 N/m with a small one on it, tuned by f and z."""
    model = kt.Model("absorber", gravity=(0, 0, 0))
    f, z = model.parameter("f", 0.9), model.parameter("z", 0.2)
    main, small = model.body("main", mass=1.0), model.body("small", mass=MU)
    model.prismatic("x", model.ground, main, axis="x")
    model.prismatic("d", main, small, axis="x")
    model.joint_spring("spring", "x", stiffness=1.0)
    model.joint_spring("tuned", "d", stiffness=MU * f**2, damping=2 * z * f * MU)
    return model


ABSORBER: dict[str, Any] = {
    "over": {"f": (0.8, 1.2), "z": (0.02, 0.4)}, "qd": {"x": 1.0, "d": -1.0}, "step": 10.0,
    "rtol": 1e-9, "atol": 1e-11,
}  # fmt: skip


def test_the_tuned_absorber() -> None:
    best = kt.optimise(absorber(), 250.0, kt.integral("q_x**2"), **ABSORBER)
    # least integral of x² after an impulse, Warburton's closed form for a mass ratio of 0.05
    assert_close(best.parameters["f"], 0.9642122253, TRAJECTORY)
    assert_close(best.parameters["z"], 0.1097722275, TRAJECTORY)
    assert best.converged
    assert best.active == ()
    assert best.gradient_error < TRAJECTORY
    assert best.model.parameters["f"].value == best.parameters["f"]
    assert best.history.sizes["parameter"] == 2


def test_a_throw_under_a_speed_goes_farthest_at_45_degrees() -> None:
    model = kt.Model("throw", gravity=(0, 0, -9.81))
    model.prismatic("x", model.ground, model.body("slide"), axis="x")
    model.prismatic("z", model.bodies["slide"], model.body("ball", mass=1.0), axis="z")
    best = kt.optimise(
        model, 10.0, kt.final("-q_x"), over={"qd0.x": (1, 20), "qd0.z": (1, 20)},
        subject_to={"speed": (kt.at_time("qd_x**2 + qd_z**2", 0.0), 100, 100)},
        start={"qd0.x": 9.0, "qd0.z": 3.0}, rtol=1e-11, tolerance=1e-12,
        events={"ground": kt.Event("q_z", "falling", stops=True)},
    )  # fmt: skip
    assert_close([best.parameters["qd0.x"], best.parameters["qd0.z"]], [50**0.5] * 2, TRAJECTORY)
    assert best.active == ("speed",)
    # range = v²/g: its slope by v² is the multiplier
    assert_close(best.multipliers["speed"], -1 / 9.81, TRAJECTORY)


def test_lengths_are_found_again_from_a_path() -> None:
    true = {"crank": 1.0, "coupler": 2.1, "rocker": 1.2}
    model = lengths.four_bar()
    t = np.linspace(0.05, 0.8, 16)
    path = {axis: kt.misfit(f"top.end.position.{axis}", t, np.zeros(len(t))) for axis in ("x", "y")}
    seen = kt.sensitivity(model, 0.8, path, by=["crank"], rtol=1e-11)
    data = [kt.misfit(f"top.end.position.{axis}", t, seen[axis].values) for axis in ("x", "y")]
    rough = {name: 1.1 * value for name, value in true.items()} | {"crank": 0.95}
    best = kt.optimise(
        model, 0.8, data, over={name: (0.8 * x, 1.2 * x) for name, x in true.items()},
        start={name: rough[name] for name in true}, rtol=1e-11, tolerance=1e-13,
    )  # fmt: skip
    for name, value in true.items():
        assert_close(best.parameters[name], value, TRAJECTORY, name)


def test_a_killed_optimisation_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = kt.optimise(absorber(), 60.0, kt.integral("q_x**2"), **ABSORBER)
    journal = tmp_path / "study" / "journal.jsonl"

    def stop_at(limit: int) -> Any:
        def progress(row: dict[str, Any]) -> None:
            if len(journal.read_bytes().splitlines()) > limit:
                raise KeyboardInterrupt

        return progress

    for limit in (2, 5, 8):
        with pytest.raises(KeyboardInterrupt):
            kt.optimise(absorber(), 60.0, kt.integral("q_x**2"), journal=journal,
                        progress=stop_at(limit), **ABSORBER)  # fmt: skip
        with journal.open("ab") as file:
            file.write(b'{"x": [0.9')  # killed while it wrote
    again = kt.optimise(absorber(), 60.0, kt.integral("q_x**2"), journal=journal, **ABSORBER)
    assert again.parameters == whole.parameters
    rows = [json.loads(line) for line in journal.read_bytes().splitlines()]
    assert len({tuple(row["x"]) for row in rows[1:]}) == len(rows) - 1  # none twice
    with pytest.raises(kt.errors.ModelError, match="belongs to another optimisation: duration"):
        kt.optimise(absorber(), 61.0, kt.integral("q_x**2"), journal=journal, **ABSORBER)


def test_a_journal_on_a_full_disk_is_told_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, flush, written = tmp_path / "journal.jsonl", os.fsync, []

    def full(number: int) -> None:
        written.append(number)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(number)

    monkeypatch.setattr(os, "fsync", full)
    given: dict[str, Any] = {"journal": journal, "over": {"c": (0.5, 2.0)}, "qd": {"y": 1.0}}
    with pytest.raises(kt.errors.FileError, match=r"journal '.*free some space on that disk"):
        kt.optimise(oscillator(), 1.0, kt.rms("q_y"), **given)
    monkeypatch.undo()
    again = kt.optimise(oscillator(), 1.0, kt.rms("q_y"), **given)
    whole = kt.optimise(oscillator(), 1.0, kt.rms("q_y"), **{**given, "journal": None})
    assert again.parameters == whole.parameters
    for place in (tmp_path, Path(os.devnull)):
        with pytest.raises(kt.errors.ModelError, match="not a valid file; name one"):
            kt.optimise(oscillator(), 1.0, kt.rms("q_y"), **{**given, "journal": place})


def test_a_journal_knows_data_and_functions_again(tmp_path: Path) -> None:
    t, path = np.linspace(0.001, 1.0, 1500), tmp_path / "journal.jsonl"

    def fit(data: Any, journal: Path = path) -> kt.Optimum:
        return kt.optimise(oscillator(), 1.0, kt.misfit("q_y", t, data), over={"c": (0.5, 2.0)},
                           qd={"y": 1.0}, journal=journal)  # fmt: skip

    data = np.sin(t)
    fit(data)
    for changed in (700, 1e-12):  # one of many values, and one by digits that no text shows
        other = data.copy()
        other[int(changed) if changed > 1 else 0] += min(changed, 1.0)
        with pytest.raises(kt.errors.ModelError, match="another optimisation: objective differs"):
            fit(other)

    def stop(factor: float, file: str) -> kt.Optimum:
        low = kt.Event(lambda q: factor * q["y"] - 0.1, "rising", stops=True)
        given: dict[str, Any] = {"over": {"c": (0.5, 2.0)}, "events": {"low": low}}
        return kt.optimise(oscillator(), 9.0, kt.final(lambda qd: qd["y"] ** 2), qd={"y": 1.0},
                           journal=tmp_path / file, **given)  # fmt: skip

    first = stop(1.0, "functions.jsonl")
    lines = (tmp_path / "functions.jsonl").read_bytes()
    assert stop(1, "functions.jsonl").parameters == first.parameters
    assert (tmp_path / "functions.jsonl").read_bytes() == lines  # nothing was made anew
    with pytest.raises(kt.errors.ModelError, match="another optimisation: run differs"):
        stop(2.0, "functions.jsonl")


@pytest.mark.parametrize("method", ["SLSQP", "L-BFGS-B", "ipopt", "differential_evolution"])
def test_no_method_makes_more_evaluations_than_it_may(method: str) -> None:
    if method == "ipopt":
        pytest.importorskip("casadi", reason="needs casadi")
    given: dict[str, Any] = {"over": {"c": (0.5, 2.0), "m": (0.5, 2.0)}, "method": method}
    best = kt.optimise(oscillator(), 2.0, kt.final("(q_y - 0.5)**2"), qd={"y": 1.0}, **given,
                       evaluations=4)  # fmt: skip
    assert best.history.sizes["evaluation"] <= 4 + 1 + 2  # the best one's gradient, its check
    assert not best.converged
    assert "used up" in best.message
    assert best.value == best.history.value.values[:4].min()


def test_what_is_raised_on_the_way_ends_ipopt_at_once() -> None:
    pytest.importorskip("casadi", reason="needs casadi")
    numbers = []

    def stop(row: dict[str, Any]) -> None:
        numbers.append(row["number"])
        if row["number"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kt.optimise(absorber(), 60.0, kt.integral("q_x**2"), **ABSORBER, method="ipopt",
                    progress=stop)  # fmt: skip
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_constraints_are_missed_by_the_least_that_bounds_allow(method: str) -> None:
    model, over = oscillator(), {"c": (0.0, 1.0), "m": (0.5, 1.0)}
    both = {"sum": (kt.final("c + m"), 3.0, None), "one": (kt.final("c"), 1.0, None)}
    with pytest.warns(kt.errors.ModelWarning, match="'sum' cannot be met .* missed by 1$"):
        best = kt.optimise(model, 0.1, kt.final("c + m"), over=over, subject_to=both,
                           method=method, start={"c": 0.2, "m": 0.6})  # fmt: skip
    assert_close([best.parameters["c"], best.parameters["m"]], [1.0, 1.0], TRAJECTORY)
    assert not best.converged


def test_where_the_first_values_have_no_run_others_are_tried() -> None:
    model, over = lengths.four_bar(), {"coupler": (2.0, 30.0)}
    seen = kt.simulate(model, 0.3, parameters={"coupler": 2.3}, rtol=1e-10)
    end = float(seen.q.sel(coordinate="c")[-1])
    for goal in (kt.misfit("q_c", [0.3], [end]), kt.final(f"(q_c - {end!r})**2")):
        best = kt.optimise(model, 0.3, goal, over=over, start={"coupler": 20.0}, tolerance=1e-14)
        assert_close(best.parameters["coupler"], 2.3, EQUAL_STEPS)
        assert "pin" in str(best.history.reason.values[0])


def test_bounds_constraints_and_cases() -> None:
    model, travel = oscillator(), kt.peak("q_y")
    cases = [{"qd": {"y": 0.5}}, {"qd": {"y": 1.0}}]
    best = kt.optimise(
        model, 3.0, kt.final("c"), over={"c": (0.1, 9.0)}, cases=cases, step=0.1,
        subject_to={"travel": (travel, None, 0.8)}, start={"c": 5.0}, rtol=1e-10,
    )  # fmt: skip
    # the faster case decides: peak = v √(m/c)
    assert_close(best.parameters["c"], 1 / 0.8**2, TRAJECTORY)
    assert_close(best.constraints["travel"], [0.4, 0.8], TRAJECTORY)
    low = kt.optimise(model, 1.0, kt.final("c"), over={"c": (0.5, 2.0)})
    assert low.active == ("c",)
    assert_close(low.multipliers["c"], 1.0, CLOSED)
    with pytest.warns(kt.errors.ModelWarning, match="'travel' cannot be met.*missed by 0.1"):
        kt.optimise(model, 3.0, kt.final("c"), over={"c": (0.1, 1.0)}, qd={"y": 0.5},
                    step=0.1, subject_to={"travel": (travel, None, 0.4)})  # fmt: skip
    with pytest.warns(kt.errors.ModelWarning, match="'travel' is not met yet.*more evaluations"):
        best = kt.optimise(
            model, 3.0, kt.final("c"), over={"c": (0.1, 9.0)}, qd={"y": 1.0}, step=0.1,
            subject_to={"travel": (travel, None, 0.8)}, start={"c": 0.2}, evaluations=1,
        )  # fmt: skip
    assert (best.converged, len(best.history.evaluation)) == (False, 1)


def test_every_constraint_that_is_missed_is_told_and_what_nothing_depends_on() -> None:
    missed = {"travel": (kt.peak("q_y"), None, 0.4), "end": (kt.final("q_y"), 5.0, None)}
    # as parts of 5 m and of 0.5 m, the larger of 0.4 m and of the peak at first, at c = 0.8528 N/m
    told = "'end' cannot .* missed by 4.8, 'travel' by 0.141"
    with pytest.warns(kt.errors.ModelWarning, match=told):
        kt.optimise(oscillator(), 3.0, kt.final("c"), over={"c": (0.1, 1.0)}, qd={"y": 0.5},
                    step=0.1, subject_to=missed)  # fmt: skip
    over = {"c": (0.5, 2.0), "gravity_x": (-1.0, 1.0)}
    with pytest.warns(kt.errors.ModelWarning, match="nor a constraint depends on 'gravity_x'"):
        kt.optimise(oscillator(), 1.0, kt.final("c"), over=over)
    for starts in (1, 3):
        with pytest.raises(kt.errors.ModelError, match=r"over: no trial has a run .* 'pin'"):
            kt.optimise(lengths.four_bar(), 0.1, kt.final("q_c"), over={"coupler": (20.0, 30.0)},
                        starts=starts)  # fmt: skip


def test_a_run_that_fails_is_a_bad_trial() -> None:
    model, over = lengths.four_bar(), {"coupler": (2.0, 9.0)}
    seen = kt.sensitivity(
        model, 0.3, {"m": kt.final("q_c")}, by=[], parameters={"coupler": 2.3}, rtol=1e-10
    )
    miss = kt.final(f"(q_c - {float(seen.value[0])!r})**2")
    best = kt.optimise(model, 0.3, miss, over=over, start={"coupler": 2.1}, tolerance=1e-14)
    assert_close(best.parameters["coupler"], 2.3, EQUAL_STEPS)
    wild = kt.optimise(model, 0.3, miss, over=over, method="differential_evolution", evaluations=8)
    assert (wild.history.reason.values != "").any()  # loops that do not close


METHODS = {"SLSQP": TRAJECTORY, "trust-constr": TRAJECTORY, "L-BFGS-B": TRAJECTORY,
           "ipopt": TRAJECTORY, "cma": READ_OFF, "differential_evolution": READ_OFF}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_absorber(method: str) -> None:
    if method == "ipopt":
        pytest.importorskip("casadi", reason="needs casadi")
    seen: list[dict[str, Any]] = []
    given = {**ABSORBER, "rtol": 1e-7, "method": method, "evaluations": 200}
    best = kt.optimise(absorber(), 100.0, kt.integral("q_x**2"), progress=seen.append, **given)
    exact = kt.optimise(absorber(), 100.0, kt.integral("q_x**2"), **{**given, "method": "auto"})
    for name, value in exact.parameters.items():
        assert_close(best.parameters[name], value, METHODS[method], name)
    assert [row["number"] for row in seen] == list(range(1, len(seen) + 1))
    assert {"value", "violation", "step"} <= set(seen[1])
    gradients = np.isfinite(best.history.gradient.values).all(axis=1)
    assert gradients.all() == (method not in {"cma", "differential_evolution"})


@pytest.mark.parametrize(
    ("method", "off"), [("ipopt", TRAJECTORY), ("cma", 1e-2), ("trust-constr", READ_OFF)]
)
def test_methods_with_constraints(method: str, off: float) -> None:
    if method == "ipopt":
        pytest.importorskip("casadi", reason="needs casadi")
    best = kt.optimise(
        oscillator(), 3.0, kt.final("c"), over={"c": (0.1, 9.0)}, step=0.1,
        qd={"y": 1.0}, subject_to={"travel": (kt.peak("q_y"), None, 0.8)}, start={"c": 5.0},
        method=method, tolerance=1e-8, evaluations=120,
    )  # fmt: skip
    assert_close(best.parameters["c"], 1 / 0.8**2, off)  # peak = v √(m/c)
    assert best.constraints["travel"][0] <= 0.8 * (1 + TRAJECTORY)


def test_gradients_are_made_as_is_asked_for() -> None:
    given = {**ABSORBER, "evaluations": 4}
    direct, adjoint = (
        kt.optimise(absorber(), 30.0, kt.integral("q_x**2"), **given, gradients=way)
        for way in ("direct", "adjoint")
    )
    assert_close(direct.history.gradient[:2], adjoint.history.gradient[:2], TRAJECTORY)
    assert direct.history.gradient.values.tobytes() != adjoint.history.gradient.values.tobytes()
    with pytest.raises(kt.errors.KinetreeError, match="gradients"):
        kt.optimise(absorber(), 30.0, kt.integral("q_x**2"), **given, gradients="reverse")


def test_an_objective_may_be_a_function_of_measures() -> None:
    both = kt.function_of("a + 4*b", a=kt.integral("q_x**2"), b=kt.final("f**2"))
    best = kt.optimise(absorber(), 40.0, both, **ABSORBER)
    apart = [kt.integral("q_x**2"), kt.final("4*f**2")]
    exact = kt.optimise(absorber(), 40.0, apart, **ABSORBER)
    assert_close(best.value, exact.value, CLOSED)
    assert_close(best.parameters["z"], exact.parameters["z"], TRAJECTORY)


def evolve(journal: Path | None) -> kt.Optimum:
    """A short search that draws its trials."""
    given = {**ABSORBER, "evaluations": 80, "method": "cma", "journal": journal}
    return kt.optimise(absorber(), 60.0, kt.integral("q_x**2"), **given)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_killed_ten_times_at_random_it_ends_in_the_same_point(tmp_path: Path) -> None:
    whole, random = evolve(None), np.random.default_rng(3)
    journal, fork, kills = tmp_path / "journal.jsonl", get_context("fork"), 0
    for _ in range(10):
        run = fork.Process(target=evolve, args=(journal,))
        before, more = _lines(journal), int(random.integers(1, 6))
        run.start()
        while run.is_alive() and _lines(journal) < before + more:
            time.sleep(0.001)
        time.sleep(0.004 * float(random.random()))
        kills += run.is_alive()
        run.kill()
        run.join()
    assert kills >= 8
    assert _lines(journal) < whole.history.sizes["evaluation"]
    assert evolve(journal).parameters == whole.parameters


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "order": ({"over": {"c": (2.0, 1.0)}}, r"over, 'c': its bounds are"),
    "name": ({"over": {"cc": (1.0, 2.0)}}, "over: there is no parameter or start value 'cc'"),
    "other": ({"start": {"m": 1.0}}, "start: there is no variable 'm'"),
    "option": ({"rtoll": 1e-9}, "optimise: there is no option 'rtoll'; did you mean 'rtol'"),
    "case": ({"cases": [{"qdd": 1.0}]}, "optimise: there is no option 'qdd'"),
    "none": ({"over": {}}, "nothing varies"),
    "measure": ({"objective": "q_y"}, "objective"),
    "method": ({"method": "guess"}, "method"),
    "constraints": ({"method": "L-BFGS-B"}, "it takes no constraints"),
    "squares": ({"method": "least_squares", "subject_to": {}}, "sum of squares"),
    "start": ({"start": {"c": 9.0}}, "9 is not between 1 and 2"),
    "twice": (
        {"subject_to": {"c": (kt.peak("q_y"), None, 1.0)}},
        "subject_to, 'c': something that",
    ),
    "own": ({"subject_to": {"objective 1": (kt.peak("q_y"), None, 1.0)}}, "or is minimised"),
    "cases": ({"cases": []}, "cases: there is none; leave it out"),
    "limits": ({"subject_to": {"m": (kt.peak("q_y"), 2.0, 1.0)}}, "subject_to, 'm'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    changes, sentence = BAD[name]
    given: dict[str, Any] = {
        "objective": kt.final("q_y"), "over": {"c": (1.0, 2.0)},
        "subject_to": {"peak": (kt.peak("q_y"), None, 1.0)}, **changes,
    }  # fmt: skip
    with pytest.raises(kt.errors.KinetreeError, match=sentence):
        kt.optimise(oscillator(), 1.0, given.pop("objective"), **given)


SIZES = {"SLSQP": COARSE_RUN, "trust-constr": TRAJECTORY, "L-BFGS-B": TRAJECTORY,
         "ipopt": TRAJECTORY, "differential_evolution": COARSE_RUN}  # fmt: skip


@pytest.mark.parametrize("size", [1e-5, 1e4])
@pytest.mark.parametrize("method", SIZES)
def test_micrometres_and_kilometres_have_one_optimum(method: str, size: float) -> None:
    if method == "ipopt":
        pytest.importorskip("casadi", reason="needs casadi")
    given = {"q": {"y": size}, "atol": 1e-12 * size, "method": method, "evaluations": 300}
    best = kt.optimise(damped(), 20.0, kt.integral("q_y**2"), over={"d": (0.5, 30.0)}, **given)
    assert_close(best.parameters["d"], np.sqrt(60), SIZES[method])  # of ∫ y² = (m k + d²)/(2 d k)
    assert best.converged
    if method in ("L-BFGS-B", "differential_evolution"):
        return
    limit = {"over": (kt.peak("-q_y"), None, 0.02 * size)}
    best = kt.optimise(damped(), 20.0, kt.integral("q_y**2"), over={"d": (0.5, 30.0)},
                       subject_to=limit, **given)  # fmt: skip
    share = 1 / np.sqrt(1 + (np.pi / np.log(0.02)) ** 2)  # of critical damping, overshoot 2 %
    assert_close(best.parameters["d"], 2 * share * np.sqrt(60), SIZES[method])
    assert best.active == ("over",)


def damped() -> kt.Model:
    """A mass of 2 kg on a spring of 30 N/m, and a damper."""
    model = kt.Model("damped", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", mass=2.0), axis="x")
    model.joint_spring("spring", "y", stiffness=30.0, damping=model.parameter("d", 1.0))
    return model


@pytest.mark.parametrize("method", ["SLSQP", "cma"])
def test_where_the_first_run_blows_up_others_are_tried(method: str) -> None:
    model = kt.Model("blown", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    d = model.parameter("d", -3.0)
    model.joint_law("air", "y", lambda q, qd: -d * qd["y"] * abs(qd["y"]) - q["y"])
    given: dict[str, Any] = {
        "qd": {"y": 3.0},
        "method": method,
        "evaluations": 60,
        "start": {"d": -5.0},
    }
    best = kt.optimise(
        model, 20.0, kt.final("(d - 0.7)**2 + 0*q_y"), over={"d": (-8.0, 1.0)}, **given
    )
    assert_close(best.parameters["d"], 0.7, 1e-2)
    assert "ended early" in str(best.history.reason.values[0])
    with pytest.raises(kt.errors.ModelError, match=r"no trial has a run .*ended early"):
        kt.optimise(model, 20.0, kt.final("q_y"), over={"d": (-8.0, -5.0)}, **given)


def test_a_gradient_is_checked_where_value_and_gradient_vanish() -> None:
    seen = kt.final("(q_y - 0.1)**2")  # least, and zero, where the spring is so stiff
    best = kt.optimise(damped(), 1.0, seen, over={"spring.rest": (0.0, 1.0)})
    assert best.value < TRAJECTORY**2
    assert best.gradient_error < EQUAL_STEPS


def test_models_take_new_values() -> None:
    model = lengths.strut()
    arm = model.body("arm", mass=2.0, com=(0.1, 0, 0), inertia=(1, 1, 1))
    model.revolute("more", model.bodies["beam"].point("end", (0.5, 0, 0)), arm, armature=0.1)
    model.joint_spring("spring", "more", stiffness=3.0)
    model.bushing("soft", arm, model.ground, stiffness=(1, 2, 3), damping=(0, 0, 0))
    values = {
        "length": 1.6, "arm.mass": 3.0, "arm.com_x": 0.2, "arm.inertia_xx": 2.0,
        "beam.end_x": 0.6, "more.armature": 0.3, "spring.stiffness": 4.0, "gravity_y": -5.0,
    }  # fmt: skip
    bushing = [n for n in parameter_table(model).values if n.startswith("soft.stiffness")]
    values |= dict.fromkeys(bushing[1:2], 7.0)
    new = parameter_table(change_values(model, values))
    known = {**new.values, **{row.name: row.value for row in new.rows}}
    assert {name: known[name] for name in values} == values
    assert change_values(model, {}).content_hash() == model.content_hash()
    assert change_values(model, values).content_hash() != model.content_hash()


def test_a_study_stands_in_the_model_file(tmp_path: Path) -> None:
    model, file = absorber(), tmp_path / "absorber.yaml"
    study = {"size": "integral(q_x**2)", "swing": "peak(abs(q_d))"}
    run: dict[str, Any] = {"qd": {"x": 1.0, "d": -1.0}, "step": 1.0}
    bounds = {"f": (0.8, 1.2), "z": (0.02, 0.4), "main.mass": (900.0, 1100.0)}
    model.study("tune", 60.0, bounds, study, minimise=["size"], subject_to={"swing": (None, 4.0)},
                units={"main.mass": "g"}, run=run)  # fmt: skip
    kt.save(model, file)
    back = kt.load(file)
    assert back.studies == model.studies
    assert back.content_hash() == absorber().content_hash()  # no equation changes by it
    found = kt.optimise(back, study="tune")
    same = kt.optimise(
        absorber(), 60.0, kt.integral("q_x**2"), over={**bounds, "main.mass": (0.9, 1.1)}, **run,
        subject_to={"swing": (kt.peak("abs(q_d)"), None, 4.0)},
    )  # fmt: skip
    for name, value in same.parameters.items():
        assert_close(found.parameters[name], value, TRAJECTORY, name)
    with pytest.raises(kt.errors.UnknownNameError, match="'tun'"):
        kt.optimise(back, study="tun")
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"variables": {"f": (2, 1)}}, "study 'new', 'f': its bounds are"),
        ({"minimise": ["sise"]}, "'sise'"), ({"subject_to": {"size": (1,)}}, "study 'new', 'size'"),
        ({"units": {"f": "parsec"}}, "parsec"),
        ({"plan": {"kind": "guess"}}, "study 'new', plan: there is no kind 'guess'"),
        ({"plan": {"kind": "grid", "runs": 0}}, "study 'new', plan, runs: it is 0"),
        ({"plan": {"run": 9}}, "'run'; did you mean 'runs'"),
    )  # fmt: skip
    model.study(
        "kilo", 1.0, {"main.mass": (1, 2)}, study, minimise=["size"], units={"main.mass": "mm"}
    )
    with pytest.raises(kt.errors.ModelError, match=r"'main.mass': 'mm' is not a unit .* in kg"):
        kt.optimise(model, study="kilo")
    model.study("name", 1.0, {"f": (1, 2)}, {"lost": "rms(q_lost)"}, minimise=["lost"])
    with pytest.raises(kt.errors.ExpressionError, match="measure 'objective lost': in 'q_lost'"):
        kt.optimise(model, study="name")
    for change, sentence in wrong:
        given: dict[str, Any] = {"variables": {"f": (1, 2)}, "measures": study, **change}
        with pytest.raises(kt.errors.KinetreeError, match=sentence):
            model.study("new", 1.0, **given)
    text = file.read_text().replace("minimise: [size]", "minimize: [size]")
    file.write_text(text)
    with pytest.raises(kt.errors.FormatError, match=r"studies\.tune\.minimize.*minimise"):
        kt.load(file)


# --- several starts ------------------------------------------------------------------------------


def two_hills() -> tuple[kt.Model, dict[str, Any]]:
    """A pendulum whose end has two least heights over the place where it begins."""
    model = kt.Model("swing", gravity=(0, -9.81, 0))
    bob = model.body("bob", mass=1.0, com=(1.0, 0, 0))
    model.revolute("swing", model.ground, bob, axis="z")
    run = {"over": {"q0.swing": (-9.0, 9.0)}, "start": {"q0.swing": 8.0}, "starts": 5, "seed": 3,
           "integrator": "trapezoidal", "step": 0.01, "tolerance": 1e-9}  # fmt: skip
    return model, run


def test_starts_go_side_by_side_and_find_the_best_end(monkeypatch: pytest.MonkeyPatch) -> None:
    model, run = two_hills()
    goal = kt.final("sin(q_swing/2) + 0.1*q_swing")
    monkeypatch.setattr("kinetree.analysis.optimising.side_by_side.run_task", None)
    best = kt.optimise(model, 0.5, goal, **run)  # in lanes: no run is made alone
    ends = [
        kt.optimise(model, 0.5, goal, **{**run, "starts": 1, "start": {"q0.swing": x}}).value
        for x in best.history.x.values[:5, 0].tolist()
    ]
    assert_close(best.value, min(ends), EQUAL_STEPS)
    assert max(ends) > min(ends) + 0.1
    assert best.converged


def test_starts_of_misfits_and_of_the_length_of_a_run_go_side_by_side() -> None:
    data = kt.misfit("q_y", [0.5, 1.0], np.sin([0.5, 1.0]))
    given: dict[str, Any] = {"qd": {"y": 1.0}, "starts": 3, "rtol": 1e-10}
    best = kt.optimise(oscillator(), 1.0, data, over={"c": (0.2, 4.0)}, **given)
    assert_close(best.parameters["c"], 1.0, TRAJECTORY)
    best = kt.optimise(oscillator(), 1.0, kt.final("-q_y"), over={"duration": (0.2, 3.0)}, **given)
    assert_close(best.parameters["duration"], np.pi / 2, READ_OFF)


@pytest.mark.parametrize("more", [{}, {"starts": 3}, {"method": "cma", "evaluations": 120}])
def test_an_equilibrium_and_its_modes_are_optimised(more: dict[str, Any]) -> None:
    model, over = oscillator(), {"c": (1.0, 9.0)}
    off = kt.function_of("(f - 0.3)**2", f=kt.frequency(1))
    best = kt.optimise(model, objective=off, over=over, at="equilibrium", tolerance=1e-14, **more)
    exact = (2 * np.pi * 0.3) ** 2  # f = √(c/m)/2π
    assert_close(best.parameters["c"], exact, READ_OFF)
    if more:
        return
    soft = kt.optimise(model, objective=kt.final("c"), over=over, at="equilibrium",
                       subject_to={"f": (kt.frequency(1), 0.3, None)})  # fmt: skip
    assert_close(soft.parameters["c"], exact, TRAJECTORY)
    assert_close(soft.multipliers["f"], 8 * np.pi**2 * 0.3, TRAJECTORY)  # dc/df
    with pytest.raises(kt.errors.UnsupportedError, match="it needs a run"):
        kt.optimise(model, objective=kt.rms("q_y"), over=over, at="equilibrium")


def test_starts_that_go_on_from_a_journal_end_alike(tmp_path: Path) -> None:
    model, run = two_hills()
    goal, path = kt.final("sin(q_swing/2) + 0.1*q_swing"), tmp_path / "study.jsonl"
    whole = kt.optimise(model, 0.5, goal, **run, journal=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]) + b"{broken")
    again = kt.optimise(model, 0.5, goal, **run, journal=path)
    assert again.parameters == whole.parameters
    assert again.value == whole.value
    assert path.read_bytes().splitlines(keepends=True)[: len(lines)] == lines


def test_what_is_told_while_starts_go_ends_all_of_them() -> None:
    model, run = two_hills()

    def stop(row: dict[str, Any]) -> None:
        if row["number"] == 7:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        kt.optimise(model, 0.5, kt.final("q_swing**2"), **run, progress=stop)


def test_starts_by_rates_and_without_slopes_go_side_by_side() -> None:
    model, run = two_hills()
    del run["integrator"]
    goal = kt.final("sin(q_swing/2) + 0.1*q_swing")
    rates = kt.optimise(model, 0.5, goal, **run)
    cma = kt.optimise(model, 0.5, goal, **{**run, "method": "cma", "evaluations": 60})
    assert_close(rates.value, cma.value, READ_OFF)
