"""Certificates: everything at hand agrees, what is left out is told, changes are found out."""

from __future__ import annotations

import json
import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import GOLDEN, IDENTITY, ROUNDING, SUMS

import kinetree as kt
from kinetree.certificate.compare import deviate, expect
from kinetree.certificate.runners import CALLS, RUNNABLE
from kinetree.certificate.states import draw_states
from kinetree.certificate.trials import Trial
from kinetree.cli import main
from kinetree.errors import FormatError, KinetreeError, UnknownNameError
from kinetree.program.program import TARGETS
from kinetree.steppers import step_program

MODELS = Path(__file__).parents[2] / "examples" / "models"
PENDULUM = MODELS / "double_pendulum.yaml"
QUICK = ("native", "python")
Capture = pytest.CaptureFixture[str]


def pendulum() -> kt.Model:
    return kt.load(PENDULUM)


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in arguments])
    return int(ended.value.code or 0)


def test_every_target_is_compared_or_left_out_with_a_reason() -> None:
    found = kt.certify(pendulum(), states=2)
    assert found.agrees
    compared = {row.name for row in found.comparisons if row.kind == "target"}
    left = {row.name: row.reason for row in found.left_out if row.kind == "target"}
    assert compared | left.keys() == set(TARGETS)
    assert not compared & left.keys()
    assert all(left.values())
    tools = {"c": "gcc", "cpp": "g++", "fortran": "gfortran", "javascript": "node"}
    for target, command in tools.items():
        assert (target in compared) == (shutil.which(command) is not None)
    ways = {row.name for row in found.comparisons if row.kind == "formalism"}
    assert ways == {"virtual_power", "lagrange", "order_n", "dalembert"}
    assert all(row.deviation is not None and row.deviation < ROUNDING for row in found.comparisons)


@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
def test_a_closed_system_is_certified_where_its_loops_close(loops: str) -> None:
    found = kt.certify(mechanisms.four_bar(), targets=QUICK, states=3, loops=loops)
    assert found.agrees
    (facts,) = found.programs
    assert sum(label.startswith("random") for label in facts.states) == 3
    assert bool(facts.iterations) == (loops == "explicit")
    assert facts.operations["mul"] > 30


def test_a_step_is_certified_after_its_first_one() -> None:
    found = kt.certify(mechanisms.slider_crank(), "step", targets=QUICK, formulation="hybrid")
    assert found.agrees
    assert not found.programs[0].without
    assert any("formulation" in row.reason for row in found.left_out)


def test_a_program_alone_is_certified() -> None:
    program = kt.derive(pendulum(), "energy")
    found = program.certify({"q": [0.3, -0.2]}, targets=QUICK, states=2)
    assert found.agrees
    assert found.programs[0].states[2:] == [
        "start at rest", "start at rest, other parameters", "zero coordinates", "great speeds"
    ]  # fmt: skip


def test_the_same_seed_gives_the_same_certificate() -> None:
    texts = {kt.certify(pendulum(), targets=QUICK, seed=3).text() for _ in range(2)}
    assert len(texts) == 1
    assert kt.certify(pendulum(), targets=QUICK, seed=4).text() not in texts


def test_an_error_in_the_last_digits_is_a_deviation() -> None:
    program = kt.derive(pendulum(), "forward")
    drawn = draw_states(program, {"q": np.array([0.3, -0.2])}, count=2, seed=0)
    expected = expect(drawn.trial, 0)
    found: list[dict[str, Any]] = [dict(row) for row in expected.values]
    assert deviate(expected, found).size == 0
    found[1]["qdd"] = found[1]["qdd"] * (1 + GOLDEN)
    assert SUMS < deviate(expected, found).size <= 2 * GOLDEN
    found[0]["qdd"] = found[0]["qdd"] * np.nan
    assert deviate(expected, found).size == np.inf


def test_corners_are_the_limits_of_the_joints() -> None:
    model = kt.load(MODELS / "arm7.urdf")
    found = kt.certify(model, "inverse", targets=("native",), states=1)
    assert {"lower limits", "upper limits"} <= set(found.programs[0].states)


def test_parameters_that_loops_need_equal_keep_their_values() -> None:
    """Two rods at the same hinge: with other lengths the loop does not close in every direction."""
    model = mechanisms.four_bar()
    program = kt.derive(model, "forward")
    start = {"q": kt.assemble(model).q}
    drawn = draw_states(program, start, count=4, seed=0)
    p = np.array([state["p"] for state in drawn.trial.states[:4]])
    labels = program.input("p").labels
    moved = [label for k, label in enumerate(labels) if np.ptp(p[:, k]) > 0]
    assert set(moved) | set(drawn.kept) == set(labels)


def test_what_a_tool_complains_of_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(trial: Trial) -> list[dict[str, Any]]:
        raise KinetreeError("it fails: no such luck", element="command 'gcc'")

    monkeypatch.setitem(CALLS, "python", fail)
    found = kt.certify(pendulum(), targets=QUICK)
    assert not found.agrees
    (row,) = [row for row in found.comparisons if not row.agrees]
    assert (row.name, row.deviation) == ("python", None)
    assert "no such luck" in row.state
    assert "DIFFERS" in found.contents()["certificate.html"]


ENGINES = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco"}


def engines(found: kt.Certificate) -> tuple[dict[str, float | None], dict[str, str]]:
    """Deviations of engines, and why others were left out."""
    rows = {row.name: row.deviation for row in found.comparisons if row.kind == "engine"}
    return rows, {row.name: row.reason for row in found.left_out if row.kind == "engine"}


@pytest.mark.crosscheck
@pytest.mark.parametrize(
    ("quantity", "floating"), [("forward", True), ("inverse", False), ("mass_bias", True)]
)
def test_other_engines_agree_where_they_are_installed(quantity: str, floating: bool) -> None:
    model = kt.load(MODELS / "arm7.urdf", floating=floating)
    compared, left = engines(kt.certify(model, quantity, targets=("native",), states=2))
    here = {name for name, package in ENGINES.items() if find_spec(package)}
    assert compared.keys() == here
    assert left.keys() == ENGINES.keys() - here
    assert all(size is not None and size < IDENTITY for size in compared.values())


@pytest.mark.parametrize("change", ["spring", "loop", "quantity"])
def test_engines_are_left_out_where_they_would_say_something_else(change: str) -> None:
    model = mechanisms.four_bar() if change == "loop" else pendulum()
    if change == "spring":
        model.joint_spring("spring", model.coordinates[0], 3.0)
    quantity = "energy" if change == "quantity" else "forward"
    compared, left = engines(kt.certify(model, quantity, targets=("native",), states=1))
    assert not compared
    assert left.keys() == ENGINES.keys()
    assert all("it is compared in" in reason for reason in left.values())


def test_unknown_targets_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="'latex'"):
        kt.certify(pendulum(), targets=["latex"])
    assert "latex" not in RUNNABLE


# --- code and certificate belong together --------------------------------------------------------


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """C of forward dynamics with its certificate, and the model beside it."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copy(PENDULUM, folder / "model.yaml")
    line = ["generate", folder / "model.yaml", "-o", folder / "code", "--certificate", "--json"]
    assert run(*line) == 0
    return folder


@pytest.fixture
def copied(package: Path, tmp_path: Path, capsys: Capture) -> Path:
    capsys.readouterr()
    shutil.copytree(package, tmp_path / "all")
    return tmp_path / "all"


def verify(folder: Path, capsys: Capture) -> Any:
    ended = run("certify", folder / "model.yaml", "--verify", folder / "code", "--json")
    found = json.loads(capsys.readouterr().out)
    assert ended == (0 if found["holds"] else 1)
    return found


def change_a_digit(path: Path, before: str) -> None:
    """Change the digit behind the first place of a text."""
    text = path.read_text(encoding="utf-8")
    at = text.index(before) + len(before)
    digit = "7" if text[at] != "7" else "8"
    path.write_text(text[:at] + digit + text[at + 1 :], encoding="utf-8")


def test_what_belongs_together_is_found_so(copied: Path, capsys: Capture) -> None:
    found = verify(copied, capsys)
    assert found["holds"]
    told = {row["what"] for row in found["findings"]}
    assert {"file double_pendulum_forward.c", "file double_pendulum_forward.h"} <= told
    assert {"model double_pendulum", "equations double_pendulum_forward", "code c"} <= told
    assert run("certify", "--verify", copied / "code" / "certificate.json") == 0
    assert "model was not checked" in capsys.readouterr().out


def test_a_digit_changed_in_the_code_is_found_out(copied: Path, capsys: Capture) -> None:
    change_a_digit(copied / "code" / "double_pendulum_forward.c", "0.")
    found = verify(copied, capsys)
    assert not found["holds"]
    assert [row["what"] for row in found["findings"] if row["holds"] is False] == [
        "file double_pendulum_forward.c"
    ]
    assert run("certify", "--verify", copied / "code") == 1
    assert "double_pendulum_forward.c changed" in capsys.readouterr().err


def test_a_digit_changed_in_the_model_is_found_out(copied: Path, capsys: Capture) -> None:
    change_a_digit(copied / "model.yaml", "m1: {value: ")
    found = verify(copied, capsys)
    wrong = {row["what"] for row in found["findings"] if row["holds"] is False}
    assert {"model double_pendulum", "parameter m1", "code fortran"} <= wrong


def test_a_digit_changed_in_the_certificate_is_found_out(copied: Path, capsys: Capture) -> None:
    change_a_digit(copied / "code" / "certificate.json", '"tolerance": ')
    assert run("certify", "--verify", copied / "code") == 1
    assert "changed since it was written" in capsys.readouterr().err
    (copied / "code" / "certificate.json").write_text("[1]")
    assert run("certify", "--verify", copied / "code") == 1
    assert "is not a certificate" in capsys.readouterr().err


def test_a_missing_file_is_found_out(copied: Path, capsys: Capture) -> None:
    (copied / "code" / "double_pendulum_forward.h").unlink()
    assert not verify(copied, capsys)["holds"]
    with pytest.raises(FormatError, match=r"no certificate\.json"):
        kt.verify(copied)


def test_a_c_package_carries_its_certificate(tmp_path: Path) -> None:
    model = pendulum()
    kt.export_c(model, tmp_path, certificate=["c"])
    found = kt.verify(tmp_path, model)
    assert found.holds
    assert {"main.c", "Makefile", "double_pendulum_system.c"} <= found.certificate.files.keys()
    change_a_digit(tmp_path / "double_pendulum_system.c", "0.")  # a parameter or a start value
    assert not kt.verify(tmp_path, model).holds
    kt.export_c(model, tmp_path, certificate=["c"])  # ours, so it may be written again
    assert kt.verify(tmp_path, model).holds


def test_an_fmu_carries_its_certificate(tmp_path: Path) -> None:
    path = kt.export_fmu(pendulum(), tmp_path / "p.fmu", certificate=["native"], binary=False)
    found = kt.verify(path, pendulum())
    assert found.holds
    names = [row.name for row in found.certificate.programs]
    assert names == [f"double_pendulum_{n}" for n in ("equations", "directional", "adjoint")]
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "q.fmu", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            changed = name.endswith("_equations.c")
            new.writestr(name, content.replace(b"0.", b"1.", 1) if changed else content)
    assert not kt.verify(tmp_path / "q.fmu").holds


def test_the_command_writes_a_certificate(tmp_path: Path, capsys: Capture) -> None:
    line = ["certify", PENDULUM, "--of", "inverse", "--target", "native", "-o", tmp_path]
    assert run(*line) == 0
    printed = capsys.readouterr().out
    assert "formalism lagrange" in printed
    assert "left out: target latex" in printed
    page = (tmp_path / "certificate.html").read_text()
    assert "all agree" in page
    assert "<script" not in page
    assert run("certify") == 1
    assert "name a model file" in capsys.readouterr().err


def test_steps_have_formulations_and_methods(tmp_path: Path) -> None:
    model = mechanisms.slider_crank()
    found = kt.certify(model, "step", targets=("native",), method="rk4", states=2)
    assert found.agrees
    assert found.programs[0].info["method"] == "rk4"
    found.save(tmp_path)
    assert kt.verify(tmp_path, model).holds
    assert (
        found.programs[0].digest
        != kt.certify(model, "step", targets=("native",), states=1).programs[0].digest
    )
    assert step_program(model, method="rk4").info["method"] == "rk4"
