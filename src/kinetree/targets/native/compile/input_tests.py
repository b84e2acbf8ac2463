"""Tests of inputs in LLVM IR: each a few lines, and the name of the flag that says it failed.

They only ask for a closer look, which decides (`Port.refuse`).
"""

from __future__ import annotations

import struct
from math import pi
from typing import TYPE_CHECKING

from kinetree.program.locks import LOCKED
from kinetree.targets.native.maths.sincos import ROUNDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinetree.program.locks import Locks

Test = tuple[list[str], str]
"""Lines, and the name of the flag."""

FAR = 2e-3
"""Largest deviation from 1 of the square of a quaternion's length that is taken for rounding."""


def input_tests(quaternions: Sequence[int], locks: Locks, lanes: int) -> list[Test]:
    """Tests of quaternions and gimbal locks at places of x, whose elements are rows of lanes."""
    units = [_unit(at, lanes, f"%q{m}") for m, at in enumerate(quaternions)]
    return [*units, *(_lock(at, angle, lanes, f"%g{m}") for m, (at, angle) in enumerate(locks))]


def _unit(at: int, lanes: int, name: str) -> Test:
    """|w² + x² + y² + z² - 1| > FAR of a quaternion."""
    vector, total = _vector(lanes), ""
    lines: list[str] = []
    for k in range(4):
        value = f"{name}.v{k}"
        lines += _loaded(at + k, lanes, value)
        lines.append(f"{name}.m{k} = fmul {vector} {value}, {value}")
        if k:
            lines.append(f"{name}.s{k} = fadd {vector} {total}, {name}.m{k}")
        total = f"{name}.s{k}" if k else f"{name}.m{k}"
    one, far = (_constant(value, lanes) for value in (1.0, FAR**2))
    lines += [
        f"{name}.d = fsub {vector} {total}, {one}",
        f"{name}.dd = fmul {vector} {name}.d, {name}.d",
        f"{name}.far = fcmp ogt {vector} {name}.dd, {far}",
    ]
    return lines, f"{name}.far"


def _lock(at: int, angle: float, lanes: int, name: str) -> Test:
    """|h - round(h)| small, with h the half turns from a gimbal lock."""
    vector = _vector(lanes)
    rounder, near = (_constant(value, lanes) for value in (ROUNDER, (2 * LOCKED / pi) ** 2))
    lines = [
        *_loaded(at, lanes, f"{name}.v"),
        f"{name}.d = fsub {vector} {name}.v, {_constant(angle, lanes)}",
        f"{name}.h = fmul {vector} {name}.d, {_constant(1 / pi, lanes)}",
        f"{name}.u = fadd {vector} {name}.h, {rounder}",
        f"{name}.n = fsub {vector} {name}.u, {rounder}",
        f"{name}.e = fsub {vector} {name}.h, {name}.n",
        f"{name}.ee = fmul {vector} {name}.e, {name}.e",
        f"{name}.near = fcmp olt {vector} {name}.ee, {near}",
    ]
    return lines, f"{name}.near"


def _loaded(at: int, lanes: int, name: str) -> list[str]:
    """An element of x."""
    return [
        f"{name}.p = getelementptr inbounds double, ptr %x, i64 {lanes * at}",
        f"{name} = load {_vector(lanes)}, ptr {name}.p, align 8",
    ]


def _vector(lanes: int) -> str:
    return "double" if lanes == 1 else f"<{lanes} x double>"


def _constant(value: float, lanes: int) -> str:
    """A number in all lanes."""
    bits = f"0x{struct.pack('>d', value).hex().upper()}"
    return bits if lanes == 1 else "<" + ", ".join([f"double {bits}"] * lanes) + ">"


__all__ = ["FAR", "Test", "input_tests"]
