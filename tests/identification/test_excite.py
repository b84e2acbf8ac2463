"""Exciting motions: what they tell, that they hold their limits, what is refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, FORMALISM, IDENTITY, assert_close
from tests.crosscheck.robots import package_folder
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.errors import KinetreeError

LIMITS: dict[str, Any] = {
    "position": {"j0": (-2.0, 1.0), "j1": 1.2, "j2": 1.5}, "speed": 2.0, "acceleration": 6.0,
    "effort": {"j0": 9.0, "j1": 33.0},
}  # fmt: skip
QUICK: dict[str, Any] = {"starts": 1, "step": 0.02}


def planned(**options: Any) -> Any:
    return kt.excite(arm(), 10.0, 4, **{**LIMITS, **QUICK, **options})


def shrunk(moved: Any) -> Any:
    """A motion made so small that it holds the limits of positions, speeds, accelerations."""
    limits = {"q": 1.0, "qd": 2.0, "qdd": 6.0}
    size = min(most / np.abs(moved[name]).max() for name, most in limits.items())
    return {name: size * moved[name] for name in limits}


@cache
def regressor() -> tuple[Any, list[int]]:
    """All columns of the arm as a function, and the numbers of those of base parameters."""
    program = kt.derive(arm(), "regressor", base_parameters=False)
    fit = kt.identify(arm(), recorded(arm(), motion()), friction=(), cutoff=0)
    kept = [k for k, name in enumerate(program.output("pi").labels) if name in fit.meaning]
    return program.compile(), kept


def columns(moved: Any) -> Any:
    """Columns of base parameters from the regressor of all parameters."""
    function, kept = regressor()
    state = {name: np.asarray(moved[name]) for name in ("q", "qd", "qdd")}
    return function(**state)["Y"][:, :, kept]


def test_an_exciting_motion_tells_more_than_random_ones_and_holds_all_limits() -> None:
    found = planned(friction=())
    Y = columns(found).reshape(3 * found.sizes["time"], -1)
    assert_close(np.linalg.cond(Y), found.attrs["condition"], 0.01)
    for seed in range(5):
        other = columns(shrunk(motion(501, seed=seed)))
        assert np.linalg.cond(other.reshape(len(Y), -1)) > 1.2 * found.attrs["condition"]
    fine = planned(friction=(), step=0.001, effort={"j0": 9.0, "j1": 7.0})
    q, qd, qdd = (fine[name].values for name in ("q", "qd", "qdd"))
    assert (q >= [-2.0, -1.2, -1.5]).all()
    assert (q <= [1.0, 1.2, 1.5]).all()
    assert np.abs(qd).max() <= 2.0
    assert np.abs(qdd).max() <= 6.0
    tau = kt.inverse(arm(), {"time": fine.time.values, "q": q, "qd": qd, "qdd": qdd}).tau.values
    assert_close(fine.tau.values, tau, FORMALISM)
    assert (np.abs(tau[:, :2]).max(axis=0) <= [9.0, 7.0]).all()
    assert np.abs(found.tau[:, 1]).max() > 7.0
    assert "effort of 'j1': 9" in fine.attrs["limits_used"]


def test_it_begins_and_ends_at_rest_and_its_rates_are_its_rates() -> None:
    found = planned(step=0.001)
    ends = found.isel(time=[0, -1])
    assert_close(ends.q[0], ends.q[1], IDENTITY)
    assert max(np.abs(ends.qd).max(), np.abs(ends.qdd).max()) < IDENTITY
    for slow, fast in (("q", "qd"), ("qd", "qdd")):
        rates = np.gradient(found[slow].values, 0.001, axis=0)[1:-1]
        assert_close(rates, found[fast].values[1:-1], COARSE_RUN)
    free = planned(rest=False)
    assert np.abs(free.qdd[0]).max() > 0.01


def test_points_keep_away_from_planes() -> None:
    low = planned(friction=())
    high = planned(friction=(), clearance={"b2": [((0, 0, 2), 0.3), ((-1.0, 0, 0), -0.7)]})
    seen = [kt.outputs(arm(), run.drop_vars("tau"), ["b2.position"]) for run in (low, high)]
    heights = [run["b2.position.z"].values.min() for run in seen]
    assert heights[0] < 0.1
    assert heights[1] >= 0.15
    assert seen[1]["b2.position.x"].values.max() <= 0.7
    assert "clearance of 'b2'" in high.attrs["limits_used"]


def test_the_determinant_the_wrench_and_deviations_lead_to_other_motions() -> None:
    def log_det(moved: Any) -> float:
        Y = columns(moved).reshape(-1, columns(moved).shape[2])
        return float(np.linalg.slogdet(Y.T @ Y)[1])

    usual = planned(friction=())
    assert log_det(planned(friction=(), criterion="determinant")) > log_det(usual)
    wrench = planned(friction=(), measured="wrench")
    assert wrench.attrs["base_parameters"] > usual.attrs["base_parameters"]
    weighed = planned(friction=(), deviations={"j2": 0.1})
    assert abs(weighed.attrs["condition"] - usual.attrs["condition"]) > 0.1


def test_what_was_planned_is_identified() -> None:
    true, plan = arm(rubs=True), planned()
    moved = {name: plan[name].values for name in ("time", "q", "qd", "qdd")}
    fit = kt.identify(arm((2.0, 2.0, 2.0)), recorded(true, moved), cutoff=0)
    assert fit.untold == ()
    assert_close(fit.parameters["j1.coulomb"], 0.5, FORMALISM)
    other = motion(501)
    random = kt.identify(arm(), recorded(true, {**other, **shrunk(other)}), cutoff=0)
    assert fit.data.attrs["condition"] < random.data.attrs["condition"]


@pytest.mark.crosscheck
def test_the_panda_in_twenty_seconds() -> None:
    model = kt.load(package_folder() / "panda_description/urdf/panda.urdf")
    found = kt.excite(model, 20.0, locked={"panda_finger_joint1": 0.0}, starts=1)
    assert found.attrs["base_parameters"] == 43 + 21
    assert found.attrs["condition"] < 80
    bounds = [joint.limits for joint in model.leaders if joint.limits][:7]
    q, qd, tau = (found[name].values[:, :7] for name in ("q", "qd", "tau"))
    assert (q >= [row.lower for row in bounds]).all()
    assert (q <= [row.upper for row in bounds]).all()
    assert (np.abs(qd) <= [row.velocity for row in bounds]).all()
    assert (np.abs(tau) <= [row.effort for row in bounds]).all()


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "order": ({"position": {"j0": (1.0, -1.0)}}, "position of 'j0': it is .* in this order"),
    "name": ({"speed": {"j9": 1.0}}, "did you mean"),
    "free": ({"speed": None, "acceleration": None}, "neither its speed nor its acceleration"),
    "effort": ({"effort": {"j1": 0.1}}, "limits: no motion .* is passed by .* 'j1' is"),
    "plane": ({"clearance": {"b2": (0, 0, 1)}}, "clearance of 'b2'.*valid plane"),
    "far": ({"clearance": {"b2": ((0, 0, 1), 3.0)}}, "clearance of 'b2' is passed .* m.* widen"),
    "few": ({"harmonics": 2}, "at least 3"),
    "word": ({"friction": ["dry"]}, "friction"),
    "still": ({"locked": {"j0": 0.0, "j1": 0.0, "j2": 0.0}}, "nothing moves"),
    "deviation": ({"deviations": {"j0": -1.0}}, "deviations"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name: str) -> None:
    options, text = BAD[name]
    given = {**LIMITS, **QUICK, "harmonics": 4, **options}
    with pytest.raises(KinetreeError, match=text):
        kt.excite(arm(), 10.0, **given)
