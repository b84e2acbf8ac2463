"""Tests of inputs in LLVM IR: each gives the flag that says it failed.

They only ask for a closer look, which decides (`Port.refuse`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import TYPE_CHECKING

from kinetree.program.locks import LOCKED, Locks
from kinetree.targets.native.maths.sincos import ROUNDER
from kinetree.targets.native.values import REAL, Value, vector

if TYPE_CHECKING:
    from kinetree.targets.native.llvm import Code

Checks = Callable[["Code", "Value"], "list[Value]"]
"""(code, x) -> flags of the tests that failed, which are written there."""

FAR = 2e-3
"""Largest deviation from 1 of the square of a quaternion's length that is taken for rounding."""


def input_tests(quaternions: Sequence[int], locks: Locks, lanes: int) -> Checks:
    """Tests of quaternions and gimbal locks at places of x, whose elements are rows of lanes."""

    def write(code: Code, x: Value) -> list[Value]:
        def element(at: int) -> Value:
            return code.load(code.at(x, lanes * at), vector(REAL, lanes))

        with code.exact():
            units = [_is_far(*(element(at + k) for k in range(4))) for at in quaternions]
            return [*units, *(_is_locked(element(at), angle) for at, angle in locks)]

    return write


def _is_far(w: Value, x: Value, y: Value, z: Value) -> Value:
    """|w² + x² + y² + z² - 1| > FAR of a quaternion."""
    gap = w * w + x * x + y * y + z * z - 1.0
    return gap * gap > FAR**2


def _is_locked(angle: Value, lock: float) -> Value:
    """|h - round(h)| small, with h the half turns from a gimbal lock."""
    h = (angle - lock) * (1 / pi)
    gap = h - (h + ROUNDER - ROUNDER)
    return gap * gap < (2 * LOCKED / pi) ** 2
