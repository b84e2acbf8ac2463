"""Many evaluations: blocks of eight, one per SIMD lane, in LLVM IR.

`i1 NAME.batch(inputs, c, outputs, start, stop, work)` evaluates samples start <= s < stop, at
least eight.  `inputs` holds a pointer and a step (doubles from one sample to the next, 0 for one
value shared by all) per input; `outputs` a pointer per output, whose samples follow each other.
A block of eight samples is packed so that every component becomes a row of eight lanes, goes
through the kernel, and is unpacked; the last block reaches back so that it is full, too.  The
result says whether any input was infinite or not a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.lanes.packing import LANES, pack_definition, unpack_definition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kinetree.targets.native.compile.input_tests import Test


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
    checks: Sequence[Test] = (),
) -> str:
    """IR of the loop over blocks; preamble results that come per lane are the last input.

    Packing is written out unless it has to be short: a kernel that nearly fills the cache for
    instructions must not be driven out of it by what stands around it.
    """
    x_size, y_size = block_size(inputs, outputs)
    constants = f"%x{len(inputs) - 1}" if constant_lanes else "%c"
    packing, seen = _packed(inputs, checks)
    unpacking = "\n".join(_unpacking(i, sum(outputs[:i]), n) for i, n in enumerate(outputs))
    return f"""\
{_moves(inputs, outputs, short)}
define zeroext i1 @{name}.batch(ptr %inputs, ptr %c, ptr %outputs, i64 %start, i64 %stop, ptr %x) \
nounwind {{
entry:
  %last = sub i64 %stop, {LANES}
  %y = getelementptr inbounds double, ptr %x, i64 {x_size}
  %w = getelementptr inbounds double, ptr %y, i64 {y_size}
  br label %block
block:
  %next = phi i64 [ %start, %entry ], [ %after, %block ]
  %bad = phi <8 x double> [ zeroinitializer, %entry ], [ {seen}, %block ]
  %beyond = icmp sgt i64 %next, %last
  %s = select i1 %beyond, i64 %last, i64 %next
{packing}
  call void @{name}(ptr %x, ptr {constants}, ptr %y, ptr %w)
{unpacking}
  %after = add i64 %next, {LANES}
  %more = icmp slt i64 %after, %stop
  br i1 %more, label %block, label %done
done:
  %flags = fcmp uno <8 x double> {seen}, zeroinitializer
  %any = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %flags)
  ret i1 %any
}}
"""


def _moves(inputs: Sequence[int], outputs: Sequence[int], short: bool) -> str:
    """IR of what packs inputs and unpacks outputs, once per size."""
    moves = [pack_definition(size, short) for size in dict.fromkeys(inputs)]
    return "\n".join([*moves, *(unpack_definition(n, short) for n in dict.fromkeys(outputs))])


def _packed(inputs: Sequence[int], checks: Sequence[Test]) -> tuple[str, str]:
    """IR that packs and tests the inputs of a block, and the name of its flags."""
    packing = [_packing(i, sum(inputs[:i]), n) for i, n in enumerate(inputs)]
    tests, seen = _tested(checks, f"%b{len(inputs) - 1}" if inputs else "%bad")
    return "\n".join([*packing, tests]), seen


def _tested(checks: Sequence[Test], seen: str) -> tuple[str, str]:
    """IR that makes the flags of a block not a number where a test of the inputs fails."""
    lanes, lines = f"<{LANES} x double>", []
    for m, (tests, failed) in enumerate(checks):
        nan = f"<{', '.join(['double 0x7FF8000000000000'] * LANES)}>"
        lines += [
            *tests,
            f"%t{m}.n = select <{LANES} x i1> {failed}, {lanes} {nan}, {lanes} zeroinitializer",
            f"%t{m}.b = fadd {lanes} {seen}, %t{m}.n",
        ]
        seen = f"%t{m}.b"
    return "\n".join(f"  {line}" for line in lines), seen


def _packing(number: int, row: int, size: int) -> str:
    """One input of a block."""
    before = f"%b{number - 1}" if number else "%bad"
    return f"""\
  %ip{number} = getelementptr inbounds i64, ptr %inputs, i64 {2 * number}
  %is{number} = getelementptr inbounds i64, ptr %inputs, i64 {2 * number + 1}
  %from{number} = load ptr, ptr %ip{number}, align 8
  %step{number} = load i64, ptr %is{number}, align 8
  %at{number} = mul i64 %s, %step{number}
  %row{number} = getelementptr inbounds double, ptr %from{number}, i64 %at{number}
  %x{number} = getelementptr inbounds double, ptr %x, i64 {LANES * row}
  %b{number} = call <8 x double> @kt.pack.{size}(ptr %row{number}, i64 %step{number}, \
ptr %x{number}, <8 x double> {before})"""


def _unpacking(number: int, row: int, size: int) -> str:
    """One output of a block."""
    return f"""\
  %op{number} = getelementptr inbounds ptr, ptr %outputs, i64 {number}
  %to{number} = load ptr, ptr %op{number}, align 8
  %into{number} = mul i64 %s, {size}
  %out{number} = getelementptr inbounds double, ptr %to{number}, i64 %into{number}
  %y{number} = getelementptr inbounds double, ptr %y, i64 {LANES * row}
  call void @kt.unpack.{size}(ptr %y{number}, ptr %out{number})"""
