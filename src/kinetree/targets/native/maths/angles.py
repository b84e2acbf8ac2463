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
    real,
    rows_definition,
    sincos_definition,
    triple,
    whole,
)

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
    made = writer.plan
    count = made.rows * made.row
    start = _neighbours(made, made.angles, count)
    if start is None:
        for number, entry in enumerate(made.angles):
            writer.store(writer.value(entry), "%w", number)
        for padding in range(len(made.angles), count):
            writer.store(writer.number(0.0), "%w", padding)
    angles = "%w" if start is None else writer.pointer("%x", start)
    results = writer.pointer("%w", count)
    name = f"@kt.sincos.rows.{_width(made)}"
    writer.add(f"call void {name}(ptr {angles}, ptr {results}, i64 {made.rows})")


def _width(made: Plan) -> int:
    """Doubles side by side in the loop over rows."""
    return made.lanes if made.lanes > 1 else ANGLES


def through_registers(writer: Writer) -> None:
    """Groups of angles in SIMD lanes, with one test for far angles behind all of them."""
    made = writer.plan
    vector, result = real(ANGLES), triple(ANGLES)
    groups = [made.angles[i : i + ANGLES] for i in range(0, len(made.angles), ANGLES)]
    names = [_gather(writer, group) for group in groups]
    for index, name in enumerate(names):
        writer.add(f"%near{index} = call {result} @kt.sincos.{ANGLES}({vector} {name})")
    _test(writer, len(groups))
    for index, name in enumerate(names):
        writer.add(f"%beyond{index} = call {result} @kt.sincos.far.{ANGLES}({vector} {name})")
    writer.add("br label %body")
    writer.lines.append("body:")
    for index in range(len(groups)):
        sources = f"[ %near{index}, %entry ], [ %beyond{index}, %beyond ]"
        writer.add(f"%both{index} = phi {result} {sources}")
    for index in range(len(groups)):
        for which in (0, 1):
            writer.add(f"%row{index}.{which} = extractvalue {result} %both{index}, {which}")
    for entry, (angle, which) in made.trig.items():
        index, lane = divmod(angle, ANGLES)
        name = writer.known[entry] = f"%v{entry}"
        writer.add(f"{name} = extractelement {vector} %row{index}.{which}, i32 {lane}")


def _test(writer: Writer, groups: int) -> None:
    """Branch on whether any angle lies beyond the limit of the reduction."""
    count, result = whole(ANGLES), triple(ANGLES)
    gathered = "zeroinitializer"
    for index in range(groups):
        away, joined = writer.fresh(), writer.fresh()
        writer.add(f"{away} = extractvalue {result} %near{index}, 2")
        writer.add(f"{joined} = or {count} {gathered}, {away}")
        gathered = joined
    writer.lines.append(is_far(gathered, ANGLES, writer.options.fused))
    writer.add("br i1 %far, label %beyond, label %body, !prof !0")
    writer.lines.append("beyond:")


def _gather(writer: Writer, group: list[int]) -> str:
    """The angles of a group side by side; one load where they are neighbouring inputs."""
    vector = real(ANGLES)
    start = _neighbours(writer.plan, group, ANGLES)
    if start is not None:
        where, name = writer.pointer("%x", start), writer.fresh()
        writer.add(f"{name} = load {vector}, ptr {where}, align 8")
        return name
    row = "zeroinitializer"
    for lane, entry in enumerate(group):
        scalar, name = writer.value(entry), writer.fresh()
        writer.add(f"{name} = insertelement {vector} {row}, double {scalar}, i32 {lane}")
        row = name
    return row


def _neighbours(made: Plan, entries: list[int], count: int) -> int | None:
    """The first of neighbouring inputs, if the entries are that and `count` can be read from it."""
    tape = made.tape
    start = tape.a[entries[0]]
    for number, entry in enumerate(entries):
        if tape.code[entry] != "in" or tape.a[entry] != start + number:
            return None
    return start if start + count <= tape.sizes[0] else None
