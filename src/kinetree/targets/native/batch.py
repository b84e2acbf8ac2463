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

if TYPE_CHECKING:
    from collections.abc import Sequence

LANES = 8
"""Evaluations side by side."""
EVEN = ", ".join(f"i32 {i}" for i in (0, 8, 2, 10, 4, 12, 6, 14))
ODD = ", ".join(f"i32 {i}" for i in (1, 9, 3, 11, 5, 13, 7, 15))


def block_size(inputs: Sequence[int], outputs: Sequence[int]) -> tuple[int, int]:
    """Doubles of a block of inputs and of a block of outputs."""
    return LANES * sum(inputs), LANES * sum(outputs)


def batch_definition(
    name: str, inputs: Sequence[int], outputs: Sequence[int], constant_lanes: bool
) -> str:
    """IR of the loop over blocks; preamble results that come per lane are the last input."""
    x_size, y_size = block_size(inputs, outputs)
    constants = f"%x{len(inputs) - 1}" if constant_lanes else "%c"
    packing = "\n".join(_packing(i, sum(inputs[:i]), n) for i, n in enumerate(inputs))
    unpacking = "\n".join(_unpacking(i, sum(outputs[:i]), n) for i, n in enumerate(outputs))
    seen = f"%b{len(inputs) - 1}" if inputs else "%bad"
    return f"""\
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
  %b{number} = call <8 x double> @kt.pack(ptr %row{number}, i64 %step{number}, i64 {size}, \
ptr %x{number}, <8 x double> {before})"""


def _unpacking(number: int, row: int, size: int) -> str:
    """One output of a block."""
    return f"""\
  %op{number} = getelementptr inbounds ptr, ptr %outputs, i64 {number}
  %to{number} = load ptr, ptr %op{number}, align 8
  %into{number} = mul i64 %s, {size}
  %out{number} = getelementptr inbounds double, ptr %to{number}, i64 %into{number}
  %y{number} = getelementptr inbounds double, ptr %y, i64 {LANES * row}
  call void @kt.unpack(ptr %y{number}, ptr %out{number}, i64 {size})"""


def pack_definitions() -> str:
    """IR of `kt.pack` and `kt.unpack`: two components of eight samples at a time."""
    return f"{_pack()}\n{_unpack()}"


def _addresses(base: str, step: str) -> str:
    """Where the eight samples start: %r0 to %r7."""
    lines = [f"  %r0 = getelementptr inbounds double, ptr {base}, i64 0"]
    lines += [
        f"  %r{lane} = getelementptr inbounds double, ptr %r{lane - 1}, i64 {step}"
        for lane in range(1, LANES)
    ]
    return "\n".join(lines)


def _pack() -> str:
    """Component pairs become rows; the last one of an odd number goes alone.

    Not-a-number is what 0 * infinity leaves: a running sum of zeros tells whether all was finite.
    """
    loads = "\n".join(
        f"  %p{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %i\n"
        f"  %v{lane} = load <2 x double>, ptr %p{lane}, align 8"
        for lane in range(LANES)
    )
    singles = "\n".join(
        f"  %e{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %even\n"
        f"  %f{lane} = load double, ptr %e{lane}, align 8\n"
        f"  %h{lane} = insertelement <8 x double> {f'%h{lane - 1}' if lane else 'poison'}, "
        f"double %f{lane}, i32 {lane}"
        for lane in range(LANES)
    )
    return f"""\
define internal <8 x double> @kt.pack(ptr %from, i64 %step, i64 %size, ptr %to, \
<8 x double> %bad) noinline nounwind {{
entry:
{_addresses("%from", "%step")}
  %even = and i64 %size, -2
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %pair ]
  %seen = phi <8 x double> [ %bad, %entry ], [ %z2, %pair ]
  %more = icmp slt i64 %i, %even
  br i1 %more, label %pair, label %rest
pair:
{loads}
{_join("even", (0, 2, 4, 6))}
{_join("odd", (1, 3, 5, 7))}
  %low = shufflevector <8 x double> %even8, <8 x double> %odd8, <8 x i32> <{EVEN}>
  %high = shufflevector <8 x double> %even8, <8 x double> %odd8, <8 x i32> <{ODD}>
  %k = mul i64 %i, 8
  %t0 = getelementptr inbounds double, ptr %to, i64 %k
  %t1 = getelementptr inbounds double, ptr %t0, i64 8
  store <8 x double> %low, ptr %t0, align 64
  store <8 x double> %high, ptr %t1, align 64
  %z0 = fmul contract <8 x double> %low, zeroinitializer
  %z1 = fmul contract <8 x double> %high, zeroinitializer
  %z3 = fadd contract <8 x double> %z0, %z1
  %z2 = fadd <8 x double> %seen, %z3
  %next = add i64 %i, 2
  br label %test
rest:
  %all = icmp eq i64 %even, %size
  br i1 %all, label %done, label %single
single:
{singles}
  %e = mul i64 %even, 8
  %te = getelementptr inbounds double, ptr %to, i64 %e
  store <8 x double> %h7, ptr %te, align 64
  %g0 = fmul <8 x double> %h7, zeroinitializer
  %g1 = fadd <8 x double> %seen, %g0
  br label %done
done:
  %result = phi <8 x double> [ %seen, %rest ], [ %g1, %single ]
  ret <8 x double> %result
}}
"""


def _join(name: str, lanes: tuple[int, int, int, int]) -> str:
    """Four pairs side by side."""
    a, b, c, d = lanes
    whole = ", ".join(f"i32 {i}" for i in range(8))
    half = ", ".join(f"i32 {i}" for i in range(4))
    return f"""\
  %{name}0 = shufflevector <2 x double> %v{a}, <2 x double> %v{b}, <4 x i32> <{half}>
  %{name}1 = shufflevector <2 x double> %v{c}, <2 x double> %v{d}, <4 x i32> <{half}>
  %{name}8 = shufflevector <4 x double> %{name}0, <4 x double> %{name}1, <8 x i32> <{whole}>"""


def _unpack() -> str:
    """Rows become component pairs of each sample; the last one of an odd number goes alone."""
    stores = "\n".join(
        f"  %v{lane} = shufflevector <8 x double> %u{lane % 2}, <8 x double> poison, "
        f"<2 x i32> <i32 {lane // 2 * 2}, i32 {lane // 2 * 2 + 1}>\n"
        f"  %q{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %i\n"
        f"  store <2 x double> %v{lane}, ptr %q{lane}, align 8"
        for lane in range(LANES)
    )
    singles = "\n".join(
        f"  %f{lane} = extractelement <8 x double> %last, i32 {lane}\n"
        f"  %e{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %even\n"
        f"  store double %f{lane}, ptr %e{lane}, align 8"
        for lane in range(LANES)
    )
    return f"""\
define internal void @kt.unpack(ptr %from, ptr %to, i64 %size) noinline nounwind {{
entry:
{_addresses("%to", "%size")}
  %even = and i64 %size, -2
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %pair ]
  %more = icmp slt i64 %i, %even
  br i1 %more, label %pair, label %rest
pair:
  %k = mul i64 %i, 8
  %p0 = getelementptr inbounds double, ptr %from, i64 %k
  %p1 = getelementptr inbounds double, ptr %p0, i64 8
  %w0 = load <8 x double>, ptr %p0, align 64
  %w1 = load <8 x double>, ptr %p1, align 64
  %u0 = shufflevector <8 x double> %w0, <8 x double> %w1, <8 x i32> <{EVEN}>
  %u1 = shufflevector <8 x double> %w0, <8 x double> %w1, <8 x i32> <{ODD}>
{stores}
  %next = add i64 %i, 2
  br label %test
rest:
  %all = icmp eq i64 %even, %size
  br i1 %all, label %done, label %single
single:
  %e = mul i64 %even, 8
  %pe = getelementptr inbounds double, ptr %from, i64 %e
  %last = load <8 x double>, ptr %pe, align 64
{singles}
  br label %done
done:
  ret void
}}
"""
