"""Sampled controllers: values that are found at the ticks of clocks and held in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from tests.analysis.test_happenings import METHODS, block
from tests.approx import AT_STATES, IDENTITY, TRAJECTORY
from tests.export.models import PERIOD, cascade

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.functions import hold, previous


def exact_cascade(count: int) -> Any:
    """Rows of q, qd and the sampled values at the fast ticks: by the matrix exponential."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 2] = 1.0, 1 / 2.0
    F = expm(A * PERIOD)
    (q, v), aim, integral, rows = np.zeros(2), 0.0, 0.0, []
    for k in range(count):
        aim += 0.25 * (k % 4 == 0)
        error = aim - q
        integral += PERIOD * error
        force = 40 * error + 4 * integral - 9 * v
        rows.append([q, v, aim, error, integral, force])
        q, v, _ = F @ [q, v, force]
    return np.array(rows)


@pytest.mark.parametrize("method", METHODS)
def test_a_cascade_of_two_clocks_equals_its_exact_discrete_solution(method: str) -> None:
    """A slow clock moves the aim, a fast one controls: both tick together every fourth time."""
    how = {} if method == "rk4" else {"rtol": 1e-12, "atol": 1e-13}
    run = kt.simulate(cascade(), 1.0, method=method, step=PERIOD, **how)
    found = np.column_stack([run["q"].values, run["qd"].values, run["x"].values])
    assert found == pytest.approx(exact_cascade(21), abs=AT_STATES)
    names = run["event_name"].values
    assert (np.sum(names == "fast"), np.sum(names == "slow")) == (21, 6)
    assert run["event_time"].values[names == "slow"] == pytest.approx(0.2 * np.arange(6))


def test_previous_and_hold_are_values_before_the_tick() -> None:
    model = block()
    model.clock("c", 0.1)
    model.clock("other", 0.25, offset=0.05)
    model.sample("n", "c", lambda x: previous(x["n"]) + 1)
    model.sample("same", "c", lambda x: x["n"])
    model.sample("last", "c", lambda x: previous(x["n"]))
    model.sample("seen", "other", lambda x: hold(x["n"]))
    run = kt.simulate(model, 0.35, step=0.05)
    n, same, last, seen = run["x"].values.T
    assert n.tolist() == same.tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert last.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert seen.tolist() == [0, 1, 1, 1, 1, 1, 3, 3]  # ticks at 0.05 and 0.3, before that of c


def test_values_are_found_in_the_order_in_which_they_need_each_other() -> None:
    model = block()
    model.clock("fast", 0.1)
    model.clock("slow", of="fast", ratio=2, offset=1)
    model.sample("c", "fast")
    model.sample("b", "slow")
    model.sample("a", "fast", lambda t: 1.0 + t)
    model.sample_law("b", lambda x: 10 * x["a"])
    model.sample_law("c", lambda x: x["b"] + 100 * x["a"])
    run = kt.simulate(model, 0.4, step=0.1)
    c, b, a = run["x"].values.T
    assert a == pytest.approx([1.0, 1.1, 1.2, 1.3, 1.4], abs=IDENTITY)
    assert b == pytest.approx([0.0, 11.0, 11.0, 13.0, 13.0], abs=IDENTITY)
    assert c == pytest.approx(b + 100 * a, abs=IDENTITY)


def test_a_file_holds_clocks_and_sampled_values(tmp_path: Path) -> None:
    model = cascade()
    kt.save(model, tmp_path / "model.yaml")
    again = kt.load(tmp_path / "model.yaml")
    assert again.content_hash() == model.content_hash()
    ours, theirs = (kt.simulate(m, 0.4, step=0.1) for m in (model, again))
    assert np.array_equal(ours["x"].values, theirs["x"].values)
    assert "previous(x_i)" in (tmp_path / "model.yaml").read_text()


def test_a_run_goes_on_from_a_file_as_if_it_had_not_ended(tmp_path: Path) -> None:
    whole = kt.simulate(cascade(), 1.0, step=PERIOD)
    kt.simulate(cascade(), 0.5, step=PERIOD, file=tmp_path / "half.nc")
    rest = kt.simulate(cascade(), 0.5, step=PERIOD, continues=tmp_path / "half.nc")
    assert rest["x"].values == pytest.approx(whole["x"].values[10:], abs=TRAJECTORY)
    assert rest["q"].values == pytest.approx(whole["q"].values[10:], abs=TRAJECTORY)


def apart(model: kt.Model) -> None:
    model.clock("a", 0.1)
    model.clock("b", 0.25)
    model.sample("u", "a", lambda t: t)
    model.sample("v", "b", lambda x: 2 * x["u"])


def shifted(model: kt.Model) -> None:
    model.clock("a", 0.1)
    model.clock("b", 0.2, offset=0.05)
    model.sample("u", "a", lambda t: t)
    model.sample("v", "b", lambda x: 2 * x["u"])


def circle(model: kt.Model) -> None:
    model.clock("a", 0.1)
    model.sample("u", "a")
    model.sample("v", "a", lambda x: 2 * x["u"])
    model.sample_law("u", lambda x: 1 + x["v"])


def without_law(model: kt.Model) -> None:
    model.clock("a", 0.1)
    model.sample("u", "a")
    kt.simulate(model, 0.1)


BAD: dict[str, tuple[Any, str]] = {
    "apart": (apart, r"'v' sampled: it reads 'u', but its clock 'b' .* and 'a' .*hold\(x_u\)"),
    "shifted": (shifted, "do not divide"),
    "circle": (circle, r"'u' sampled: it needs its own value at the tick, by 'v'; .*previous"),
    "no law": (without_law, r"state 'u' sampled: it has no law; .*sample_law\('u'"),
    "itself": (lambda m: (m.clock("a", 0.1), m.sample("u", "a", lambda x: x["u"] + 1)),
               r"needs its own value at the tick; read previous\(x_u\)"),
    "previous q": (lambda m: (m.clock("a", 0.1), m.sample("u", "a", lambda q: previous(q["x"]))),
                   "previous is asked of what is not a sampled value; sample that"),
    "previous in a force": (lambda m: (m.clock("a", 0.1), m.sample("u", "a", lambda t: t),
                                       m.joint_law("f", "x", lambda x: previous(x["u"]))),
                            "'previous' says nothing there; use it in the law of a sampled"),
    "previous in a mass": (lambda m: m.body("b", mass=previous(m.parameter("m", 1.0))),
                           "body 'b' mass: 'previous' says what happens in a run; use it in laws"),
    "unknown clock": (lambda m: m.sample("u", "a", 1.0), "state 'u': there is no clock 'a'"),
    "no period": (lambda m: m.clock("a"), "clock 'a': its period is not given, or twice"),
    "negative": (lambda m: m.clock("a", -1.0), "clock 'a': its period is -1.0 s; give a positive"),
    "half": (lambda m: (m.clock("a", 0.1), m.clock("b", of="a", ratio=2, offset=0.5)),
             "clock 'b': its offset is 0.5; give a whole number of ticks"),
    "name of an event": (lambda m: (m.event("a", at=0.1), m.clock("a", 0.1)), "of this name"),
    "event of its name": (lambda m: (m.clock("a", 0.1), m.event("a", at=0.1)), "of this name"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_mistakes_are_told_in_one_sentence(case: str) -> None:
    add, told = BAD[case]
    with pytest.raises(KinetreeError, match=told):
        add(block())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("clocks: {a: 0.1}\nstates: {u: {clock: a}}", "clock and sampled belong together"),
        ("clocks: {a: 0.1}\nstates: {u: {clock: a, sampled: 1, rate: 2}}", "it has rate and clock"),
        ("clocks: {a: {of: b, ratio: 2}}", r"clock 'a', line \d+: there is no clock 'b'"),
        (
            "clocks: {a: 0.1}\nstates: {u: {clock: a, sampled: x_u + 1}}",
            r"line \d+.* its own value",
        ),
    ],
)
def test_mistakes_of_files_are_told_with_their_line(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    kt.save(block(), file)
    file.write_text(file.read_text() + text + "\n")
    with pytest.raises(KinetreeError, match=told):
        kt.load(file)
