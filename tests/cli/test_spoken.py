"""Every verb speaks to people as well as to programs, and its help says all it means."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import typer
from tests import mechanisms
from tests.analysis import systems
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.cli import main
from kinetree.cli.common import app
from kinetree.steppers import FAMILIES

Capture = pytest.CaptureFixture[str]
Commands = Callable[[Path], tuple[str, ...]]
VERBS = typer.main.get_command(app).commands


def run(*arguments: str) -> int:
    """Exit code of a command run in this process."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def stored(model: kt.Model, folder: Path) -> str:
    file = folder / f"{model.name}.yaml"
    kt.save(model, file)
    return str(file)


def pendulum(folder: Path) -> str:
    return stored(systems.pendulum(), folder)


def driven(folder: Path) -> str:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + t)
    return stored(model, folder)


def a_run(folder: Path) -> str:
    file = folder / "run.nc"
    kt.save_run(kt.simulate(systems.pendulum(), 0.1), file)
    return str(file)


def recording(folder: Path) -> str:
    """A run of the arm with its efforts, as a table."""
    data = recorded(arm(), motion(seed=4))
    parts = ("time", "q", "qd", "qdd", "tau")
    names = ["time", *(f"{k}{n}" for k in parts[1:] for n in (1, 2, 3))]
    file = folder / "recording.csv"
    table = np.column_stack([data[k] for k in parts])
    np.savetxt(file, table, delimiter=",", header=",".join(names), comments="")
    return str(file)


SPOKEN: dict[str, tuple[Commands, str]] = {
    "check": (lambda f: (pendulum(f),), "is fine"),
    "partition": (lambda f: (pendulum(f),), "pendulum"),
    "simulate": (lambda f: (pendulum(f), "-t", "0.1"), "evaluations"),
    "kinematics": (lambda f: (driven(f), "-t", "0.1"), "at t = 0.1 s"),
    "equilibrium": (lambda f: (pendulum(f), "--q", "swing=-1.5"), "at rest"),
    "linearise": (lambda f: (pendulum(f),), "A"),
    "modes": (lambda f: (pendulum(f), "--q", "swing=-1.5"), "modes"),
    "sensitivity": (
        lambda f: (pendulum(f), "-t", "0.1", "--measure", "final(q_swing)", "--by", "q0.swing"),
        "direct method",
    ),
    "optimise": (
        lambda f: (
            pendulum(f),
            "-t",
            "0.1",
            "--minimise",
            "final(q_swing**2)",
            "--over",
            "bob.mass=1:2",
        ),
        "bob.mass",
    ),
    "inverse": (lambda f: (pendulum(f), a_run(f)), "efforts over"),
    "reactions": (lambda f: (pendulum(f), a_run(f)), "reactions over"),
    "outputs": (lambda f: (pendulum(f),), "energy.kinetic"),
    "view": (lambda f: (pendulum(f), "-o", str(f / "page.html")), "page.html"),
    "diagram": (lambda f: (pendulum(f), "-o", str(f / "p.svg")), "p.svg"),
    "plot": (lambda f: (a_run(f), "q", "-o", str(f / "q.svg")), "q.svg"),
    "count": (lambda f: (pendulum(f), "--of", "inverse"), "inverse"),
    "generate": (lambda f: (pendulum(f), "--target", "c", "-o", str(f / "code")), ".c"),
    "convert": (lambda f: (pendulum(f), str(f / "other.urdf")), "other.urdf"),
    "certify": (lambda f: (pendulum(f), "--target", "native"), "formalism lagrange"),
    "bench": (lambda f: (pendulum(f),), "call ns"),
    "examples": (lambda _: (), "shows"),
    "excite": (
        lambda f: (
            stored(arm(), f),
            "-t",
            "10",
            "--harmonics",
            "3",
            "--starts",
            "1",
            "--friction",
            "none",
            *(w for k in range(3) for w in ("--speed", f"j{k}=2")),
        ),
        "condition",
    ),
    "identify": (
        lambda f: (stored(arm(), f), recording(f), "--friction", "none", "--cutoff", "0"),
        "rms",
    ),
    "sweep": (
        lambda f: (
            pendulum(f),
            "-t",
            "0.1",
            "--over",
            "qd0.swing=0:1",
            "--measure",
            "end=final(q_swing)",
            "-n",
            "8",
            "--into",
            str(f / "many"),
        ),
        "8 of 8 runs",
    ),
    "cite": (lambda _: ("newton_euler",), "@"),
    "cache": (lambda _: (), "entries"),
}
"""Verb -> what follows it, and a word of its answer; a new verb needs a row."""


SERVING = ("studio",)
"""Verbs that go on until they are interrupted; tests/studio speaks with it."""


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in SERVING])
def test_every_verb_answers_without_json(verb: str, tmp_path: Path, capsys: Capture) -> None:
    arguments, word = SPOKEN[verb]
    assert run(verb, *arguments(tmp_path)) == 0
    assert word in capsys.readouterr().out


@pytest.mark.parametrize("method", FAMILIES)
def test_runs_in_equal_steps_say_what_they_took(
    method: str, tmp_path: Path, capsys: Capture
) -> None:
    command = ("simulate", pendulum(tmp_path), "-t", "0.1", "--step", "0.01")
    assert run(*command, "--method", method) == 0
    assert f"{method}: 10 steps" in capsys.readouterr().out


@pytest.mark.parametrize("held", ["friction", "lock"])
def test_a_joint_both_driven_and_held_is_named(held: str, tmp_path: Path, capsys: Capture) -> None:
    model = kt.Model("block", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("block", mass=1.0), axis="x")
    model.drive("x", lambda t: t)
    if held == "lock":
        model.lock("bolt", "x", 1.0)
    else:
        model.dry_friction("rub", "x", 1.0)
    assert run("simulate", stored(model, tmp_path), "--duration", "1")
    said = "velocity 'x': it is driven and locked" if held == "lock" else "'rub': velocity 'x' is"
    assert said in capsys.readouterr().err


def test_bench_of_joints_that_follow_others(tmp_path: Path, capsys: Capture) -> None:
    model = systems.double_pendulum()
    body = model.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute("wheel", model.ground, body, mimic=("a", 2.0, 0.0))
    assert run("bench", stored(model, tmp_path)) == 0
    assert "forward" in capsys.readouterr().out


def test_counts_of_a_closed_model_name_what_is_left_out(tmp_path: Path, capsys: Capture) -> None:
    model = stored(mechanisms.slider_crank(), tmp_path)
    assert run("count", model) == 0
    said = capsys.readouterr().out
    assert "constraints" in said
    assert "left out: forward_derivatives of model" in said
    assert run("count", model, "--of", "forward_derivatives") == 1
    assert "which this quantity would ignore" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_the_whole_text_of_every_option(
    verb: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(verb, "--help") == 0
    printed = "".join(re.split(r"[\s│]+", capsys.readouterr().out))
    for option in VERBS[verb].params:
        said = (getattr(option, "help", "") or "").replace("\\[", "[")
        assert "".join(said.split()) in printed, option.name


IDLE: dict[str, tuple[str, ...]] = {
    "loops": ("simulate", "--loops", "projection"),
    "independent": ("simulate", "--independent", "swing"),
    "rtol": ("simulate", "--method", "hht", "--rtol", "1e-3"),
    "method": ("simulate", "--formulation", "tree", "--method", "dop853"),
    "--lock": ("modes", "--lock", "swing"),
    "--lock: it holds": ("simulate", "--lock", "swing"),
    "--qd": ("linearise", "--equilibrium", "--qd", "swing=1"),
}
"""What is named in the sentence -> a command with an option that it has no use for."""


@pytest.mark.parametrize("option", IDLE)
def test_options_without_use_are_refused_by_name(
    option: str, tmp_path: Path, capsys: Capture
) -> None:
    verb, *rest = IDLE[option]
    assert run(verb, pendulum(tmp_path), *rest) == 1
    assert option in capsys.readouterr().err
