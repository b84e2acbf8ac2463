"""Sine and cosine by one call in C: near angles, far ones, what is no number."""

from __future__ import annotations

import ctypes
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kinetree import engine as en
from kinetree.program import Assign, Output, Program
from targets.cases import tool
from targets.corpus import scalars

NEAREST = np.arange(-2000, 2001) * (np.pi / 2)
ANGLES = np.concatenate(
    [
        np.linspace(-10, 10, 5001), NEAREST, np.nextafter(NEAREST, 9e9), [0.0, -0.0, 1e-300],
        np.random.default_rng(0).uniform(-1.02e5, 1.02e5, 5000), [1.03e5, -1e6, 1e22, -3e300],
    ]
)  # fmt: skip


def turned() -> Program:
    (x,) = (row.symbols[0] for row in scalars("x"))
    s, c = (en.symbol(name, en.Rank.LOCAL) for name in ("s", "c"))
    blocks = (Assign(s, en.sin(x)), Assign(c, en.cos(x)))
    return Program("turned", scalars("x"), (), blocks, (Output("y", (2,), (s, c)),))


@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O2", "-march=native"]])
def test_sine_and_cosine_to_two_units(flags: list[str], tmp_path: Path) -> None:
    compiler = tool("gcc", "gcc")
    turned().write("c", tmp_path)
    assert "kt_sincos(x[0], &s, &c);" in (tmp_path / "turned.c").read_text()
    command = [compiler, "-std=c99", *flags, "-Wall", "-Wextra", "-Werror", "-pedantic"]
    command += ["-shared", "-fPIC", "turned.c", "-o", "turned.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "turned.so")).turned
    x, y = np.zeros(1), np.zeros(2)
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (x, y)]
    for angle in ANGLES:
        x[0] = angle
        function(*addresses)
        exact = np.array([math.sin(angle), math.cos(angle)])
        assert (np.abs(y - exact) <= 2 * np.spacing(np.abs(exact))).all(), (angle, y, exact)
    for angle in (np.inf, -np.inf, np.nan):
        x[0] = angle
        function(*addresses)
        assert np.isnan(y).all()
