"""C packages: built by make they simulate as `simulate` does; the data sheet keeps its word."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, IDENTITY, ITERATED, RUN, assert_close

import kinetree as kt
import lengths
import mechanisms
from export.models import example, rich
from kinetree.errors import KinetreeError, UnknownNameError, UnsupportedError
from kinetree.export.building import compiler
from kinetree.targets.c.stack import stack_bytes

GCC = compiler()
MAKE = shutil.which("make")
CMAKE = shutil.which("cmake")
built = pytest.mark.skipif(
    GCC is None or MAKE is None, reason="needs a C compiler (gcc) and make on PATH"
)
FLAGS = "-O1 -Wall -Wextra -Werror -pedantic -fstack-usage"
SAME = 1e-11  # the same steps by two compilers


def build(folder: Path) -> Path:
    """The program of a package."""
    subprocess.run([str(MAKE), "-s", "-C", folder, f"CC={GCC}", f"CFLAGS={FLAGS}"], check=True)
    (program,) = (path for path in (folder / "build").iterdir() if not path.suffix)
    return program


def run(folder: Path, *arguments: str) -> dict[str, Any]:
    """Columns that the program of a package writes, once it is built."""
    done = subprocess.run([build(folder), *arguments], check=True, capture_output=True, text=True)
    head, *rows = csv.reader(io.StringIO(done.stdout))
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))


@built
@pytest.mark.parametrize("name", ["slider_crank", "rich", "four_bars"])
def test_the_program_simulates(name: str, tmp_path: Path) -> None:
    models = {"rich": rich, "four_bars": lambda: mechanisms.n_four_bar(2)}
    model = models[name]() if name in models else example(name)
    start = {model.velocities[0]: 0.4}
    kt.export_c(model, tmp_path / "c", qd=start, duration=0.5, step=0.002, every=5)
    found = run(tmp_path / "c")
    truth = kt.simulate(model, 0.5, qd=start, method="rk4", step=0.002)
    assert_close(found["time"], truth.time.values[::5], SAME, "time")
    for part, axis in (("q", "coordinate"), ("qd", "velocity"), ("x", "state")):
        for k, label in enumerate(truth[axis].values if part in truth else ()):
            column = truth[part].values[::5, k]
            assert_close(found[f"{part}_{label}"], column, SAME, f"{part} of {label}", 1.0)
    for k, label in enumerate(truth.velocity.values):
        column = truth.qdd.values[::5, k]
        assert_close(found[f"qdd_{label}"], column, SAME, f"qdd of {label}", 10.0)
    shorter = run(tmp_path / "c", "0.1", "0.001", "50")
    assert_close(shorter["time"], np.array([0.0, 0.05, 0.1]), SAME, "other times")


@built
def test_a_drive_with_a_law_becomes_an_input_by_choice(tmp_path: Path) -> None:
    """Its acceleration, 0 at first, goes on from where the law begins."""
    model = example("slider_crank")
    model.drive("crank", lambda t: 0.7 + 3 * t)
    kt.export_c(model, tmp_path, inputs=["qdd_crank"], t0=0.2, duration=0.5, step=0.002, every=5)
    found = run(tmp_path)
    truth = kt.simulate(model, 0.5, t0=0.2, method="rk4", step=0.002)
    for k, label in enumerate(truth.coordinate.values):
        assert_close(found[f"q_{label}"], truth.q.values[::5, k], ITERATED, str(label), 1.0)
        assert_close(found[f"qd_{label}"], truth.qd.values[::5, k], ITERATED, str(label), 10.0)
    with pytest.raises(UnknownNameError, match="qdd_rod"):
        kt.export_c(model, tmp_path, inputs=["qdd_rod"])


@built
def test_loads_parameters_and_time_of_a_run(tmp_path: Path) -> None:
    """A floating body with a spring, a state and the time, pushed and turned from outside."""
    model = kt.Model("satellite")
    b = model.body("b", mass=2.0, com=(0.1, 0, 0), inertia=(0.3, 0.4, 0.5))
    model.free("f", model.ground, b)
    k = model.parameter("k", 30.0)
    model.spring("s", model.ground, b.point("eye", (0.2, 0.1, 0)), k, 0.1, 0.5)
    model.state("z", 0.4, lambda x, t: -x["z"] + t)
    model.wrench("push", b)
    given: Any = {
        "q": {"f_pz": 0.5}, "qd": {"f_wx": 1.0}, "wrenches": {"push": [0.1, 0, 0, 0, 1, 0]},
        "parameters": {"k": 25.0}, "tau": {"f_wz": 0.05}, "t0": 0.7,
    }  # fmt: skip
    kt.write_simulation(model, tmp_path, 1.0, 1e-3, every=100, **given)
    found = run(tmp_path)
    truth = kt.simulate(model, 1.0, step=0.1, rtol=1e-10, atol=1e-12, **given)
    assert_close(found["time"], truth.time.values, IDENTITY, "time")
    for part, axis in (("q", "coordinate"), ("qd", "velocity"), ("x", "state")):
        columns = np.array([found[f"{part}_{label}"] for label in truth[axis].values])
        assert_close(columns.T, truth[part].values, RUN, part)
    turn = np.array([found[f"q_{label}"] for label in model.coordinates[:4]])
    assert_close(np.linalg.norm(turn, axis=0), np.ones(11), IDENTITY, "length of the quaternion")


@built
def test_steps_are_equal_and_the_end_is_written(tmp_path: Path) -> None:
    kt.export_c(example("double_pendulum"), tmp_path, duration=1.0, step=0.3, every=3)
    assert_close(run(tmp_path)["time"], np.array([0.0, 0.75, 1.0]), IDENTITY, "times")
    assert_close(run(tmp_path, "0.1", "5")["time"], np.array([0.0, 0.1]), IDENTITY, "one step")


@built
def test_what_is_not_finite_ends_the_program(tmp_path: Path) -> None:
    model = kt.Model("runaway", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=1.0))
    model.joint_law("fire", "x", lambda q: 1e3 * q["x"] ** 3)
    kt.write_simulation(model, tmp_path, 10.0, 1e-2, q=[1.0])
    done = subprocess.run([build(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no value at t = " in done.stderr
    assert len(done.stdout.splitlines()) < 900


def test_loads_that_are_python_functions_are_refused(tmp_path: Path) -> None:
    model = example("double_pendulum")
    with pytest.raises(UnsupportedError, match="Python function"):
        kt.export_c(model, tmp_path, tau=lambda t, q, qd: 0 * qd)
    with pytest.raises(KinetreeError, match=r"step: .* positive"):
        kt.write_simulation(model, tmp_path, 1.0, -0.1)


OTHER_LENGTH = """
#include "four_bar_system.h"
#include <math.h>
#include <stdio.h>

static four_bar_system s;

static int lost(void)
{
    int i, all = four_bar_evaluate(&s); /* the accelerations are the second half of der(y) */
    for (i = four_bar_STATES/2; i < four_bar_STATES; i++)
        all = all && isnan(s.yd[i]);
    return all;
}

static void with(double length)
{
    four_bar_begin(&s);
    s.now.p[NUMBER] = length;
    printf("%d %d ", four_bar_project(&s), lost());
    printf("%d %d\\n", four_bar_step(&s, 1e-3), four_bar_advance(&s, 1.0));
}

int main(void)
{
    four_bar_begin(&s);
    const double usual = s.now.p[NUMBER];
    with(VALUE);
    with(usual);
    return 0;
}
"""


@built
@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (mechanisms.four_bar, "top.end_x", 9.0),
        (lengths.four_bar, "Z", 0.25),
        (lengths.three_cranks, "L3", 1.2),
    ],
    ids=["too long", "out of the plane", "one crank differs"],
)
def test_loops_that_cannot_close_have_no_value(
    model: Any, name: str, value: float, tmp_path: Path
) -> None:
    """Lengths may change at run time: all calls tell, accelerations are NaN, it can begin anew."""
    mechanism = model()
    mechanism.name = "four_bar"
    files = kt.export_c(mechanism, tmp_path, step=0.01)
    number = kt.derive(mechanism, "forward").input("p").labels.index(name)
    text = OTHER_LENGTH.replace("NUMBER", str(number)).replace("VALUE", str(value))
    (tmp_path / "main.c").write_text(text)
    code = [str(path) for path in files if path.suffix == ".c"]
    subprocess.run([str(GCC), "-O1", *code, "-o", tmp_path / "other", "-lm"], check=True)
    done = subprocess.run([tmp_path / "other"], check=True, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["1 1 1 1", "0 0 0 0"]


@built
@pytest.mark.parametrize("name", ["slider_crank", "rich"])
def test_single_precision(name: str, tmp_path: Path) -> None:
    model = rich() if name == "rich" else example(name)
    start = {model.velocities[0]: 0.4}
    files = kt.export_c(
        model, tmp_path, qd=start, duration=0.1, step=0.002, every=5, precision="single"
    )
    texts = [path.read_text() for path in files if path.suffix in {".c", ".h"}]
    assert not any("double" in text for text in texts if "int main(" not in text)
    found = run(tmp_path)
    truth = kt.simulate(model, 0.1, qd=start, method="rk4", step=0.002)
    for k, label in enumerate(truth.coordinate.values):
        column = truth.q.values[::5, k]
        error = np.abs(found[f"q_{label}"] - column).max() / max(1.0, np.abs(column).max())
        assert 1e-12 < error + ITERATED * (np.ptp(column) == 0) < COARSE_RUN, label
    assert "Single precision" in (tmp_path / "DATASHEET.md").read_text()
    with pytest.raises(KinetreeError, match="half"):
        kt.export_c(model, tmp_path, precision="half")


@built
def test_the_data_sheet_bounds_the_stack(tmp_path: Path) -> None:
    model = mechanisms.n_four_bar(2)
    kt.export_c(model, tmp_path)
    run(tmp_path, "0.01")
    sheet = (tmp_path / "DATASHEET.md").read_text()
    assert model.content_hash() in sheet
    total = kt.derive(model).count().total
    (counted,) = re.findall(r"\| four_bar_2_equations \|.*\| (\d+) \|", sheet)
    assert abs(int(counted) - total) < 0.2 * total
    (bound,) = re.findall(r"\| four_bar_2_step \| (\d+) \|", sheet)
    frames = {
        name: int(size)
        for path in (tmp_path / "build").glob("*.su")
        for name, size in re.findall(r":(\w+)\t(\d+)\t", path.read_text())
    }
    chain = [frames["four_bar_2_step"], frames["four_bar_2_equations_prepared"]]
    inner = [s for name, s in frames.items() if name.startswith("four_bar_2_equations_") and
             not name.endswith(("_preamble", "_prepared"))]  # fmt: skip
    assert int(bound) >= sum(chain) + sum(sorted(inner)[-2:])


@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_data_sheet_tells_the_bounds_of_the_code(precision: str, tmp_path: Path) -> None:
    kt.export_c(example("four_bar"), tmp_path, precision=precision)
    sheet = (tmp_path / "DATASHEET.md").read_text()
    rows = re.findall(r"\| (\w+), \d+ unknowns \| (\d+) \| (\d+) \| (\S+) \|", sheet)
    assert [row[0] for row in rows] == ["four_bar_equations", "four_bar_projection"]
    for name, steps, looks, tolerance in rows:
        code = (tmp_path / f"{name}.c").read_text()
        (used,) = re.findall(r"\(h\[i\]\) <= ([\d.e-]+)f?\)", code)
        assert f"{float(used):g}" == tolerance
        assert f"count <= {steps}; count++" in code
        assert int(looks) == int(steps) + 1


@built
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", ["four_bar", "double_pendulum"])
def test_numbers_are_of_one_precision(name: str, precision: str, tmp_path: Path) -> None:
    kt.export_c(example(name), tmp_path, precision=precision)
    strict = "-std=gnu99 -fsyntax-only -Wall -Wextra -Wconversion -Wdouble-promotion -Werror"
    files = sorted(path.name for path in tmp_path.glob("*.c"))
    subprocess.run([str(GCC), *strict.split(), *files], cwd=tmp_path, check=True)


def test_stack_of_a_chain_of_calls() -> None:
    text = """
typedef struct {
    double a, b[3];
} box;

static void inner(double x[2])
{
    double A[4] = {0.0};
    const double y = x[0] +
        x[1];
}

void outer(double *x)
{
    box work;
    double h[2], *p = x;
    inner(h);
}
"""
    assert stack_bytes([text], "inner") == 192 + 8 * 5
    assert stack_bytes([text], "outer") == 192 + 8 * 3 + 8 * 4 + stack_bytes([text], "inner")


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    model = example("double_pendulum")
    first = [path.read_bytes() for path in kt.export_c(model, tmp_path)]
    assert [path.read_bytes() for path in kt.export_c(model, tmp_path)] == first
    (tmp_path / "notes.txt").write_text("mine\n")
    with pytest.raises(KinetreeError, match=r"holds 'notes\.txt'.*force=True"):
        kt.export_c(model, tmp_path)
    kt.export_c(model, tmp_path, force=True)
    with pytest.raises(KinetreeError, match="not a folder"):
        kt.export_c(model, tmp_path / "notes.txt")
    with pytest.raises(KinetreeError, match="cannot be written"):
        kt.export_c(model, tmp_path / "notes.txt" / "inner")
    with pytest.raises(KinetreeError, match="positive time"):
        kt.export_c(model, tmp_path / "new", duration=-1.0)
    assert not (tmp_path / "new").exists()


@built
def test_bad_arguments_of_the_program(tmp_path: Path) -> None:
    kt.export_c(example("double_pendulum"), tmp_path)
    run(tmp_path, "0.01")
    done = subprocess.run(
        [tmp_path / "build" / "double_pendulum", "soon"], check=False, capture_output=True
    )
    assert done.returncode == 2
    assert b"'soon' is not a positive number" in done.stderr


@pytest.mark.skipif(GCC is None or CMAKE is None, reason="needs gcc and cmake on PATH")
def test_cmake_builds_the_same_program(tmp_path: Path) -> None:
    kt.export_c(example("double_pendulum"), tmp_path / "source", duration=0.01)
    build = tmp_path / "build"
    for line in (["-S", tmp_path / "source", "-B", build], ["--build", build]):
        subprocess.run([str(CMAKE), *line], check=True, capture_output=True)
    done = subprocess.run([build / "double_pendulum"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("time,q_shoulder,q_elbow,")
    assert len(list(build.glob("libdouble_pendulum.*"))) == 1
