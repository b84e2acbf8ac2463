"""The verbs about motion answer, write files, and succeed only when the analysis did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.analysis import systems
from tests.approx import TRAJECTORY

import kinetree as kt
from kinetree.cli import analyses, efforts, main
from kinetree.engine import sqrt
from kinetree.functions import select

Capture = pytest.CaptureFixture[str]


def run(*arguments: str) -> int:
    """Exit code of a command run in this process."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def answer(capsys: Capture, *arguments: str, code: int = 0) -> Any:
    """What a command prints with --json."""
    assert run(*arguments, "--json") == code
    return json.loads(capsys.readouterr().out)


def stored(model: kt.Model, folder: Path) -> str:
    file = folder / f"{model.name}.yaml"
    kt.save(model, file)
    return str(file)


def test_simulate_writes_a_run_and_says_where_it_ended(tmp_path: Path, capsys: Capture) -> None:
    model = stored(systems.pendulum(mass=2.0), tmp_path)
    out = tmp_path / "run.nc"
    command = ("simulate", model, "-t", "1", "--q", "swing=-1", "--qd", "swing=0.5")
    found = answer(capsys, *command, "--set", "bob.mass=3", "-o", str(out), "--method", "RK45")
    assert found["termination"] == "finished"
    assert found["method"] == "RK45"
    back = kt.load_run(out)
    assert found["last"]["q_swing"] == back.q.values[-1, 0]
    assert back.q.values[0] == pytest.approx([-1.0])
    assert run(*command) == 0
    assert "pendulum at t = 1 s (finished)" in capsys.readouterr().out


def test_simulate_goes_on_from_a_file(tmp_path: Path, capsys: Capture) -> None:
    command = ("simulate", stored(systems.pendulum(), tmp_path), "-t", "1")
    first, rest, table = (str(tmp_path / name) for name in ("first.nc", "rest.nc", "rest.csv"))
    ended = answer(capsys, *command, "-o", first)
    found = answer(capsys, *command, "--continue", first, "-o", rest)
    assert found["end_time"] == 2.0
    assert kt.load_run(rest).q.values[0, 0] == ended["last"]["q_swing"]
    assert answer(capsys, *command, "--continue", first, "-o", table)["last"] == found["last"]
    assert Path(table).read_text().count("\n") > 500
    wrong = answer(capsys, *command, "--continue", first, "--q", "swing=1", code=1)
    assert "q: the run that this one continues gives it" in wrong["error"]


def test_simulate_stops_where_told(tmp_path: Path, capsys: Capture) -> None:
    found = answer(
        capsys, "simulate", stored(systems.pendulum(), tmp_path), "--stop", "q_swing + 1"
    )
    assert found["last"]["q_swing"] == pytest.approx(-1.0)
    assert found["events"][0]["time"] == pytest.approx(found["end_time"])


def test_a_run_that_loses_its_numbers_fails_but_is_written(tmp_path: Path, capsys: Capture) -> None:
    model = systems.pendulum()
    model.joint_law("motor", "swing", lambda t: sqrt(0.5 - t))
    file, out = stored(model, tmp_path), tmp_path / "run.nc"
    found = answer(capsys, "simulate", file, "-t", "1", "-o", str(out), code=1)
    assert "force 'motor'" in found["error"]
    assert 0.4 < kt.load_run(out).time.values[-1] <= 0.5
    assert run("simulate", file, "-t", "1") == 1
    assert "warning: NaN" in capsys.readouterr().err


def test_equilibrium_modes_and_linearise(tmp_path: Path, capsys: Capture) -> None:
    model = stored(systems.double_pendulum(), tmp_path)
    start = ("--q", "a=-1.4", "--q", "b=0.1")
    rest = answer(capsys, "equilibrium", model, *start)
    assert rest["q_a"] == pytest.approx(-np.pi / 2)
    held = answer(capsys, "equilibrium", model, "--q", "a=0.3", "--q", "b=-1.5", "--lock", "a")
    assert held["effort_a"] == pytest.approx(1.5 * systems.G * np.cos(0.3))
    out = tmp_path / "modes.json"
    found = answer(capsys, "modes", model, *start, "--equilibrium", "-o", str(out))
    assert [row["mode"] for row in found["modes"]] == [1, 2]
    assert json.loads(out.read_text())["modes"] == found["modes"]
    still = answer(capsys, "simulate", model, *start, "-t", "1", "--equilibrium")
    assert still["last"]["q_a"] == pytest.approx(-np.pi / 2)
    lin = answer(capsys, "linearise", model, *start)
    assert np.array(lin["A"]).shape == (4, 4)
    for verb in ("equilibrium", "modes", "linearise"):
        assert run(verb, model, *start) == 0
    assert "frequency Hz" in capsys.readouterr().out


def test_inverse_of_a_run(tmp_path: Path, capsys: Capture) -> None:
    model = stored(systems.pendulum(), tmp_path)
    motion = tmp_path / "run.nc"
    assert run("simulate", model, "-t", "0.5", "--tau", "swing=2", "-o", str(motion)) == 0
    capsys.readouterr()
    found = answer(capsys, "inverse", model, str(motion), "-o", str(tmp_path / "tau.csv"))
    assert found["efforts"] == [{"velocity": "swing", "largest |tau|": pytest.approx(2.0)}]
    assert (tmp_path / "tau.csv").is_file()


def test_inverse_and_reactions_of_a_closed_run(tmp_path: Path, capsys: Capture) -> None:
    model, motion = stored(mechanisms.slider_crank(), tmp_path), str(tmp_path / "run.nc")
    run("simulate", model, "-t", "0.3", "--tau", "q1=4", "--max-step", "0.1", "-o", motion)
    capsys.readouterr()
    command = ("inverse", model, motion, "--independent", "q1")
    alone = answer(capsys, *command, "--actuator", "q1")
    assert alone["efforts"][0]["largest |tau|"] == pytest.approx(4.0)
    every = [word for name in ("q1", "q2", "q3") for word in ("--actuator", name)]
    shared = answer(capsys, *command, *every, "--weight", "q1=2", "--bound", "q2=-1.2:")
    assert shared["efforts"][1]["largest |tau|"] == pytest.approx(1.2)
    assert run(*command, "--actuator", "q1", "--bound", "q1=-1:1") == 1
    assert "the motion needs more than the bounds allow" in capsys.readouterr().err
    out = tmp_path / "reactions.csv"
    found = answer(capsys, "reactions", model, motion, "--joint", "pin", "-o", str(out))
    assert [row["name"] for row in found["reactions"]] == ["pin"]
    assert "reaction_closure.pin.fx" in out.read_text()
    assert run("reactions", model, motion) == 0
    assert "closure" in capsys.readouterr().out


def test_branches_and_repeated_equations_are_told(tmp_path: Path, capsys: Capture) -> None:
    model = systems.pendulum()
    model.joint_law("stop", "swing", lambda q: select(q["swing"] + 1, 0, 5))
    found = answer(capsys, "simulate", stored(model, tmp_path), "-t", "1", "--mark-laws")
    assert found["events"][0]["event"].startswith("laws: ")
    assert run("simulate", stored(mechanisms.bricard(), tmp_path), "-t", "0.1") == 0
    assert "repeat others" in capsys.readouterr().err


def test_simulate_closes_loops_as_told(tmp_path: Path, capsys: Capture) -> None:
    model = stored(mechanisms.slider_crank(), tmp_path)
    command = ("simulate", model, "-t", "0.3", "--q", "q1=0.4", "--qd", "q1=2")
    plain = answer(capsys, *command, "--independent", "q1")
    other = answer(capsys, *command, "--loops", "multipliers")
    assert plain["last"]["q_q3"] == pytest.approx(other["last"]["q_q3"], abs=TRAJECTORY)
    assert run(*command, "--loops", "multiplier") == 1
    assert "'multipliers'" in capsys.readouterr().err


def test_kinematics_of_a_driven_mechanism(tmp_path: Path, capsys: Capture) -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + t)
    found = answer(capsys, "kinematics", stored(model, tmp_path), "-t", "1", "--step", "0.1")
    assert found["last"]["q_q1"] == pytest.approx(1.5)
    assert found["times"] == 11


MISTAKES = {
    "value": (("simulate", "--q", "swing"), "name=0.5"),
    "number": (("simulate", "--q", "swing=up"), "name=0.5"),
    "name": (("simulate", "--q", "swin=1"), "'swing'"),
    "method": (("simulate", "--method", "dop85"), "'dop853'"),
    "suffix": (("simulate", "-t", "0.1", "-o", "run.txt"), ".nc"),
    "suffix of modes": (("modes", "--equilibrium", "-o", "modes.nc"), ".json"),
    "locked": (("equilibrium", "--lock", "swin"), "'swing'"),
    "bounds": (("inverse", "run.nc", "--bound", "swing=up"), "name=-1:2"),
    "no drive": (("kinematics",), "drive"),
}


@pytest.mark.parametrize(("command", "cure"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence(
    command: tuple[str, ...], cure: str, tmp_path: Path, capsys: Capture
) -> None:
    verb, *options = command
    assert run(verb, stored(systems.pendulum(), tmp_path), *options) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert cure in said


def test_simulate_in_equal_steps(tmp_path: Path, capsys: Capture) -> None:
    model, out = stored(mechanisms.slider_crank(), tmp_path), tmp_path / "run.nc"
    steps = ("-t", "0.2", "--step", "0.01", "--formulation", "hybrid", "--method", "hht")
    found = answer(capsys, "simulate", model, *steps, "-o", str(out))
    assert found["method"] == "hht"
    assert kt.load_run(out).sizes["time"] == 21


TELLING: dict[str, tuple[str, ...]] = {
    "kinematics": (), "equilibrium": ("--q", "q1=1"), "linearise": (), "modes": (),
    "inverse": ("RUN",), "reactions": ("RUN",), "outputs": ("RUN", "--output", "energy.total"),
    "sensitivity": ("-t", "0.1", "--measure", "final(q_q1)", "--by", "rod.mass"),
}  # fmt: skip


@pytest.mark.parametrize("verb", TELLING)
def test_a_file_tells_how_far_a_verb_is(verb: str, tmp_path: Path, capsys: Capture) -> None:
    model = mechanisms.slider_crank()
    if verb == "kinematics":
        model.drive("q1", lambda t: 0.5 + t)
    file, motion, told = stored(model, tmp_path), tmp_path / "run.nc", tmp_path / "told.json"
    if "RUN" in TELLING[verb]:
        kt.save_run(kt.simulate(model, 0.02, step=0.01), motion)
    words = [str(motion) if word == "RUN" else word for word in TELLING[verb]]
    answer(capsys, verb, file, *words, "--progress", str(told))
    assert json.loads(told.read_text()) == {"share": 1.0}


def test_a_verb_that_is_ended_writes_what_it_has_and_fails(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, motion, out = systems.double_pendulum(), tmp_path / "run.nc", tmp_path / "efforts.nc"
    kt.save_run(kt.simulate(model, 1.0, step=1e-4), motion)
    monkeypatch.setattr(analyses, "progress_option", lambda *_: lambda share: share > 0.5)
    monkeypatch.setattr(efforts, "progress_option", lambda *_: lambda share: share > 0.5)
    file = stored(model, tmp_path)
    found = answer(capsys, "inverse", file, str(motion), "-o", str(out), code=1)
    rows = kt.load_run(out).sizes["time"]
    assert 0 < rows < 10_001
    assert found["error"].startswith("interrupted at t =")
    lost = answer(capsys, "equilibrium", file, "--q", "a=-1.5", code=1)
    assert lost["error"].startswith("equilibrium: it was ended at")
