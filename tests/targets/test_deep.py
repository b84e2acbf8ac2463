"""Expressions nested more deeply than compilers and interpreters take, in every target."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from approx import IDENTITY, assert_close
from kinetree.engine import Node, symbol
from kinetree.engine.sympy_bridge import from_sympy, to_sympy
from kinetree.functions import sin
from kinetree.program import Program
from kinetree.program.program import TARGETS
from kinetree.targets.text.statements import DEEPEST
from targets.registry import HANDED

LEVELS = 300
TEMPORARY = re.compile(r"double t(?:_\d+)?(?= =)")
"""A name that was given to part of an expression."""
COMPILERS = {
    "c": (["gcc", "-c", "-o", "/dev/null"], ["clang", "-c", "-o", "/dev/null"]),
    "cpp": (["g++", "-x", "c++", "-fsyntax-only"],),
    "fortran": (["gfortran", "-fsyntax-only", "-J", "."],),
    "javascript": (["node", "--check"],),
}
"""What reads the text of a target, where it is there."""


@cache
def horner(levels: int = LEVELS) -> Program:
    """Inverse dynamics of a joint with a polynomial law, by Horner's scheme."""
    model = kt.Model("deep")
    body = model.body("b", mass=1, com=(1, 0, 0))
    model.revolute("j", model.ground, body)

    def law(q: dict[str, Node]) -> Node:
        x = y = q["j"]
        for k in range(1, levels):
            y = 1 + x * y / (k + 0.5)
        return y

    model.joint_law("f", "j", law)
    return kt.derive(model, "inverse")


def value(q: float) -> float:
    """Its effort at rest."""
    y = q
    for k in range(1, LEVELS):
        y = 1 + q * y / (k + 0.5)
    return -y


@pytest.mark.parametrize("target", [name for name in TARGETS if name not in ("native", *HANDED)])
def test_every_target_takes_three_hundred_brackets(target: str, tmp_path: Path) -> None:
    paths = horner().write(target, tmp_path)
    for path in paths:
        if path.suffix == ".py":
            compile(path.read_text(), path.name, "exec")
    for command in COMPILERS.get(target, ()):
        if shutil.which(command[0]):
            line = [*command, str(paths[0])]
            done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[:500]


@pytest.mark.parametrize("target", ["native", "python", "casadi"])
def test_deep_values_are_those_of_the_law(target: str) -> None:
    if target == "casadi":
        pytest.importorskip("casadi")
    call = horner().compile(target=target)
    found = call(q=np.array([0.7]), qd=np.zeros(1), qdd=np.zeros(1), p=np.array(defaults()))
    assert_close(np.ravel(np.array(found["tau"])), [value(0.7)], IDENTITY)


def defaults() -> list[float]:
    """Default parameters of the Program."""
    return list(horner().input("p").default or ())


def test_deep_expressions_are_cut_and_others_are_not(tmp_path: Path) -> None:
    plain = horner(DEEPEST // 2 - 2).write("c", tmp_path / "plain")[0].read_text()
    assert not TEMPORARY.search(plain)
    deep = horner().write("c", tmp_path / "deep")[0].read_text()
    assert len(TEMPORARY.findall(deep)) in (2 * LEVELS // DEEPEST, 2 * LEVELS // DEEPEST + 1)
    assert max(line.count("(") for line in deep.splitlines()) < DEEPEST


def test_a_chain_of_thirty_thousand_sines_takes_seconds(tmp_path: Path) -> None:
    model = kt.Model("sines")
    model.revolute("j", model.ground, model.body("b", mass=1))

    def law(q: dict[str, Node]) -> Node:
        y = q["j"]
        for _ in range(30_000):
            y = sin(y)
        return y

    start = time.process_time()
    model.joint_law("f", "j", law)
    program = kt.derive(model, "inverse")
    program.write("c", tmp_path)
    program.write("python", tmp_path)
    assert time.process_time() - start < 20.0


def test_sympy_takes_and_gives_two_thousand_levels() -> None:
    x = symbol("x")
    y = x
    for _ in range(2000):
        y = sin(y)
    assert from_sympy(to_sympy(y), {"x": x}) is y
