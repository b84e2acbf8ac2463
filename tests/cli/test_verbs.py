"""Every verb does its work, speaks JSON when asked, and fails with one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests import mechanisms

import kinetree as kt
from kinetree.cli import bibliography, main
from kinetree.program.program import TARGETS

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models"
PENDULUM = str(MODELS / "double_pendulum.yaml")
Capture = pytest.CaptureFixture[str]


def run(*arguments: str) -> int:
    """Exit code of a command run in this process."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def answer(capsys: Capture, *arguments: str) -> Any:
    """What a successful command prints with --json."""
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "model", sorted(p for p in MODELS.iterdir() if p.suffix != ".csv"), ids=lambda path: path.name
)
def test_check_accepts_every_shipped_model(model: Path, capsys: Capture) -> None:
    facts = answer(capsys, "check", str(model))
    assert facts["velocities"] > 0
    assert facts["warnings"] == []


def test_check_prints_a_table(capsys: Capture) -> None:
    assert run("check", PENDULUM) == 0
    printed = capsys.readouterr().out
    assert "double_pendulum.yaml is fine" in printed
    assert "bodies" in printed


def test_count_of_one_way(capsys: Capture) -> None:
    found = answer(capsys, "count", PENDULUM, "--of", "inverse", "--formalism", "newton_euler")
    (row,) = found["counts"]
    assert row["add"] > 0
    assert row["mul"] > 0
    assert row["total"] == sum(row[kind] for kind in ("add", "mul", "div", "neg", "call"))


def test_count_of_everything_lists_quantities_and_formalisms(capsys: Capture) -> None:
    found = answer(capsys, "count", PENDULUM)["counts"]
    assert {"inverse", "mass_bias", "forward"} <= {row["quantity"] for row in found}
    assert {"newton_euler", "order_n"} <= {row["formalism"] for row in found}


def test_folding_parameters_empties_the_preamble(capsys: Capture) -> None:
    found = answer(capsys, "count", PENDULUM, "--of", "inverse", "--parameters", "folded")
    assert all(row["preamble"] == 0 for row in found["counts"])


def test_derivatives_cost_more_than_what_they_are_of(capsys: Capture) -> None:
    command = ("count", PENDULUM, "--of", "inverse", "--formalism", "newton_euler")
    (plain,) = answer(capsys, *command)["counts"]
    (more,) = answer(capsys, *command, "--by", "q", "--by", "qd")["counts"]
    assert more["total"] > plain["total"]


def test_count_prints_whole_numbers_on_a_narrow_screen(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run("count", str(MODELS / "arm7.urdf")) == 0
    assert "…" not in capsys.readouterr().out


def test_generate_writes_c(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "new" / "folder"
    found = answer(
        capsys, "generate", PENDULUM, "--of", "inverse", "--target", "c", "-o", str(folder)
    )
    assert {Path(path).suffix for path in found["files"]} == {".c", ".h"}
    assert all(Path(path).is_file() for path in found["files"])


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "native"])
def test_generate_writes_every_language(target: str, tmp_path: Path, capsys: Capture) -> None:
    command = ("generate", PENDULUM, "--of", "forward", "--target", target, "-o", str(tmp_path))
    found = answer(capsys, *command)
    assert {Path(path) for path in found["files"]} == set(tmp_path.iterdir())


def test_generate_refuses_a_folder_with_files_unless_forced(
    tmp_path: Path, capsys: Capture
) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    command = ("generate", PENDULUM, "--of", "inverse", "-o", str(tmp_path))
    assert run(*command) == 1
    assert "--force" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [precious]
    assert run(*command, "--force") == 0
    assert precious.read_text() == "mine"
    for path in tmp_path.glob("*.c"):
        path.write_text("foreign")
    assert run(*command, "--force") == 0
    assert "foreign" not in {path.read_text() for path in tmp_path.glob("*.c")}


def test_generate_writes_fmus_and_packages(tmp_path: Path, capsys: Capture) -> None:
    unit = tmp_path / "unit.d"
    found = answer(
        capsys, "generate", PENDULUM, "--target", "fmu", "--fmi", "2.0", "--point", "lower.tip",
        "--step", "0.01", "-o", str(unit),
    )  # fmt: skip
    assert found["files"] == [str(unit / "double_pendulum.fmu")]
    with zipfile.ZipFile(found["files"][0]) as zipped:
        text = zipped.read("modelDescription.xml").decode()
    assert 'fmiVersion="2.0"' in text
    assert 'name="lower.tip.x"' in text
    assert 'stepSize="0.01"' in text
    package = tmp_path / "package"
    assert run("generate", PENDULUM, "--target", "c-package", "-o", str(package)) == 0
    assert {"main.c", "Makefile", "DATASHEET.md"} <= {path.name for path in package.iterdir()}
    capsys.readouterr()
    assert run("generate", PENDULUM, "--target", "c-package", "-o", str(package)) == 1
    assert "--force" in capsys.readouterr().err
    assert run("generate", PENDULUM, "--target", "c-package", "-o", str(package), "--force") == 0


def test_bench_times_the_three_quantities(capsys: Capture) -> None:
    found = answer(capsys, "bench", PENDULUM)
    assert [row["quantity"] for row in found["times"]] == ["inverse", "mass_bias", "forward"]
    assert all(row["call ns"] > 0 and row["batch ns"] > 0 for row in found["times"])


def test_examples_lists_and_prints(capsys: Capture) -> None:
    names = [row["example"] for row in answer(capsys, "examples")["examples"]]
    assert "01_double_pendulum" in names
    assert run("examples", "01_double_pendulum") == 0
    assert capsys.readouterr().out == (MODELS.parent / "01_double_pendulum.py").read_text()


def test_cache_shows_and_clears(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "objects"
    monkeypatch.setenv("KINETREE_CACHE", str(folder))
    assert answer(capsys, "cache")["entries"] == 0
    kt.derive(kt.load(PENDULUM), "inverse").compile()
    (folder / "notes.txt").write_text("not of the store")
    found = answer(capsys, "cache")
    (entry,) = folder.glob("*.o")
    assert found["folder"] == str(folder)
    assert (found["entries"], found["bytes"]) == (1, entry.stat().st_size)
    assert found["bytes"] < found["limit"]
    cleared = answer(capsys, "cache", "--clear")
    assert (cleared["dropped"], cleared["freed"]) == (1, found["bytes"])
    assert (cleared["entries"], cleared["bytes"]) == (0, 0)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert answer(capsys, "cache", "--limit", "0.5")["limit"] == 2**19
    assert answer(capsys, "cache")["limit"] == 2**19


def test_the_version_is_told(capsys: Capture) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"kinetree {kt.__version__}\n"


def test_cache_says_that_it_is_off(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETREE_CACHE", "off")
    assert run("cache") == 1
    assert "turned off; unset the environment variable KINETREE_CACHE" in capsys.readouterr().err


def test_cite_knows_keys_and_formalisms(capsys: Capture) -> None:
    assert list(answer(capsys, "cite")) == list(bibliography())
    assert list(answer(capsys, "cite", "Otter1996")) == ["Otter1996"]
    assert "LuhWalkerPaul1980" in answer(capsys, "cite", "newton_euler")


MISTAKES = {
    "missing file": (("check", str(MODELS / "double_pendulm.yaml")), "double_pendulum.yaml"),
    "unknown suffix": (("check", "robot.step"), ".urdf"),
    "misspelled quantity": (("count", PENDULUM, "--of", "invers"), "'inverse'"),
    "misspelled formalism": (("count", PENDULUM, "--formalism", "newton"), "'newton_euler'"),
    "misspelled parameters": (("count", PENDULUM, "--parameters", "fold"), "'folded'"),
    "misspelled input": (("count", PENDULUM, "--of", "inverse", "--by", "qq"), "'q'"),
    "misspelled target": (("generate", PENDULUM, "--target", "cc", "-o", "no/such"), "'c'"),
    "target without files": (("generate", PENDULUM, "--target", "native", "-o", "no/such"), "'c'"),
    "part of an FMU": (
        ("generate", PENDULUM, "--target", "fmu", "--of", "inverse", "-o", "no/such"),
        "--of",
    ),
    "other FMI": (
        ("generate", PENDULUM, "--target", "fmu", "--fmi", "1", "-o", "no/such"),
        "'3.0'",
    ),
    "misspelled example": (("examples", "01_double_pendulm"), "'01_double_pendulum'"),
    "misspelled key": (("cite", "Oter1996"), "'Otter1996'"),
}


@pytest.mark.parametrize(("command", "cure"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence_with_its_cure(
    command: tuple[str, ...], cure: str, capsys: Capture
) -> None:
    assert run(*command) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert cure in said.err
    assert run(*command, "--json") == 1
    assert cure in json.loads(capsys.readouterr().out)["error"]


def test_a_bad_file_reports_all_mistakes_with_their_paths(tmp_path: Path, capsys: Capture) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: bad\nbodies: {a: {mas: 1}}\njoints: {j: {kind: revolut}}\n")
    assert run("check", str(bad)) == 1
    said = capsys.readouterr().err
    assert "bodies.a.mas" in said
    assert "joints.j" in said
    assert "Traceback" not in said


def test_unknown_option_is_a_mistake_of_the_command(capsys: Capture) -> None:
    assert run("check", PENDULUM, "--jsn") == 2
    assert "--jsn" in capsys.readouterr().err


def test_command_is_installed_and_its_help_stays_light() -> None:
    code = (
        "import sys; from kinetree.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: print(end.code, *[m for m in ('llvmlite', 'sympy', 'scipy')"
        " if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "0"
    assert "generate" in result.stdout


def closed(folder: Path, rod: float = 2.0) -> str:
    """A slider-crank in a file."""
    file = folder / "slider_crank.yaml"
    kt.save(mechanisms.slider_crank(rod), file)
    return str(file)


def test_check_tells_the_mobility_of_a_closed_system(tmp_path: Path, capsys: Capture) -> None:
    facts = answer(capsys, "check", closed(tmp_path))
    assert (facts["mobility"], facts["structural mobility"]) == (1, 1)
    assert facts["trivial equations"] == "pin.z"
    assert facts["redundant equations"] == "none"


def test_check_names_the_loop_that_does_not_close(tmp_path: Path, capsys: Capture) -> None:
    assert run("partition", closed(tmp_path, rod=0.2), "--independent", "q1") == 1
    assert "closure 'pin': the loop does not close, y is" in capsys.readouterr().err


def test_partition_sorts_the_coordinates(tmp_path: Path, capsys: Capture) -> None:
    found = answer(capsys, "partition", closed(tmp_path), "--independent", "q3")
    assert found["independent"] == ["q3"]
    assert found["dependent"] == ["q1", "q2"]
    assert run("partition", closed(tmp_path)) == 0
    assert "mobility" in capsys.readouterr().out
