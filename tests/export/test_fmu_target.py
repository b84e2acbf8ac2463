"""The target "fmu": forward dynamics of a Program as an FMU, from the Program alone."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.approx import RUN

import kinetree as kt
from export.models import example, rich
from export.test_fmu import assert_same_motion, compiled, played
from kinetree.errors import KinetreeError, ShapeError, UnsupportedError

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
from fmpy.validation import validate_fmu  # noqa: E402

pytestmark = pytest.mark.crosscheck


@compiled
@pytest.mark.parametrize("name", ["slider_crank", "rich"])
def test_it_moves_as_the_model_does(name: str, tmp_path: Path) -> None:
    model = rich() if name == "rich" else example(name)
    q = kt.assemble(model).q if model.closures else model.initial()
    program = kt.derive(model, "forward")
    (path,) = program.write("fmu", tmp_path, q=q, derivatives=False)
    assert path.name == f"{name}_forward.fmu"
    assert validate_fmu(str(path)) == []
    run = kt.simulate(model, 0.5, step=0.5 / 40, q=q, rtol=1e-10, atol=1e-12)
    for kind in ("ModelExchange", "CoSimulation"):
        assert_same_motion(played(str(path), kind, 0.5), run)


def test_a_program_that_is_no_motion_is_refused(tmp_path: Path) -> None:
    program = kt.derive(example("double_pendulum"), "inverse")
    with pytest.raises(UnsupportedError, match=r"needs accelerations.*derive 'forward'"):
        program.write("fmu", tmp_path)
    with pytest.raises(UnsupportedError, match=r"only writes files"):
        program.compile(target="fmu")


def test_loops_that_do_not_close_from_zero_want_a_start(tmp_path: Path) -> None:
    program = kt.derive(example("four_bar"), "forward")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(KinetreeError, match=r"do not close.*pass q="):
            program.write("fmu", tmp_path, binary=False)
    with pytest.raises(ShapeError, match=r"give all 3 coordinates"):
        program.write("fmu", tmp_path, q=np.zeros(2), binary=False)


def test_files_of_other_origin_are_left_alone(tmp_path: Path) -> None:
    program = kt.derive(example("double_pendulum"), "forward")
    (path,) = program.write("fmu", tmp_path, binary=False)
    program.write("fmu", tmp_path, binary=False)
    path.write_text("mine")
    with pytest.raises(KinetreeError, match="not generated"):
        program.write("fmu", tmp_path, binary=False)


def bouncing() -> kt.Model:
    """A mass that a motor pushes the one way or the other, depending on where it is."""
    model = kt.Model("bouncing", gravity=(0, 0, 0))
    body = model.body("cart", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("x", model.ground, body, axis="x", initial=0.1)
    model.joint_law("motor", "x", lambda q: kt.functions.select(q["x"], -40.0, 25.0))
    return model


def exact(t: float) -> float:
    """Its place: parabolas that meet at x = 0, x = v s - 20 s² above and -v s + 12.5 s² below."""
    left = t - np.sqrt(0.1 / 20)
    if left < 0:
        return 0.1 - 20 * t**2
    speed = 40 * np.sqrt(0.1 / 20)
    for half, push in [(25.0, 1), (40.0, -1)] * 100:
        last = 2 * speed / half
        if left < last:
            return float(push * (-speed * left + half / 2 * left**2))
        left -= last
    raise AssertionError("more bounces than expected")


@compiled
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_co_simulation_stops_at_branches(version: str, tmp_path: Path) -> None:
    path = tmp_path / "bouncing.fmu"
    kt.export_fmu(bouncing(), path, version=version, step=0.02, derivatives=False)
    found = played(str(path), "CoSimulation", 1.0)
    wanted = [exact(t) for t in found["time"]]
    assert max(abs(found["q_x"] - wanted)) < RUN
