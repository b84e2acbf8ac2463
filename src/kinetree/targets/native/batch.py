"""Many evaluations: blocks of eight, one per SIMD lane, in LLVM IR.

`i1 NAME.batch(inputs, c, outputs, start, stop, work)` evaluates samples start <= s < stop.
`inputs` holds a pointer and a step (doubles from one sample to the next, 0 for one value shared by
all) per input; `outputs` a pointer per output, whose samples follow each other.  A block of
eight samples is packed so that every component becomes a row of eight lanes, goes through the kernel, and is
unpacked; the last block repeats its last sample in the lanes left over.  The result says whether
any input was infinite or not a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LANES = 8
"""Evaluations side by side."""
ROWS = ", ".join(f"i32 {i}" for i in (0, 8, 2, 10, 4, 12, 6, 14))
ROWS_ODD = ", ".join(f"i32 {i}" for i in (1, 9, 3, 11, 5, 13, 7, 15))


def block_size(inputs: Sequence[int], outputs: Sequence[int]) -> tuple[int, int]:
    """Doubles of a block of inputs and of a block of outputs, with a spare row each."""
    return LANES * (sum(inputs) + 1), LANES * (sum(outputs) + 1)


def batch_definition(
    name: str, inputs: Sequence[int], outputs: Sequence[int], constant_lanes: bool
) -> str:
    """IR of the loop over blocks; the last input is the preamble's results when they come per lane."""
    x_size, y_size = block_size(inputs, outputs)
    lines = [
        f"define i1 @{name}.batch(ptr %inputs, ptr %c, ptr %outputs, i64 %start, i64 %stop, "
        'ptr %x) nounwind "prefer-vector-width"="512" {',
        "entry:",
        "  %last = sub i64 %stop, 1",
        f"  %y = getelementptr inbounds double, ptr %x, i64 {x_size}",
        f"  %w = getelementptr inbounds double, ptr %y, i64 {y_size}",
        "  br label %test",
        "test:",
        "  %s = phi i64 [ %start, %entry ], [ %next, %block ]",
        "  %bad = phi <8 x double> [ zeroinitializer, %entry ], [ %seen, %block ]",
        "  %more = icmp slt i64 %s, %stop",
        "  br i1 %more, label %block, label %done",
        "block:",
    ]
    lines += _pack_all(inputs)
    constants = f"%x{len(inputs) - 1}" if constant_lanes else "%c"
    lines.append(f"  call void @{name}(ptr %x, ptr {constants}, ptr %y, ptr %w)")
    lines += _unpack_all(outputs)
    lines += [
        f"  %seen = fadd <8 x double> %bad, %b{len(inputs) - 1}",
        f"  %next = add i64 %s, {LANES}",
        "  br label %test",
        "done:",
        "  %flags = fcmp uno <8 x double> %bad, zeroinitializer",
        "  %any = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %flags)",
        "  ret i1 %any",
        "}",
        "",
    ]
    return "\n".join(lines)


def _pack_all(inputs: Sequence[int]) -> list[str]:
    lines: list[str] = []
    before = "zeroinitializer"
    row = 0
    for i, size in enumerate(inputs):
        lines += [
            f"  %ip{i} = getelementptr inbounds i64, ptr %inputs, i64 {2 * i}",
            f"  %is{i} = getelementptr inbounds i64, ptr %inputs, i64 {2 * i + 1}",
            f"  %from{i} = load ptr, ptr %ip{i}, align 8",
            f"  %step{i} = load i64, ptr %is{i}, align 8",
            f"  %x{i} = getelementptr inbounds double, ptr %x, i64 {LANES * row}",
            f"  %b{i} = call <8 x double> @kt.pack(ptr %from{i}, i64 %step{i}, i64 {size}, "
            f"ptr %x{i}, i64 %s, i64 %last, <8 x double> {before})",
        ]
        before = f"%b{i}"
        row += size
    return lines


def _unpack_all(outputs: Sequence[int]) -> list[str]:
    lines: list[str] = []
    row = 0
    for i, size in enumerate(outputs):
        lines += [
            f"  %op{i} = getelementptr inbounds ptr, ptr %outputs, i64 {i}",
            f"  %to{i} = load ptr, ptr %op{i}, align 8",
            f"  %y{i} = getelementptr inbounds double, ptr %y, i64 {LANES * row}",
            f"  call void @kt.unpack(ptr %y{i}, ptr %to{i}, i64 {size}, i64 %s, i64 %stop)",
        ]
        row += size
    return lines


def pack_definitions() -> str:
    """IR of `kt.pack` and `kt.unpack`: two components of eight samples at a time."""
    return f"{_pack()}\n{_unpack()}"


def _pack() -> str:
    """Component pairs become rows; the last component of an odd number goes lane by lane."""
    lines = [
        "define internal <8 x double> @kt.pack(ptr %from, i64 %step, i64 %size, ptr %to, i64 %s, "
        "i64 %last, <8 x double> %bad) nounwind {",
        "entry:",
    ]
    for lane in range(LANES):
        lines += [
            f"  %s{lane} = add i64 %s, {lane}",
            f"  %over{lane} = icmp sgt i64 %s{lane}, %last",
            f"  %m{lane} = select i1 %over{lane}, i64 %last, i64 %s{lane}",
            f"  %o{lane} = mul i64 %m{lane}, %step",
            f"  %r{lane} = getelementptr inbounds double, ptr %from, i64 %o{lane}",
        ]
    lines += [
        "  %even = and i64 %size, -2",
        "  br label %test",
        "test:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %pair ]",
        "  %seen = phi <8 x double> [ %bad, %entry ], [ %z2, %pair ]",
        "  %more = icmp slt i64 %i, %even",
        "  br i1 %more, label %pair, label %rest",
        "pair:",
        *_pair(),
        "  %next = add i64 %i, 2",
        "  br label %test",
        *_single(),
        "done:",
        "  %result = phi <8 x double> [ %seen, %rest ], [ %g1, %single ]",
        "  ret <8 x double> %result",
        "}",
        "",
    ]
    return "\n".join(lines)


def _pair() -> list[str]:
    """Two components of all samples, as two rows; not-a-number is what 0 * infinity leaves."""
    lines: list[str] = []
    for lane in range(LANES):
        lines += [
            f"  %p{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %i",
            f"  %v{lane} = load <2 x double>, ptr %p{lane}, align 8",
        ]
    return [
        *lines,
        *_join("even", (0, 2, 4, 6)),
        *_join("odd", (1, 3, 5, 7)),
        f"  %low = shufflevector <8 x double> %even8, <8 x double> %odd8, <8 x i32> <{ROWS}>",
        f"  %high = shufflevector <8 x double> %even8, <8 x double> %odd8, <8 x i32> <{ROWS_ODD}>",
        "  %k = mul i64 %i, 8",
        "  %t0 = getelementptr inbounds double, ptr %to, i64 %k",
        "  %t1 = getelementptr inbounds double, ptr %t0, i64 8",
        "  store <8 x double> %low, ptr %t0, align 64",
        "  store <8 x double> %high, ptr %t1, align 64",
        "  %z0 = fmul contract <8 x double> %low, zeroinitializer",
        "  %y1 = fmul contract <8 x double> %high, zeroinitializer",
        "  %z1 = fadd contract <8 x double> %z0, %y1",
        "  %z2 = fadd <8 x double> %seen, %z1",
    ]


def _join(name: str, lanes: tuple[int, ...]) -> list[str]:
    """Four pairs side by side."""
    a, b, c, d = lanes
    return [
        f"  %{name}0 = shufflevector <2 x double> %v{a}, <2 x double> %v{b}, "
        "<4 x i32> <i32 0, i32 1, i32 2, i32 3>",
        f"  %{name}1 = shufflevector <2 x double> %v{c}, <2 x double> %v{d}, "
        "<4 x i32> <i32 0, i32 1, i32 2, i32 3>",
        f"  %{name}8 = shufflevector <4 x double> %{name}0, <4 x double> %{name}1, "
        "<8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>",
    ]


def _single() -> list[str]:
    lines = [
        "rest:",
        "  %odd = icmp eq i64 %even, %size",
        "  br i1 %odd, label %done, label %single",
        "single:",
        "  %e = mul i64 %even, 8",
        "  %te = getelementptr inbounds double, ptr %to, i64 %e",
    ]
    for lane in range(LANES):
        before = "poison" if lane == 0 else f"%h{lane - 1}"
        lines += [
            f"  %e{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %even",
            f"  %f{lane} = load double, ptr %e{lane}, align 8",
            f"  %h{lane} = insertelement <8 x double> {before}, double %f{lane}, i32 {lane}",
        ]
    return [
        *lines,
        "  store <8 x double> %h7, ptr %te, align 64",
        "  %g0 = fmul <8 x double> %h7, zeroinitializer",
        "  %g1 = fadd <8 x double> %seen, %g0",
        "  br label %done",
    ]


def _unpack() -> str:
    """Rows become component pairs of each sample; lanes beyond the last sample are dropped."""
    lines = [
        "define internal void @kt.unpack(ptr %from, ptr %to, i64 %size, i64 %s, i64 %stop) "
        "nounwind {",
        "entry:",
        "  %left = sub i64 %stop, %s",
        "  %full = icmp sge i64 %left, 8",
        "  %even0 = and i64 %size, -2",
        "  %even = select i1 %full, i64 %even0, i64 0",
        "  %start = mul i64 %s, %size",
    ]
    for lane in range(LANES):
        lines += [
            f"  %o{lane} = mul i64 %size, {lane}",
            f"  %a{lane} = add i64 %o{lane}, %start",
            f"  %r{lane} = getelementptr inbounds double, ptr %to, i64 %a{lane}",
        ]
    lines += [
        "  br label %test",
        "test:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %pair ]",
        "  %more = icmp slt i64 %i, %even",
        "  br i1 %more, label %pair, label %rest",
        "pair:",
        "  %k = mul i64 %i, 8",
        "  %p0 = getelementptr inbounds double, ptr %from, i64 %k",
        "  %p1 = getelementptr inbounds double, ptr %p0, i64 8",
        "  %u0 = load <8 x double>, ptr %p0, align 64",
        "  %u1 = load <8 x double>, ptr %p1, align 64",
        f"  %w0 = shufflevector <8 x double> %u0, <8 x double> %u1, <8 x i32> <{ROWS}>",
        f"  %w1 = shufflevector <8 x double> %u0, <8 x double> %u1, <8 x i32> <{ROWS_ODD}>",
    ]
    for lane in range(LANES):
        first = 2 * (lane // 2)
        lines += [
            f"  %v{lane} = shufflevector <8 x double> %w{lane % 2}, <8 x double> poison, "
            f"<2 x i32> <i32 {first}, i32 {first + 1}>",
            f"  %q{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %i",
            f"  store <2 x double> %v{lane}, ptr %q{lane}, align 8",
        ]
    lines += ["  %next = add i64 %i, 2", "  br label %test", *_unpack_rest(), "}", ""]
    return "\n".join(lines)


def _unpack_rest() -> list[str]:
    """The last component of an odd number, or a block that is not full: one double at a time."""
    return [
        "rest:",
        "  %short = icmp slt i64 %left, 8",
        "  %valid = select i1 %short, i64 %left, i64 8",
        "  br label %column",
        "column:",
        "  %j = phi i64 [ %even, %rest ], [ %nj, %columnend ]",
        "  %morej = icmp slt i64 %j, %size",
        "  br i1 %morej, label %lane, label %done",
        "lane:",
        "  %l = phi i64 [ 0, %column ], [ %nl, %lane ]",
        "  %f0 = mul i64 %j, 8",
        "  %f1 = add i64 %f0, %l",
        "  %fp = getelementptr inbounds double, ptr %from, i64 %f1",
        "  %fv = load double, ptr %fp, align 8",
        "  %t0 = mul i64 %l, %size",
        "  %t1 = add i64 %t0, %start",
        "  %t2 = add i64 %t1, %j",
        "  %tp = getelementptr inbounds double, ptr %to, i64 %t2",
        "  store double %fv, ptr %tp, align 8",
        "  %nl = add i64 %l, 1",
        "  %morel = icmp slt i64 %nl, %valid",
        "  br i1 %morel, label %lane, label %columnend",
        "columnend:",
        "  %nj = add i64 %j, 1",
        "  br label %column",
        "done:",
        "  ret void",
    ]
