"""Names stay data in FMUs, C packages, articles, pictures, runs on disk and names of files."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import hostile
import kinetree as kt
from approx import IDENTITY, assert_close
from hostile import CODE, SIGNS, WORDS
from kinetree.errors import KinetreeError, ModelError
from kinetree.export.building import compiler
from kinetree.targets.text.readable.symbols import GREEK

TEXTS = (*CODE, *SIGNS, *WORDS[:10])
TITLE = "arm */ \"'\\ ??/ `touch canary` $(touch canary) <script>canary=1</script> %s [bold]"
built = pytest.mark.skipif(
    compiler() is None or shutil.which("make") is None, reason="needs gcc and make"
)


@pytest.fixture(scope="module")
def model() -> kt.Model:
    return hostile.model(TITLE, TEXTS)


@pytest.fixture(scope="module")
def truth() -> Any:
    """The motion of the same pendulums under other names."""
    return kt.simulate(hostile.plain_model(TEXTS), 0.05, method="rk4", step=0.01)


def test_simulation_does_not_see_names(model: kt.Model, truth: Any) -> None:
    run = kt.simulate(model, 0.05, method="rk4", step=0.01)
    assert np.array_equal(run.q.values, truth.q.values)


@built
def test_a_c_package_builds_and_runs(model: kt.Model, truth: Any, tmp_path: Path) -> None:
    kt.export_c(model, tmp_path, duration=0.05, step=0.01, every=1)
    flags = "CFLAGS=-O0 -Wall -Wextra -Werror -trigraphs"
    subprocess.run(["make", "-s", flags], cwd=tmp_path, check=True)
    (program,) = (path for path in (tmp_path / "build").iterdir() if not path.suffix)
    done = subprocess.run([program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert not list(tmp_path.rglob(hostile.CANARY))
    head, *rows = csv.reader(done.stdout.splitlines())
    names = [f"q_{name}" for name in model.coordinates]
    assert head[1 : 1 + len(names)] == names
    found = np.array(rows, dtype=float)[:, 1 : 1 + len(names)]
    assert_close(found, truth.q.values, IDENTITY, "q")
    sheet = (tmp_path / "DATASHEET.md").read_text(encoding="utf-8")
    assert "<script" not in sheet
    assert "\\`touch" in sheet


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_fmu_is_well_formed(model: kt.Model, version: str, tmp_path: Path) -> None:
    path = tmp_path / "unit.fmu"
    kt.export_fmu(model, path, version=version, derivatives=False, binary=False)
    with zipfile.ZipFile(path) as zipped:
        zipped.extractall(tmp_path)
        described = ET.fromstring(zipped.read("modelDescription.xml"))
        assert all(re.fullmatch(r"[\w/.]+", name.replace("-", "")) for name in zipped.namelist())
    assert described.get("modelName") == TITLE.replace(" ", "_")
    names = [row.get("name") for row in described.iter() if row.get("causality")]
    assert len({*names}) == len(names)
    files = sorted((tmp_path / "sources").glob("*.c"))
    if (gcc := compiler()) is not None:
        subprocess.run([gcc, "-Wall", "-Werror", "-fsyntax-only", *files], check=True)
    assert not (tmp_path / hostile.CANARY).exists()


def test_units_of_programs_may_be_any_text(tmp_path: Path) -> None:
    model = kt.Model("units")
    texts = ["\x00", "\ud800", "\x1b[0m", '"/><x>', "]]>", "&amp;", "\u2028"]
    for k, text in enumerate(texts):
        mass = model.parameter(f"m{k}", 1.0)
        model.parameters[f"m{k}"] = replace(model.parameters[f"m{k}"], unit=text)
        body = model.body(f"b{k}", mass=mass, com=(0, 0, -1), inertia=(1, 1, 1))
        model.revolute(f"j{k}", model.ground, body)
    path = kt.export_fmu(model, tmp_path, binary=False)
    with zipfile.ZipFile(path) as zipped:
        described = ET.fromstring(zipped.read("modelDescription.xml"))
    assert '"/><x>' in [row.get("unit") for row in described.iter() if row.get("unit")]


def test_an_article_takes_no_command_from_a_name(tmp_path: Path) -> None:
    """Every backslash begins a command of ours, and the characters of TeX stand behind one."""
    ours = re.compile(
        r"\\(?:[#$%&_{}()\[\]\\,`'^~=.\"]|(?:text|textbackslash|textasciicircum|textasciitilde|texttt"
        r"|ttfamily|mathrm|mathbf|mathsf|emph|paragraph|section|subsection|documentclass|usepackage"
        r"|setlength|setcounter|allowdisplaybreaks|raggedright|begin|end|tag|quad|sin|cos|left|right"
        r"|frac|tfrac|cdot|times|operatorname|bigl|bigr|displaystyle|textwidth|oddsidemargin"
        r"|textheight|topmargin|parindent|parskip|to|le|ge|pm|circ|ldots|small|footnotesize"
        r"|scriptsize|tiny|u|v|H|c|r|ss|o|O|ae|AE|l|d?dot|" + "|".join(GREEK) + r")(?![A-Za-z]))"
    )
    for program in hostile.programs(hostile.ALL):
        (path,) = program.write("latex", tmp_path)
        text = path.read_text(encoding="utf-8")
        assert text.isascii() or "é" in text
        left = ours.sub("", text)
        assert "\\" not in left, left[left.index("\\") - 40 :][:120]
        assert text.count("\\end{document}") == 1
        assert "^^" not in left
        assert all(line.startswith("%") or "%" not in line for line in left.splitlines())


def test_pictures_take_dollars_for_dollars(tmp_path: Path) -> None:
    model = hostile.model("$x", ("$\\frac", "a$b$c", "\\alpha$"))
    run = kt.simulate(model, 0.02, step=0.01)
    path = kt.plot(run, ["q"], tmp_path / "x.svg", title="$\\undefined$")
    assert path.stat().st_size > 0


def test_runs_as_text_keep_one_line_per_fact(model: kt.Model, tmp_path: Path) -> None:
    run = kt.simulate(model, 0.02, step=0.01)
    run.attrs["note"] = "a\nb\rc\x85d"
    lines = kt.save_run(run, tmp_path / "run.csv").read_text(encoding="utf-8").split("\n")
    first = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    head = next(csv.reader([lines[first]]))
    assert head[1 : 1 + len(model.coordinates)] == [f"q.{name}" for name in model.coordinates]


@pytest.mark.parametrize(
    "name", ["a\nb", "a\x00", "\u202egnp", "a\u2028b", "\x1b[0m", "\ud800", " ", ""]
)
def test_a_model_has_a_name_that_prints(name: str) -> None:
    with pytest.raises(ModelError, match=r"model: .* cannot be a name; use letters") as caught:
        kt.Model(name)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["arm&#10;x", "arm&#x202e;x"])
def test_robots_have_names_that_print(text: str, tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="{text}"><link name="base"/></robot>', encoding="utf-8")
    with pytest.raises(KinetreeError, match="cannot be a name"):
        kt.load(file)


def test_two_long_names_do_not_share_their_files(tmp_path: Path) -> None:
    for end in ("x", "y"):
        model = kt.Model("a" * 400 + end)
        body = model.body("b", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
        model.revolute("j", model.ground, body)
        forward = kt.derive(model, "forward")
        for target in ("c", "matlab", "javascript", "simulink", "latex", "html", "python"):
            files = forward.write(target, tmp_path / target)
            assert len({path.name.lower() for path in files}) == len(files)
            assert all(len(path.name) < 160 for path in files)
        kt.export_c(model, tmp_path / f"package{end}")
        kt.export_fmu(model, tmp_path / "fmu", binary=False)
    assert len(list((tmp_path / "fmu").iterdir())) == 2
    assert len(list((tmp_path / "python").iterdir())) == 2
    assert len(list((tmp_path / "matlab").iterdir())) == 6


def test_files_are_not_called_like_devices(tmp_path: Path) -> None:
    model = kt.Model("NUL")
    body = model.body("b", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
    model.revolute("j", model.ground, body)
    assert kt.export_fmu(model, tmp_path, binary=False).name == "NUL_.fmu"


def test_files_of_another_model_are_not_overwritten(tmp_path: Path) -> None:
    """The names "a b" and "a_b" give one name of a file."""
    first, other = (hostile.program(name, ["x"]) for name in ("a b", "a_b"))
    for target in (
        "c",
        "cpp",
        "fortran",
        "matlab",
        "javascript",
        "python",
        "latex",
        "html",
        "cuda",
    ):
        before = first.write(target, tmp_path)
        first.write(target, tmp_path)
        with pytest.raises(KinetreeError, match="was generated from another Program"):
            other.write(target, tmp_path)
        assert [path.exists() for path in before] == [True] * len(before)
        other.write(target, tmp_path, force=True)


def test_units_of_another_model_are_not_overwritten(tmp_path: Path) -> None:
    for name, fine in (("a b", True), ("a b", True), ("a-b", False)):
        model = hostile.model(name, ["x"])
        if fine:
            kt.export_fmu(model, tmp_path, binary=False, derivatives=False)
            continue
        with pytest.raises(KinetreeError, match="from a model of this name"):
            kt.export_fmu(model, tmp_path, binary=False, derivatives=False)
