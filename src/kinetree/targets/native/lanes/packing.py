"""Eight samples to rows of lanes and back, in LLVM IR.

Two components of all eight samples at a time: pairs of neighbouring doubles are read, put side by
side and interleaved, which takes fewer shuffles than a square transposition.  Up to STRAIGHT
components this is straight code, else, or where code has to be short, a loop over stretches of it.
"""

from __future__ import annotations

LANES = 8
"""Evaluations side by side."""
STRAIGHT = 48
"""Components up to which packing is written out."""
STRETCH = 8
"""Components per turn of the loop otherwise."""
EVEN = ", ".join(f"i32 {i}" for i in (0, 8, 2, 10, 4, 12, 6, 14))
ODD = ", ".join(f"i32 {i}" for i in (1, 9, 3, 11, 5, 13, 7, 15))
QUARTER = ", ".join(f"i32 {i}" for i in range(4))
WHOLE = ", ".join(f"i32 {i}" for i in range(8))


def pack_definition(size: int, short: bool) -> str:
    """IR of `kt.pack.SIZE(from, step, to, bad)`: rows of lanes, and a row that tells of infinities.

    Zero times infinity is not a number, so the running sum of all values times zero tells.
    """
    head = (
        f"define internal <8 x double> @kt.pack.{size}(ptr %from, i64 %step, ptr %to, "
        "<8 x double> %bad) noinline nounwind {"
    )
    starts = _starts("%from", "%step")
    if size <= (STRETCH if short else STRAIGHT):
        lines, seen = _pack_stretch("", "%to", size, "%bad")
        return "\n".join([head, *starts, *lines, f"  ret <8 x double> {seen}", "}", ""])
    turns, rest = divmod(size, STRETCH)
    lines, seen = _pack_stretch("i", "%at", STRETCH, "%sum")
    loop = _loop(turns, lines, [f"%sum = phi <8 x double> [ %bad, %entry ], [ {seen}, %turn ]"])
    last, result = _pack_stretch("r", "%end", rest, seen)
    moved = _moved("r", turns * STRETCH)
    ends = [*moved, *last, f"  ret <8 x double> {result}", "}", ""]
    return "\n".join([head, "entry:", *starts, *loop, *ends])


def unpack_definition(size: int, short: bool) -> str:
    """IR of `kt.unpack.SIZE(rows, samples)`: the components of one sample after the other."""
    head = f"define internal void @kt.unpack.{size}(ptr %to, ptr %from) noinline nounwind {{"
    starts = _starts("%from", str(size))
    if size <= (STRETCH if short else STRAIGHT):
        return "\n".join([head, *starts, *_unpack_stretch("", "%to", size), "  ret void", "}", ""])
    turns, rest = divmod(size, STRETCH)
    loop = _loop(turns, _unpack_stretch("i", "%at", STRETCH), [])
    ends = [*_moved("r", turns * STRETCH), *_unpack_stretch("r", "%end", rest)]
    return "\n".join([head, "entry:", *starts, *loop, *ends, "  ret void", "}", ""])


def _starts(base: str, step: str) -> list[str]:
    """Where the eight samples start: %r0 to %r7."""
    before = [base, *(f"%r{lane}" for lane in range(LANES - 1))]
    steps = ["0", *(step for _ in range(LANES - 1))]
    return [
        f"  %r{lane} = getelementptr inbounds double, ptr {before[lane]}, i64 {steps[lane]}"
        for lane in range(LANES)
    ]


def _loop(turns: int, stretch: list[str], carried: list[str]) -> list[str]:
    """The turns of a loop over stretches; lanes of a turn start at %ri0 to %ri7, rows at %at."""
    return [
        "  br label %turn",
        "turn:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %turn ]",
        *(f"  {line}" for line in carried),
        f"  %offset = mul i64 %i, {STRETCH}",
        f"  %block = mul i64 %i, {STRETCH * LANES}",
        "  %at = getelementptr inbounds double, ptr %to, i64 %block",
        *(
            f"  %ri{lane} = getelementptr inbounds double, ptr %r{lane}, i64 %offset"
            for lane in range(LANES)
        ),
        *stretch,
        "  %next = add i64 %i, 1",
        f"  %more = icmp ult i64 %next, {turns}",
        "  br i1 %more, label %turn, label %rest",
        "rest:",
    ]


def _moved(label: str, offset: int) -> list[str]:
    """What is left behind the last turn: lanes start at %rr0 to %rr7, rows at %end."""
    return [
        f"  %end = getelementptr inbounds double, ptr %to, i64 {offset * LANES}",
        *(
            f"  %r{label}{lane} = getelementptr inbounds double, ptr %r{lane}, i64 {offset}"
            for lane in range(LANES)
        ),
    ]


def _pack_stretch(label: str, to: str, size: int, seen: str) -> tuple[list[str], str]:
    """Straight code for some components; the name of the running sum behind it.

    Even and odd components have sums of their own, so that the chain of additions is half as long.
    """
    lines: list[str] = []
    sums = [seen, "zeroinitializer"]
    for component in range(size):
        key = f"{label}{component}"
        if component % 2 == 0:
            last = component == size - 1
            lines += (_pack_single if last else _pack_pair)(label, to, component)
        lines += [
            f"  %zero{key} = fmul contract <8 x double> %row{key}, zeroinitializer",
            f"  %seen{key} = fadd contract <8 x double> {sums[component % 2]}, %zero{key}",
        ]
        sums[component % 2] = f"%seen{key}"
    name = f"%all{label}"
    return [*lines, f"  {name} = fadd <8 x double> {sums[0]}, {sums[1]}"], name


def _pack_pair(label: str, to: str, component: int) -> list[str]:
    """Two components of eight samples become two rows."""
    key = f"{label}{component}"
    lines: list[str] = []
    for lane in range(LANES):
        at = f"%p{key}.{lane}"
        lines += [
            f"  {at} = getelementptr inbounds double, ptr %r{label}{lane}, i64 {component}",
            f"  %v{key}.{lane} = load <2 x double>, ptr {at}, align 8",
        ]
    lines += [*_join(f"even{key}", key, (0, 2, 4, 6)), *_join(f"odd{key}", key, (1, 3, 5, 7))]
    both = f"<8 x double> %even{key}, <8 x double> %odd{key}"
    for order, row in ((EVEN, component), (ODD, component + 1)):
        name = f"{label}{row}"
        lines += [
            f"  %row{name} = shufflevector {both}, <8 x i32> <{order}>",
            f"  %t{name} = getelementptr inbounds double, ptr {to}, i64 {LANES * row}",
            f"  store <8 x double> %row{name}, ptr %t{name}, align 64",
        ]
    return lines


def _join(name: str, key: str, lanes: tuple[int, ...]) -> list[str]:
    """Pairs of four samples side by side."""
    a, b, c, d = (f"<2 x double> %v{key}.{lane}" for lane in lanes)
    halves = f"<4 x double> %{name}a, <4 x double> %{name}b"
    return [
        f"  %{name}a = shufflevector {a}, {b}, <4 x i32> <{QUARTER}>",
        f"  %{name}b = shufflevector {c}, {d}, <4 x i32> <{QUARTER}>",
        f"  %{name} = shufflevector {halves}, <8 x i32> <{WHOLE}>",
    ]


def _pack_single(label: str, to: str, component: int) -> list[str]:
    """The last component of an odd number."""
    key = f"{label}{component}"
    lines: list[str] = []
    row = "poison"
    for lane in range(LANES):
        at, value = f"%p{key}.{lane}", f"%v{key}.{lane}"
        name = f"%h{key}.{lane}" if lane < LANES - 1 else f"%row{key}"
        lines += [
            f"  {at} = getelementptr inbounds double, ptr %r{label}{lane}, i64 {component}",
            f"  {value} = load double, ptr {at}, align 8",
            f"  {name} = insertelement <8 x double> {row}, double {value}, i32 {lane}",
        ]
        row = name
    return [
        *lines,
        f"  %t{key} = getelementptr inbounds double, ptr {to}, i64 {LANES * component}",
        f"  store <8 x double> {row}, ptr %t{key}, align 64",
    ]


def _unpack_stretch(label: str, to: str, size: int) -> list[str]:
    """Straight code for some components; `to` are the rows that are read here."""
    lines: list[str] = []
    for component in range(0, size - 1, 2):
        lines += _unpack_pair(label, to, component)
    return lines + (_unpack_single(label, to, size - 1) if size % 2 else [])


def _unpack_pair(label: str, rows: str, component: int) -> list[str]:
    """Two rows become two components of eight samples."""
    key = f"{label}{component}"
    lines: list[str] = []
    for name, row in (("low", component), ("high", component + 1)):
        lines += [
            f"  %{name}t{key} = getelementptr inbounds double, ptr {rows}, i64 {LANES * row}",
            f"  %{name}{key} = load <8 x double>, ptr %{name}t{key}, align 64",
        ]
    both = f"<8 x double> %low{key}, <8 x double> %high{key}"
    lines.append(f"  %even{key} = shufflevector {both}, <8 x i32> <{EVEN}>")
    lines.append(f"  %odd{key} = shufflevector {both}, <8 x i32> <{ODD}>")
    for lane in range(LANES):
        side, at = "odd" if lane % 2 else "even", f"%p{key}.{lane}"
        taken = f"<2 x i32> <i32 {lane // 2 * 2}, i32 {lane // 2 * 2 + 1}>"
        source = f"<8 x double> %{side}{key}, <8 x double> poison"
        lines += [
            f"  %v{key}.{lane} = shufflevector {source}, {taken}",
            f"  {at} = getelementptr inbounds double, ptr %r{label}{lane}, i64 {component}",
            f"  store <2 x double> %v{key}.{lane}, ptr {at}, align 8",
        ]
    return lines


def _unpack_single(label: str, rows: str, component: int) -> list[str]:
    """The last component of an odd number."""
    key = f"{label}{component}"
    lines = [
        f"  %t{key} = getelementptr inbounds double, ptr {rows}, i64 {LANES * component}",
        f"  %row{key} = load <8 x double>, ptr %t{key}, align 64",
    ]
    for lane in range(LANES):
        at = f"%p{key}.{lane}"
        lines += [
            f"  %v{key}.{lane} = extractelement <8 x double> %row{key}, i32 {lane}",
            f"  {at} = getelementptr inbounds double, ptr %r{label}{lane}, i64 {component}",
            f"  store double %v{key}.{lane}, ptr {at}, align 8",
        ]
    return lines
