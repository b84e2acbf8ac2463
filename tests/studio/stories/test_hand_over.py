"""What is handed over does the same elsewhere: C, an FMU, MATLAB, a page without a server."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.approx import AT_STATES, IDENTITY, TRAJECTORY
from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

import kinetree as kt
from kinetree.export.building import compiler

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage

STEP, DURATION = 0.002, 0.5
SCRIPT = """y_0 = [{start}];
tau = zeros({count}, 1);
options = odeset('RelTol', 1e-10, 'AbsTol', 1e-12);
[t, y] = ode45(@(t, y) four_bar_forward_rates(t, y, tau), 0:{step}:{end}, y_0, options);
printf('%.17g\\n', y(:, 1:{count}));
"""


def _choose_target(page: StudioPage, target: str) -> None:
    """Choose a language, and wait until it was tried."""
    page.page.locator("#tab-code").click()
    page.page.locator("#option-target").select_option(target)
    trial = page.page.locator("#trial:not(.hint)", has_text=target)
    trial.wait_for()


def _generate(page: StudioPage, folder: Path, target: str, number: int, **options: str) -> Path:
    """Generate, download and unpack: the folder."""
    _choose_target(page, target)
    for name, value in options.items():
        page.page.locator(f"#option-{name}").fill(value)
    page.page.get_by_role("button", name="Generate").click()
    page.finished(number)
    with page.page.expect_download() as got:
        page.page.get_by_role("button", name="download").first.click()
    place = folder / target
    zipfile.ZipFile(got.value.path()).extractall(place)
    return place


def test_hand_over(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "four_bar")
    model = kt.load(file)
    page = open_page(file)
    shown = {"duration": str(DURATION), "step": str(STEP), "rtol": "1e-10", "atol": "1e-12"}
    number = page.finished(page.start("simulate", **shown))
    curves = {name: page.curve(number, f"q.{name}")[1] for name in model.coordinates}
    _choose_target(page, "sympy")
    told = page.page.locator("#trial").filter(has_text="use CasADi or JAX")
    told.wait_for()  # before anything is started
    assert page.page.get_by_role("button", name="Generate", exact=True).is_disabled()

    written = _generate(page, tmp_path, "matlab", 2)
    own = tmp_path / "own"
    kt.derive(model, "forward").write("matlab", own)
    found = {path.name: path.read_bytes() for path in written.rglob("*.m")}
    assert found == {path.name: path.read_bytes() for path in own.iterdir()}
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if octave is not None:
        starts = [page.curve(number, f"qd.{name}")[1][0] for name in model.velocities]
        _run_matlab(octave, written, curves, starts)
    page.page.get_by_label("folder for run 2").fill("matlab code")
    page.page.get_by_role("button", name="write into this folder").click()
    page.page.get_by_text("files are in the folder matlab code").wait_for()
    beside = {path.name: path.read_bytes() for path in (file.parent / "matlab code").iterdir()}
    assert beside == found

    if compiler() is not None and shutil.which("make") is not None:
        _run_c(_generate(page, tmp_path, "c-package", 3, step=str(STEP)), curves)
        _run_fmu(_generate(page, tmp_path, "fmu", 4, step=""), curves)
    picture(page, "story10")
    _open_offline(page, model, tmp_path)


def _run_matlab(
    octave: str, folder: Path, curves: dict[str, list[float]], speeds: list[float]
) -> None:
    """The functions of MATLAB, integrated by Octave, have the curves of the run."""
    start = [values[0] for values in curves.values()] + speeds
    rates = next(folder.rglob("four_bar_forward_rates.m"))
    text = SCRIPT.format(start="; ".join(map(repr, start)), count=len(speeds), step=STEP,
                         end=DURATION)  # fmt: skip
    (rates.parent / "script.m").write_text(text, encoding="utf-8")
    call = [octave, "--norc", "--quiet", "script.m"]
    said = subprocess.run(call, check=True, capture_output=True, text=True, cwd=rates.parent).stdout
    rows = np.array(said.split(), dtype=float).reshape(len(curves), -1)
    for values, row in zip(curves.values(), rows, strict=True):
        np.testing.assert_allclose(row, values, atol=TRAJECTORY)


def _run_c(folder: Path, curves: dict[str, list[float]]) -> None:
    """A package of C, compiled here, has the curves of the run."""
    (make,) = folder.rglob("Makefile")
    subprocess.run(["make", "-s", "-C", make.parent, f"CC={compiler()}"], check=True)
    (program,) = (path for path in (make.parent / "build").iterdir() if not path.suffix)
    call = [str(program), str(DURATION), str(STEP), "1"]
    said = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    head, *rows = csv.reader(io.StringIO(said))
    columns = dict(zip(head, np.array(rows, dtype=float).T, strict=True))
    for name, values in curves.items():
        np.testing.assert_allclose(columns[f"q_{name}"], values, atol=TRAJECTORY)


def _run_fmu(folder: Path, curves: dict[str, list[float]]) -> None:
    """An FMU in another simulator has them, too."""
    fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
    (unit,) = folder.rglob("*.fmu")
    rows = fmpy.simulate_fmu(
        str(unit), fmi_type="ModelExchange", stop_time=DURATION, output_interval=STEP,
        relative_tolerance=1e-10, record_events=False,
    )  # fmt: skip
    for name, values in curves.items():
        np.testing.assert_allclose(rows[f"q_{name}"], values, atol=TRAJECTORY)


def _open_offline(page: StudioPage, model: Any, folder: Path) -> None:
    """The page that is shared simulates from the disk, without a network."""
    with page.page.expect_download() as got:
        page.page.get_by_role("button", name="Share a page that simulates").click()
    shared = folder / "shared.html"
    got.value.save_as(shared)
    assert got.value.suggested_filename == "four_bar.html"
    page.page.context.set_offline(True)
    other = page.page.context.new_page()
    other.goto(shared.as_uri() + "#plain=1&play=0")
    other.wait_for_function("() => window.kinetree?.live")
    found = other.evaluate(
        "() => { kinetree.pause(); const live = kinetree.live; live.reset(); live.skip(0.2);"
        " return {t: live.simulation.t, step: live.data.step, q: [...live.simulation.state.q]} }"
    )
    run = kt.simulate(model, found["t"], method="trapezoidal", step=found["step"], tolerance=1e-6)
    np.testing.assert_allclose(found["q"], run.q.values[-1], atol=AT_STATES)
    assert abs(found["t"] - 0.2) < IDENTITY
    other.close()
    page.page.context.set_offline(False)
