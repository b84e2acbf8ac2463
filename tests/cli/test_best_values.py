"""The verbs about what varies answer, write files, and say what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analysis import systems
from tests.approx import RUN, TRAJECTORY
from tests.cli.test_analyses import Capture, answer, run, stored

import kinetree as kt


def test_sensitivity_prints_values_and_derivatives(tmp_path: Path, capsys: Capture) -> None:
    model = stored(systems.pendulum(mass=2.0), tmp_path)
    out = tmp_path / "run.nc"
    command = ("sensitivity", model, "-t", "1", "--measure", "end=final(q_swing)",
               "--measure", "rms(qd_swing)", "--by", "q0.swing", "--by", "gravity_y",
               "--q", "swing=-1", "--method", "direct", "-o", str(out))  # fmt: skip
    found = answer(capsys, *command)
    assert list(found["value"]) == ["end", "rms(qd_swing)"]
    exact = kt.sensitivity(
        systems.pendulum(mass=2.0), 1.0, {"end": kt.final("q_swing")}, by=["q0.swing"],
        q={"swing": -1.0},
    )  # fmt: skip
    assert found["gradient"]["end"]["q0.swing"] == pytest.approx(float(exact.gradient[0, 0]))
    assert found["sensitivity_method"] == "direct"
    assert found["units"]["parameter"] == {"q0.swing": "rad", "gravity_y": "m/s2"}
    assert found["units"]["measure"] == {"end": "rad", "rms(qd_swing)": "rad/s"}
    assert "q_by" in kt.load_run(out)
    assert run(*command) == 0
    said = capsys.readouterr().out
    assert "by the direct method" in said
    assert "gravity_y" in said


def test_sensitivity_along_a_direction(tmp_path: Path, capsys: Capture) -> None:
    model = stored(systems.pendulum(mass=2.0), tmp_path)
    command = ("sensitivity", model, "-t", "1", "--measure", "end=final(q_swing)", "--by",
               "q0.swing", "--by", "gravity_y", "--order", "2")  # fmt: skip
    rows = answer(capsys, *command)["hessian"][0]
    found = answer(capsys, *command, "--along", "q0.swing=0.5", "--along", "gravity_y=2")
    exact = [0.5 * a + 2 * b for a, b in rows]
    assert list(found["hessian_product"]["end"].values()) == pytest.approx(exact, rel=TRAJECTORY)
    assert "hessian" not in found
    assert run(*command, "--along", "gravity_y=1") == 0
    assert "second derivatives along the direction" in capsys.readouterr().out
    wrong = answer(capsys, *command, "--along", "gravity_z=1", code=1)
    assert "gravity_z" in wrong["error"]


def test_sensitivity_of_an_equilibrium_and_mistakes(tmp_path: Path, capsys: Capture) -> None:
    model = stored(systems.pendulum(mass=2.0), tmp_path)
    found = answer(capsys, "sensitivity", model, "--at", "equilibrium", "--measure",
                   "f=frequency(1)", "--by", "gravity_y", "--q", "swing=-1.5")  # fmt: skip
    assert found["gradient"]["f"]["gravity_y"] < 0
    wrong = answer(capsys, "sensitivity", model, "-t", "1", "--measure", "q_swing", "--by",
                   "gravity_y", code=1)  # fmt: skip
    assert "names no kind of measure" in wrong["error"]


def test_optimise_writes_the_model_with_the_best_values(tmp_path: Path, capsys: Capture) -> None:
    model = kt.Model("oscillator", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    model.joint_spring("spring", "y", stiffness=model.parameter("c", 5.0))
    file, out = stored(model, tmp_path), tmp_path / "best.yaml"
    command = ("optimise", file, "-t", "3", "--minimise", "final(c)", "--over", "c=0.1:9",
               "--subject-to", "travel=peak(q_y) <= 0.8", "--qd", "y=1", "--step", "0.1",
               "--journal", str(tmp_path / "journal.jsonl"), "-o", str(out))  # fmt: skip
    found = answer(capsys, *command)
    assert found["parameters"]["c"] == pytest.approx(1 / 0.8**2, rel=TRAJECTORY)
    assert found["active"] == ["travel"]
    best = kt.load(out)
    assert best.parameters["c"].value == found["parameters"]["c"]
    assert run(*command) == 0
    assert "violation" in capsys.readouterr().out
    model.study("softest", 3.0, {"c": (0.1, 9.0)}, {"c": "final(c)", "travel": "peak(q_y)"},
                minimise=["c"], subject_to={"travel": (None, 0.8)},
                run={"qd": {"y": 1.0}, "step": 0.1})  # fmt: skip
    kt.save(model, file)
    same = answer(capsys, "optimise", file, "--study", "softest")
    assert same["parameters"]["c"] == pytest.approx(found["parameters"]["c"], rel=TRAJECTORY)
    wrong = answer(capsys, *command[:6], "--over", "c=0.1", code=1)
    assert "'c=0.1' gives no bounds" in wrong["error"]
    wrong = answer(capsys, *command[:8], "--subject-to", "travel < 1", code=1)
    assert "is not a valid constraint" in wrong["error"]


def test_runs_begin_at_rest(tmp_path: Path, capsys: Capture) -> None:
    model = kt.Model("hung", gravity=(0, 0, -9.81))
    model.prismatic("z", model.ground, model.body("body", mass=2.0), axis="z")
    model.prismatic("x", model.bodies["body"], model.body("slide", mass=1.0), axis="x")
    model.joint_spring("spring", "z", stiffness=model.parameter("c", 5.0))
    rest = (stored(model, tmp_path), "-t", "0.5", "--begin", "equilibrium", "--lock", "x")
    seen = ("--measure", "end=final(q_z)")
    found = answer(capsys, "sensitivity", *rest, *seen, "--by", "c")
    assert found["value"]["end"] == pytest.approx(-3 * 9.81 / 5, rel=RUN)
    assert found["gradient"]["end"]["c"] == pytest.approx(3 * 9.81 / 25, rel=RUN)
    over = ("--over", "c=2:5")
    best = answer(capsys, "optimise", *rest, "--minimise", "final(q_z**2)", *over)
    assert best["parameters"]["c"] == pytest.approx(5.0, rel=RUN)
    many = answer(capsys, "sweep", *rest, *seen, "--over", "c=2,5", "--plan", "grid")
    assert many["failed"] == 0
    place = (rest[0], "--at", "equilibrium", "--lock", "x")
    many = answer(capsys, "sweep", *place, *seen, "--over", "c=2,5", "--plan", "grid")
    assert [row["end"] for row in many["rows"]] == pytest.approx([-3 * 9.81 / 2, -3 * 9.81 / 5])
    best = answer(capsys, "optimise", *place, "--minimise", "final(q_z**2)", "--over", "c=2:8")
    called = ("--minimise", "low=final(q_z**2)", "--over", "c=2:8")
    assert answer(capsys, "optimise", *place, *called)["value"] == best["value"]
    assert best["active"] == ["c"]
