"""Many evaluations: blocks of eight, one per SIMD lane, in LLVM IR.

`i1 NAME_batch(inputs, c, outputs, start, stop, work)` evaluates samples start <= s < stop, at
least eight.  `inputs` holds a pointer and a step (doubles from one sample to the next, 0 for one
value shared by all) per input; `outputs` a pointer per output, whose samples follow each other.
A block of eight samples is packed so that every component becomes a row of eight lanes, goes
through the kernel, and is unpacked; the last block reaches back so that it is full, too.  The
result says whether any input was infinite or not a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING

from kinetree.targets.native.lanes.packing import LANES, pack_definition, unpack_definition
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import BOOL, INT, PTR, REAL, Value, vector

if TYPE_CHECKING:
    from kinetree.targets.native.compile.input_tests import Checks


def block_size(inputs: Sequence[int], outputs: Sequence[int]) -> tuple[int, int]:
    """Doubles of a block of inputs and of a block of outputs."""
    return LANES * sum(inputs), LANES * sum(outputs)


def batch_definition(
    name: str,
    inputs: Sequence[int],
    outputs: Sequence[int],
    *,
    constant_lanes: bool,
    short: bool,
    checks: Checks | None = None,
) -> str:
    """IR of the loop over blocks; preamble results that come per lane are the last input.

    Packing is written out unless it has to be short: a kernel that nearly fills the cache for
    instructions must not be driven out of it by what stands around it.
    """
    arguments = [
        (PTR, "inputs"), (PTR, "c"), (PTR, "outputs"), (INT, "start"), (INT, "stop"), (PTR, "x"),
    ]  # fmt: skip
    code = Code(f"{name}_batch", BOOL, arguments)
    x, start, stop = (code.argument(a) for a in ("x", "start", "stop"))
    x_size, y_size = block_size(inputs, outputs)
    last = stop - LANES
    y = code.at(x, x_size)
    w = code.at(y, y_size)

    def block(following: Value, bad: tuple[Value, ...]) -> list[Value]:
        s = code.choose(following > last, last, following)
        rows, seen = _pack(code, inputs, s, bad[0])
        with code.exact():
            for failed in checks(code, x) if checks is not None else ():
                seen = seen + code.choose(failed, code.constant(nan, seen.kind), 0.0)
        constants = rows[-1] if constant_lanes else code.argument("c")
        code.call(name, [x, constants, y, w])
        _unpack(code, outputs, s, y)
        return [seen]

    nothing = code.constant(0.0, vector(REAL, LANES))
    (seen,) = code.repeat(start, stop, [nothing], block, LANES)
    code.leave(code.any(code.no_number(seen)))
    moves = [pack_definition(size, short) for size in dict.fromkeys(inputs)]
    moves += [unpack_definition(size, short) for size in dict.fromkeys(outputs)]
    return "\n".join([*moves, code.text()])


def _pack(code: Code, inputs: Sequence[int], s: Value, seen: Value) -> tuple[list[Value], Value]:
    """The inputs of a block: where their rows stand, and a row that tells of infinities."""
    rows: list[Value] = []
    given, x = code.argument("inputs"), code.argument("x")
    for number, size in enumerate(inputs):
        at, beside = code.at(given, 2 * number), code.at(given, 2 * number + 1)
        source, step = code.load(at, PTR), code.load(beside, INT)
        sample = code.at(source, s * step)
        rows.append(code.at(x, LANES * sum(inputs[:number])))
        seen = code.call(f"kt.pack.{size}", [sample, step, rows[-1], seen], seen.kind)
    return rows, seen


def _unpack(code: Code, outputs: Sequence[int], s: Value, y: Value) -> None:
    """The outputs of a block."""
    for number, size in enumerate(outputs):
        target = code.load(code.at(code.argument("outputs"), number), PTR)
        sample = code.at(target, s * size)
        rows = code.at(y, LANES * sum(outputs[:number]))
        code.call(f"kt.unpack.{size}", [rows, sample])
