"""Parameters found back from what is recorded of machines whose parameters are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import (
    EFFORTS,
    FILTERED,
    FORMALISM,
    IDENTITY,
    READ_OFF,
    TRAJECTORY,
    assert_close,
)
from tests.crosscheck.robots import package_folder
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

pytestmark = pytest.mark.filterwarnings("ignore:nothing can have")
GUESS = (2.0, 2.0, 2.0)
RUBS = ("coulomb", "viscous")


def exact(**options) -> kt.Identification:
    data = recorded(arm(rubs=True), motion())
    return kt.identify(arm(GUESS), data, cutoff=0, **{"friction": RUBS, **options})


@pytest.mark.parametrize("rotors", [False, True])
def test_exact_data_give_exact_values_and_a_model_that_needs_the_same_efforts(rotors: bool) -> None:
    fit, moved = exact(rotors=rotors), motion()
    assert fit.data.rms_held.max() < IDENTITY
    assert_close(fit.parameters["j1.coulomb"], 0.5, FORMALISM)
    true = recorded(arm(rubs=True), moved)["tau"]
    assert_close(kt.inverse(fit.model, moved).tau.values, true, FORMALISM, "efforts")


def test_values_that_no_body_can_have_are_told() -> None:
    data = recorded(arm(), motion())
    fit = kt.identify(arm(), {**data, "tau": -data["tau"]}, friction=(), cutoff=0)
    with pytest.warns(ModelWarning, match=r"for 'b0', .*: method='consistent' finds some"):
        assert fit.model is fit.model


def test_friction_below_zero_is_none_in_the_model_and_told() -> None:
    model, data = arm(), recorded(arm(rubs=True), motion())
    lifted = {**data, "tau": data["tau"] - 2 * (data["tau"] - recorded(arm(), motion())["tau"])}
    with pytest.warns(ModelWarning, match=r"dry friction of 'j\d' is -0.5, .* which drives it"):
        fit = kt.identify(arm(GUESS), lifted, friction=RUBS, cutoff=0)
    assert_close(fit.parameters["j1.viscous"], -0.3, FORMALISM)
    with pytest.warns(ModelWarning, match=r"'j1.viscous', .*: method='consistent' finds some"):
        made = fit.model
    tau = kt.inverse(made, motion()).tau.values
    assert_close(tau, recorded(model, motion())["tau"], FORMALISM)


def test_columns_that_do_not_belong_to_the_motion_are_told() -> None:
    data = recorded(arm(rubs=True), motion())
    with pytest.warns(ModelWarning, match=r"held out of 'j1' is missed by 1\d\d % .* order of the"):
        kt.identify(arm(), {**data, "tau": data["tau"][:, [1, 0, 2]]})


def test_base_parameters_are_said_in_words() -> None:
    fit = exact()
    assert fit.meaning["b1.h_x"] == "b1.h_x + 0.4 b2.mass"
    assert fit.meaning["j0.viscous"] == "j0.viscous"
    assert {"b0.mass", "b1.h_y"} <= set(fit.idle)
    assert fit.untold == ()


def test_what_a_joint_at_rest_does_not_tell_is_named_and_keeps_the_model_s_value() -> None:
    moved = motion()
    for name, value in (("q", 0.3), ("qd", 0.0), ("qdd", 0.0)):
        moved[name][:, 2] = value
    fit = kt.identify(arm(GUESS), recorded(arm(rubs=True), moved), friction=RUBS, cutoff=0)
    assert fit.untold == (
        "the data do not tell j2.coulomb: the motion does not excite it",
        "the data do not tell j2.viscous: the motion does not excite it",
    )
    assert fit.deviations["j2.viscous"] == np.inf
    assert fit.parameters["j2.viscous"] == 0.0
    data = recorded(arm(rubs=True), moved)
    fit = kt.identify(
        arm(GUESS), data, "instrumental", friction=RUBS, cutoff=0,
        instruments={**moved, "q": moved["q"] + 1e-12},
    )  # fmt: skip
    assert [text.split()[5] for text in fit.untold] == ["j2.coulomb:", "j2.viscous:"]
    assert fit.deviations["j2.viscous"] == np.inf
    assert_close(fit.parameters["b1.h_x"], 0.7, FORMALISM)
    pytest.importorskip("clarabel")
    fit = kt.identify(arm(GUESS, rubs=True), data, "consistent", friction=RUBS, cutoff=0)
    assert_close(fit.parameters["j2.coulomb"], 0.5, READ_OFF)
    assert fit.deviations["j2.coulomb"] > 1.0
    assert fit.deviations["j1.coulomb"] < 0.01


def test_sums_that_one_joint_alone_tells_are_said_whole() -> None:
    moved = motion()
    for name, value in (("q", 0.3), ("qd", 0.0), ("qdd", 0.0)):
        moved[name][:, [0, 2]] = value
    fit = kt.identify(arm(GUESS), recorded(arm(rubs=True), moved), friction=RUBS, cutoff=0)
    alone = [text.split()[5] for text in fit.untold if "not tell" in text]
    assert {"b0.I_zz:", "b1.I_xz:", "j0.coulomb:", "j2.viscous:"} < set(alone)
    c, s = np.cos(0.3), np.sin(0.3)  # b2 stands at an angle to b1
    whole = f"b1.I_xy + {c:.5g} b2.I_xy + {s:.5g} b2.I_yz"
    assert f"the data tell {whole}, not b1.I_xy, b2.I_xy and b2.I_yz alone" in fit.untold
    assert all(fit.deviations[name] == np.inf for name in ("b1.I_xy", "b2.I_yz", "b0.I_zz"))
    assert fit.deviations["b1.h_x"] < IDENTITY


def test_deviations_are_those_of_the_values_beside_them() -> None:
    pytest.importorskip("clarabel")
    data, random = recorded(arm(rubs=True), motion(401)), np.random.default_rng(4)
    tau = data["tau"] + random.normal(scale=0.1, size=data["tau"].shape)
    free, real = (
        kt.identify(arm(GUESS), {**data, "tau": tau}, method, friction=RUBS, cutoff=0)
        for method in ("least_squares", "consistent")
    )
    assert free.sums == free.meaning
    assert real.sums == {}
    for name, value in {"b1.mass": 2.0, "b1.h_x": 0.3, "b2.h_x": 0.15, "j1.viscous": 0.3}.items():
        assert abs(real.parameters[name] - value) < 3 * real.deviations[name]
    assert real.deviations["b1.h_x"] > 20 * free.deviations["b1.h_x"]  # that of a sum with b2.mass
    assert_close(real.deviations["b2.h_x"], free.deviations["b2.h_x"], 0.1)
    told = real.data.base_value.to_series()["b1.h_x"]
    assert abs(told - 0.7) < 4 * real.data["std"].to_series()["b1.h_x"]


def test_a_recording_is_predicted_that_was_not_fitted() -> None:
    first, second = (recorded(arm(rubs=True), motion(201, seed=k)) for k in (1, 2))
    fit = kt.identify(arm(GUESS), [first, second], friction=RUBS, cutoff=0, held_out=[2])
    assert fit.data.recording.values.tolist() == [1] * 201 + [2] * 201
    assert (fit.data.held.values == (fit.data.recording.values == 2)).all()
    assert fit.data.rms_held.max() < IDENTITY
    for wrong, text in (([3], "no recording 3; give .* 1 to 2"), ([1, 2], "recording is left")):
        with pytest.raises(KinetreeError, match=text):
            kt.identify(arm(GUESS), [first, second], held_out=wrong)


def test_the_payload_alone() -> None:
    data = recorded(arm((3.0, 2.0, 1.4), rubs=True), motion())
    fit = kt.identify(arm(rubs=True), data, bodies=["b2"], friction=(), cutoff=0)
    assert len(fit.parameters) == 10
    assert_close(fit.parameters["b2.mass"], 1.4, FORMALISM)
    assert_close(fit.model.bodies["b2"].com, (0.15, 0.04, 0.03), FORMALISM)


def test_friction_that_nobody_knows_misleads_efforts_and_not_the_wrench_on_the_ground() -> None:
    true, moved = arm(rubs=True), motion()
    for name in true.velocities:
        true.joint_law(
            f"odd_{name}", name, lambda q, name=name: -0.8 * kt.functions.tanh(3 * q[name])
        )
    state = {name: moved[name] for name in ("q", "qd", "qdd")}
    data = recorded(true, moved)
    data["wrench"] = kt.derive(true, "reaction").compile()(**state)["wrench"]
    told = {
        measured: kt.identify(arm(GUESS), data, measured=measured, friction=(), cutoff=0).parameters
        for measured in ("tau", "wrench")
    }
    assert abs(told["tau"]["b2.h_x"] - 0.15) > 0.1 * 0.15
    assert_close(told["wrench"]["b2.h_x"], 0.15, FORMALISM)
    assert_close(told["wrench"]["b0.mass"], 6.0, FORMALISM)


def test_loops_are_projected() -> None:
    true, t = mechanisms.slider_crank(), np.linspace(0, 4, 401)
    q = {"q1": 0.5 + 1.5 * t + 0.5 * np.sin(3 * t)}
    tau = {"q1": kt.inverse(true, {"time": t, "q": q}).tau.values[:, 0]}
    data = {"time": t, "q": q, "tau": tau}
    fit = kt.identify(true, data, friction=(), cutoff=0)
    assert fit.data.rms.max() < EFFORTS
    assert_close(fit.parameters["crank.h_x"], 1.5, EFFORTS)
    assert fit.meaning["slider.mass"] == "slider.mass + 0.5 rod.h_x"


@pytest.mark.filterwarnings("ignore:what is held out")
@pytest.mark.crosscheck
@pytest.mark.parametrize(
    ("robot", "locked", "count"),
    [
        ("ur_description/urdf/ur5_robot", {}, 36),
        ("panda_description/urdf/panda", {}, 48),
        ("panda_description/urdf/panda", {"panda_finger_joint1": 0.0}, 43),
    ],
)
def test_the_number_of_base_parameters_whatever_zeros_a_file_has(robot, locked, count) -> None:
    model = kt.load(package_folder() / f"{robot}.urdf")
    free = [name for name in model.coordinates if name not in locked]
    moved = motion(120, joints=len(free))
    data = {"time": moved["time"]} | {
        key: dict(zip(free, moved[key].T, strict=True)) for key in ("q", "qd", "qdd")
    }
    data["tau"] = dict.fromkeys(free, np.sin(moved["time"]))
    fit = kt.identify(model, data, friction=(), cutoff=0, locked=locked)
    assert len(fit.parameters) == len(fit.meaning) == count


def test_two_files_with_uneven_times_gaps_and_repeated_stamps(tmp_path: Path) -> None:
    random, files = np.random.default_rng(3), []
    for seed in (0, 1):
        data = recorded(arm(rubs=True), motion(4001, seed=seed, duration=20.0))
        rows = np.sort(random.choice(4001, 1900, replace=False))  # 95 rows per second
        rows = rows[(rows < 1800) | (rows > 2100)]
        rows = np.insert(rows, 50, rows[50])
        table = np.column_stack([data["time"], data["q"], data["tau"] / 0.05])[rows]
        table[77, 2] = np.nan
        names = ["stamp", *(f"q_j{k}" for k in range(3)), *(f"current{k}" for k in (1, 2, 3))]
        file = tmp_path / f"{seed}.csv"
        np.savetxt(file, table, delimiter=";", header=";".join(names), comments="")
        files.append(file)
    gains = {f"j{k}": 0.05 for k in range(3)}
    fit = kt.identify(arm(GUESS), files, friction=RUBS, columns={"stamp": "time"}, gains=gains)
    done = fit.data.attrs["data"]
    for words in ("1 rows without numbers", "1 rows with repeated times", "cut at 1 gaps", "Hz"):
        assert words in done
    assert (fit.data.rms_held.values < 0.01 * fit.data.measured.std("time").values).all()
    assert_close(fit.parameters["b1.h_x"], 0.7, FILTERED)
    assert_close(fit.parameters["j1.viscous"], 0.3, 0.05)


def test_estimates_come_back_through_the_model_file(tmp_path: Path) -> None:
    pytest.importorskip("clarabel")
    fit = exact(method="consistent", rotors=True)
    kt.save(fit.model, tmp_path / "arm.yaml")
    again, moved = kt.load(tmp_path / "arm.yaml"), motion()
    true = recorded(arm(rubs=True), moved)["tau"]
    assert_close(kt.inverse(again, moved).tau.values, true, TRAJECTORY, "efforts")
    page = fit.page(tmp_path / "page.html").read_text()
    assert "b1.h_x + 0.4 b2.mass" in page
    assert page.count("<img") == 2
    assert ">kg.m2<" in page
    assert "Physically consistent estimate from 1 recording: 701 rows fitted, 300 held out" in page
    bad = recorded(arm(rubs=True), motion())
    bad["tau"] = -bad["tau"]
    with pytest.warns(ModelWarning, match="which drives it"):
        fit = kt.identify(arm(GUESS), bad, cutoff=0)
    page = fit.page(tmp_path / "bad.html").read_text()
    assert "Nothing can have the values that go into the model for b0, b1, b2" in page


@pytest.mark.filterwarnings("ignore:body 'rod'")
def test_values_found_take_the_place_of_expressions(tmp_path: Path) -> None:
    text = """
name: pendulum
parameters: {L: 0.4}
bodies:
  rod: {mass: 3/2 * 2, com: [L/2, 0, 0], inertia: [0.01, 0.04, 0.04]}
joints:
  hinge: {kind: revolute, parent: ground, child: rod, axis: y}
"""
    (tmp_path / "rod.yaml").write_text(text)
    model, moved = kt.load(tmp_path / "rod.yaml"), motion(101, joints=1)
    data = recorded(model, moved)
    fit = kt.identify(model, {**data, "tau": 1.25 * data["tau"]}, friction=(), cutoff=0)
    with pytest.warns(ModelWarning, match=r"replace expressions of model 'pendulum': rod.com_x = "):
        kt.save(fit.model, tmp_path / "new.yaml")
    again = kt.load(tmp_path / "new.yaml")
    assert_close(kt.inverse(again, moved).tau.values, 1.25 * data["tau"], FORMALISM)


BAD = {
    "unit": ({}, {"units": {"tau": "deg"}}, "'deg' is not a unit of it, .* N.m"),
    "unit of none": ({}, {"units": {"q.j9": "deg"}}, "units: there is no name 'q.j9'; did"),
    "no current": ({}, {"gains": {"j0": 2.0}}, "no column 'current.j0'.*leave the gain of"),
    "no gain at all": ({}, {"gains": {"j0": 0.0}}, "gains, 'j0': it is 0.0; give a number"),
    "nothing": ({}, {"bodies": [], "friction": ()}, "bodies, friction: nothing is unknown"),
    "degrees": ({"q": lambda d: np.degrees(d["q"]), "qd": None, "qdd": None}, {}, "in radians"),
    "rates": ({"qd": lambda d: np.degrees(d["qd"])}, {}, "57.3 times the rate"),
    "column": ({"tau": lambda d: d["tau"][:, :2]}, {}, "no column 'tau.j2'"),
    "rows": ({key: lambda d, key=key: d[key][:9] for key in (*motion(9), "tau")}, {}, "9 rows"),
    "short": ({}, {"cutoff": 0.1}, "too short for a filter"),
    "rest": ({"q": lambda d: 0 * d["q"], "qd": None, "qdd": None}, {}, "nothing moves"),
    "noise": (
        {"q": lambda d: 0.3 + 1e-4 * np.random.default_rng(0).normal(size=d["q"].shape),
         "qd": None, "qdd": None}, {}, "nothing moves",
    ),
    "stop": ({"q": lambda d: np.clip(d["q"], -0.5, 0.5), "qd": None, "qdd": None}, {},
             "q of 'j0' stays at 0.5 for .* rows .* or it is at a stop"),
    "milliseconds": ({"time": lambda d: 1e3 * d["time"], "qd": None, "qdd": None}, {},
                     r"10 s apart; give the unit of its times.*\"ms\""),
    "backwards": ({"qd": lambda d: -d["qd"]}, {}, "is -1 times the rate of q; turn the sign"),
    "empty": ({"tau": lambda d: d["tau"] * [1, np.nan, 1]}, {}, "column of 'j1' is empty; fill it"),
    "saturated": ({"tau": lambda d: np.clip(d["tau"], -3, 3)}, {}, "is saturated"),
    "cutoff": ({}, {"cutoff": 80.0}, "at most 40 Hz"),
    "instruments": ({}, {"method": "instrumental"}, "instruments="),
    "gain": ({"tau": None, "current": lambda d: d["tau"]}, {}, "no gain"),
    "body": ({}, {"bodies": ["b9"]}, "did you mean"),
    "share": ({}, {"held_out": 1.0}, "0.3"),
    "renamed": ({}, {"columns": {"q11": "q2"}}, "columns of data: there is no column 'q11'; did"),
    "twice": ({}, {"columns": {"q1": "q2"}}, "columns of data: two of them are called 'q2'"),
    "volume": ({}, {"method": "consistent", "volumes": {"b1": ((0, 0, 0), (1, 0, 1))}}, "half axe"),
}  # fmt: skip
"""What is changed in good data, options, what the sentence says."""


@pytest.mark.parametrize("name", BAD)
def test_bad_data_are_refused_in_one_sentence(name: str) -> None:
    changes, options, text = BAD[name]
    good = recorded(arm(), motion())
    data = {**good, **{key: make and make(good) for key, make in changes.items()}}
    data = {key: value for key, value in data.items() if value is not None}
    with pytest.raises(KinetreeError, match=text):
        kt.identify(arm(), data, **options)


def test_units_are_read_where_they_are_told() -> None:
    data = recorded(arm(), motion())
    turned = {"time": 1e3 * data["time"], "q": np.degrees(data["q"]), "tau": data["tau"]}
    fit = kt.identify(arm(GUESS), turned, units={"q": "deg", "time": "ms"}, friction=())
    assert_close(fit.parameters["b1.h_x"], 0.7, FILTERED)
