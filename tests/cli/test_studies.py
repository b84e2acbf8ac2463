"""The verbs excite, identify and sweep: what they print, what they write, what they refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.analysis.test_sensitivity import oscillator
from tests.approx import FORMALISM, READ_OFF, assert_close
from tests.cli.test_analyses import Capture, answer, run, stored
from tests.identification.arms import arm, motion, recorded

import kinetree as kt

LIMITS = [word for k in range(3) for word in ("--speed", f"j{k}=2")]


def test_a_plan_is_made_recorded_and_identified(tmp_path: Path, capsys: Capture) -> None:
    file, plan = stored(arm(), tmp_path), tmp_path / "plan.nc"
    command = (
        "excite",
        file,
        "-t",
        "10",
        "--harmonics",
        "3",
        "--friction",
        "none",
        "--starts",
        "1",
    )
    found = answer(capsys, *command, *LIMITS, "--position", "j1=-1:1.5", "-o", str(plan))
    moved = kt.load_run(plan)
    assert found["base_parameters"] == 15
    assert moved.q.values[:, 1].max() <= 1.5
    assert "position of 'j1'" in found["limits_used"]
    data = recorded(arm(), {k: moved[k].values for k in ("time", "q", "qd", "qdd")})
    table = np.column_stack([data[k] for k in ("time", "q", "qd", "qdd", "tau")])
    names = ["stamp", *(f"{k}{n}" for k in ("q", "qd", "qdd", "tau") for n in (1, 2, 3))]
    csv, out, page = (tmp_path / name for name in ("run.csv", "found.yaml", "page.html"))
    np.savetxt(csv, table, delimiter=",", header=",".join(names), comments="")
    guess = tmp_path / "guess"
    guess.mkdir()
    other = stored(arm((2.0, 2.0, 2.0)), guess)
    found = answer(
        capsys, "identify", other, str(csv), "--friction", "none", "--cutoff", "0", "--column",
        "stamp=time", "--page", str(page), "-o", str(out),
    )  # fmt: skip
    assert_close(found["parameters"]["b1.h_x"], 0.7, FORMALISM)
    assert found["meaning"]["b1.h_x"] == "b1.h_x + 0.4 b2.mass"
    assert "<img" in page.read_text()
    again, state = kt.load(out), motion(seed=4)
    tau = kt.inverse(arm(), state).tau.values
    assert_close(kt.inverse(again, state).tau.values, tau, FORMALISM)
    assert run("identify", other, str(csv), "--column", "stamp=time") == 0
    printed = capsys.readouterr().out
    assert "rms held out" in printed
    assert "b1.h_x" in printed


def test_points_are_kept_from_planes(tmp_path: Path, capsys: Capture) -> None:
    file, plan = stored(arm(), tmp_path), tmp_path / "plan.nc"
    command = ("excite", file, "-t", "8", "--harmonics", "3", "--friction", "none", "--starts", "1")
    found = answer(
        capsys, *command, *LIMITS, "--clearance", "b2=0,0,2:0.3", "--clearance",
        "b2=-1,0,0:-0.7", "-o", str(plan),
    )  # fmt: skip
    assert "clearance of 'b2'" in found["limits_used"]
    moved = kt.load_run(plan).drop_vars("tau")
    assert kt.outputs(arm(), moved, ["b2.position"])["b2.position.z"].min() >= 0.15
    wrong = answer(capsys, *command, *LIMITS, "--clearance", "b2=0,1:0.3", code=1)
    assert "write POINT=NX,NY,NZ:DISTANCE" in wrong["error"]
    wrong = answer(capsys, *command, *LIMITS, "--clearance", "b22=0,0,1:0.3", code=1)
    assert "clearance of 'b22'" in wrong["error"]


def test_a_plan_weighs_what_is_measured_and_need_not_rest(tmp_path: Path, capsys: Capture) -> None:
    file, plan = stored(arm(), tmp_path), tmp_path / "plan.nc"
    command = ("excite", file, "-t", "8", "--harmonics", "3", "--friction", "none", "--starts", "1")
    given = {"harmonics": 3, "friction": (), "starts": 1, "speed": {f"j{k}": 2.0 for k in range(3)}}
    answer(capsys, *command, *LIMITS, "--deviation", "j2=0.1", "--no-rest", "-o", str(plan))
    moved = kt.load_run(plan)
    wanted = kt.excite(arm(), 8.0, deviations={"j2": 0.1}, rest=False, **given)
    assert_close(moved.q.values, wanted.q.values, FORMALISM)
    assert np.abs(moved.qd.values[0]).max() > 0.01
    assert np.abs(kt.excite(arm(), 8.0, rest=False, **given).q - wanted.q).max() > 0.01
    wrong = answer(capsys, *command, *LIMITS, "--deviation", "elbow=0.1", code=1)
    assert "elbow" in wrong["error"]


def test_gains_that_are_unknown_and_a_load(tmp_path: Path, capsys: Capture) -> None:
    def pendulum(mass: float, load: float = 1.5) -> kt.Model:
        model = kt.Model("pendulum")
        rod = model.body("rod", mass, (0.2, 0, 0), (0.01, 0.04, 0.04))
        model.revolute("hinge", model.ground, rod, axis="y")
        if load:
            held = model.body("load", load, (0, 0, 0), (0.002, 0.002, 0.002))
            model.fixed("grip", rod.point("tip", (0.4, 0, 0)), held)
        return model

    moved, csv, free = motion(201, joints=1), tmp_path / "run.csv", tmp_path / "free.csv"
    for file, load in ((csv, 1.5), (free, 0.0)):
        current = kt.inverse(pendulum(3.0, load), moved).tau.values / 0.5
        table = np.column_stack([*(moved[name] for name in ("time", "q", "qd", "qdd")), current])
        np.savetxt(file, table, delimiter=",", header="time,q1,qd1,qdd1,current1", comments="")
    command = ("identify", stored(pendulum(2.0), tmp_path), str(csv), "--friction", "none",
               "--cutoff", "0", "--gain", "hinge=unknown")  # fmt: skip
    found = answer(capsys, *command, "--carried", "load=1")
    assert "common factor" in found["untold"][0]  # the load is like a heavier rod
    both = answer(capsys, *command, str(free), "--carried", "load=1")
    assert_close(both["parameters"]["hinge.current_gain"], 0.5, FORMALISM)
    assert_close(both["parameters"]["rod.h_x"], 0.6, FORMALISM)


def test_runs_are_predicted_and_speeds_of_friction_found(tmp_path: Path, capsys: Capture) -> None:
    files = []
    for seed in (1, 2):
        data = recorded(arm(rubs=True), motion(301, seed=seed))
        table = np.column_stack([data[k] for k in ("time", "q", "qd", "qdd", "tau")])
        names = ["time", *(f"{k}{n}" for k in ("q", "qd", "qdd", "tau") for n in (1, 2, 3))]
        files.append(str(tmp_path / f"{seed}.csv"))
        np.savetxt(files[-1], table, delimiter=",", header=",".join(names), comments="")
    command = ("identify", stored(arm((2.0, 2.5, 1.5)), tmp_path), *files, "--cutoff", "0",
               "--friction", "coulomb", "--friction", "viscous", "--predict", "2")  # fmt: skip
    found = answer(capsys, *command, "--smooth", "unknown")
    assert_close(found["parameters"]["j1.smooth"], 0.02, FORMALISM)
    assert max(found["rms_held"].values()) < READ_OFF
    assert "not a valid speed" in answer(capsys, *command, "--smooth", "slow", code=1)["error"]
    pytest.importorskip("clarabel")
    volume = ("--method", "consistent", "--volume", "b2=0.1,0,0:0.3,0.2,0.2")
    found = answer(capsys, *command, *volume)
    assert found["deviations"]["b1.mass"] > 0.1
    wrong = answer(capsys, *command, *volume[:-1], "b2=0,0:1", code=1)
    assert "write BODY=X,Y,Z:A,B,C" in wrong["error"]


def test_a_sweep_goes_into_a_folder(tmp_path: Path, capsys: Capture) -> None:
    model = kt.Model("free", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", 1.0), axis="x")
    file, folder = stored(model, tmp_path), tmp_path / "study"
    command = ("sweep", file, "-t", "2", "--measure", "end=final(q_y)", "--over", "qd0.y=0:1")
    found = answer(capsys, *command, "-n", "64", "--into", str(folder))
    assert found["runs"] == 64
    assert_close(found["measures"][0]["mean"], 1.0, READ_OFF * 20)
    assert found["measures"][0]["share of qd0.y"] > 0.8
    assert kt.load_sweep(folder).sizes["run"] == 64
    again = answer(capsys, *command, "-n", "32", "--into", str(folder), code=1)
    assert "belongs to another sweep: plan" in again["error"]
    grid = ("--plan", "grid", "--over", "q0.y=0,1,2,3,4,5,6,7")
    assert (
        run(*command[:-1], "qd0.y=0.5", *grid, "--integrator", "trapezoidal", "--step", "0.1") == 0
    )
    printed = capsys.readouterr().out
    assert "8 of 8 runs" in printed
    wrong = answer(capsys, *command, "--plan", "dice", code=1)
    assert "sobol" in wrong["error"]


def test_a_study_is_swept_and_few_runs_are_told_one_by_one(tmp_path: Path, capsys: Capture) -> None:
    model = oscillator()
    plan = {"kind": "saltelli", "runs": 8}
    model.study("map", 1.0, {"c": (0.5, 2.0)}, {"end": "final(q_y) + peak(q_y)"}, plan=plan,
                run={"qd": {"y": 1.0}})  # fmt: skip
    file = stored(model, tmp_path)
    found = answer(capsys, "sweep", file, "--study", "map")
    assert found["runs"] == 8 * 3
    assert found["measures"][0]["measure"] == "end"
    found = answer(capsys, "sweep", file, "--study", "map", "--plan", "grid", "-n", "2")
    assert [row["c"] for row in found["rows"]] == [0.5, 2.0]
    assert [row["reason"] for row in found["rows"]] == ["", ""]
