"""The sine and cosine stage: all angles known at the start, evaluated together in SIMD lanes.

A few angles stay in registers, in groups of lanes; many go through memory in a loop over rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import ANGLES
from kinetree.targets.native.maths.sincos import (
    checked_definition,
    far_definition,
    is_far,
    rows_definition,
    sincos_definition,
    triple,
)
from kinetree.targets.native.values import INT, REAL, Value, vector

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Writer

FEW = 16
"""Angles up to which a single evaluation keeps all sines and cosines in registers."""


def definitions(made: Plan, fused: bool) -> list[str]:
    """The sine and cosine functions that a kernel calls."""
    late = any(
        code in ("sin", "cos") and entry not in made.trig
        for entry, code in enumerate(made.tape.code)
    )
    widths: set[int] = set()
    texts: list[str] = []
    if in_registers(made):
        widths.add(ANGLES)
    elif made.angles:
        width = _width(made)
        widths.add(width)
        texts.append(rows_definition(width, fused))
    if late:
        widths.add(made.lanes)
        texts.append(checked_definition(made.lanes, fused))
    for width in sorted(widths):
        texts += [sincos_definition(width, fused), far_definition(width)]
    return texts


def in_registers(made: Plan) -> bool:
    """Whether sines and cosines never pass through memory."""
    return made.inline and made.lanes == 1 and 0 < len(made.angles) <= FEW


def through_memory(writer: Writer) -> None:
    """Angles to rows of the workspace, then a loop over the rows."""
    made, code = writer.plan, writer.code
    count = made.rows * made.row
    start = _neighbours(made, made.angles, count)
    if start is None:
        for number, entry in enumerate(made.angles):
            writer.store(writer.value(entry), "w", number)
        for padding in range(len(made.angles), count):
            writer.store(writer.number(0.0), "w", padding)
    angles = writer.pointer("w", 0) if start is None else writer.pointer("x", start)
    given = [angles, writer.pointer("w", count), code.constant(made.rows, INT)]
    code.call(f"kt.sincos.rows.{_width(made)}", given)


def _width(made: Plan) -> int:
    """Doubles side by side in the loop over rows."""
    return made.lanes if made.lanes > 1 else ANGLES


def through_registers(writer: Writer) -> None:
    """Groups of angles in SIMD lanes, with one test for far angles behind all of them."""
    made, code = writer.plan, writer.code
    groups = [made.angles[i : i + ANGLES] for i in range(0, len(made.angles), ANGLES)]
    gathered = [_gather(writer, group) for group in groups]

    def compute(name: str) -> list[Value]:
        return [code.call(f"{name}.{ANGLES}", [x], triple(ANGLES)) for x in gathered]

    near = compute("kt.sincos")
    away = code.constant(0, vector(INT, ANGLES))
    for group in near:
        away = away | code.part(group, 2)
    far = is_far(away, writer.options.fused)
    both = code.unless(far, near, lambda: compute("kt.sincos.far"))
    rows = [[code.part(group, which) for which in (0, 1)] for group in both]
    for entry, (angle, which) in made.trig.items():
        index, lane = divmod(angle, ANGLES)
        writer.known[entry] = code.lane(rows[index][which], lane)


def _gather(writer: Writer, group: list[int]) -> Value:
    """The angles of a group side by side; one load where they are neighbouring inputs."""
    code, kind = writer.code, vector(REAL, ANGLES)
    start = _neighbours(writer.plan, group, ANGLES)
    if start is not None:
        return code.load(writer.pointer("x", start), kind)
    row = code.constant(0.0, kind)
    for lane, entry in enumerate(group):
        row = code.with_lane(row, writer.value(entry), lane)
    return row


def _neighbours(made: Plan, entries: list[int], count: int) -> int | None:
    """The first of neighbouring inputs, if the entries are that and `count` can be read from it."""
    tape = made.tape
    start = tape.a[entries[0]]
    for number, entry in enumerate(entries):
        if tape.code[entry] != "in" or tape.a[entry] != start + number:
            return None
    return start if start + count <= tape.sizes[0] else None
