"""Sine and cosine together, in LLVM IR, for one double or for several in SIMD lanes.

The argument is reduced to |r| <= pi/4 by subtracting a multiple of pi/2 held in parts (Cody and
Waite), both kernels are minimax polynomials with the coefficients of fdlibm, and the quadrant is
applied by bit operations, so there is no branch on the value.  At most 2 ulp from the true value
as long as |x| <= limit; beyond it, and for what is no number, the C library's functions take over.

The kernels are those of Sun's fdlibm (1993), the reduction is in Cody and Waite's manual (1980).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
TWO_OVER_PI = 0.6366197723675814
ROUNDER = 6755399441055744.0
"""1.5 * 2**52: adding it rounds to an integer and leaves that integer in the low bits."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """How pi/2 is split, and up to which multiple of it the split serves.

    Attributes:
        parts: pi/2 as a sum of doubles, largest first.
        bits: multiples of pi/2 below 2**bits are subtracted accurately.
    """

    parts: tuple[float, ...]
    bits: int

    @property
    def limit(self) -> float:
        """Largest |x| that is reduced accurately."""
        return 2.0**self.bits / TWO_OVER_PI

    @property
    def rounder(self) -> float:
        """Added to a multiple within the limit it gives a positive integer of bits + 1 bits."""
        return ROUNDER + 2.0**self.bits


FUSED = Reduction((1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33), 30)
"""With a hardware fused multiply-add the products are exact whatever the length of the parts."""
SHORT = Reduction(
    (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32), 16
)
"""Without it, 33 bits per part keep the products with the first 20 bits of the multiple exact."""


def reduction(fused: bool) -> Reduction:
    """The split for processors with and without a fused multiply-add."""
    return FUSED if fused else SHORT


def literal(value: float) -> str:
    """A double as LLVM writes it exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def real(lanes: int) -> str:
    """The LLVM type of `lanes` doubles."""
    return "double" if lanes == 1 else f"<{lanes} x double>"


def suffix(lanes: int) -> str:
    """How LLVM marks an intrinsic for `lanes` doubles."""
    return "f64" if lanes == 1 else f"v{lanes}f64"


def whole(lanes: int) -> str:
    """The LLVM type of `lanes` 64-bit integers."""
    return "i64" if lanes == 1 else f"<{lanes} x i64>"


def splat(value: str, kind: str, lanes: int) -> str:
    """The same scalar constant in every lane."""
    return value if lanes == 1 else f"splat ({kind} {value})"


def triple(lanes: int) -> str:
    """The LLVM type of what the functions below return: sine, cosine, and whether it is too far."""
    return f"{{ {real(lanes)}, {real(lanes)}, {whole(lanes)} }}"


def sincos_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.<lanes>(T)`: sine and cosine of every lane, and an integer per lane.

    The integer has more than bits + 1 bits where the angle lies beyond the limit of the reduction
    or is no number; sine and cosine are worthless then.
    """
    kind, count = real(lanes), whole(lanes)
    writer = _Writer(lanes, fused)
    r, multiple = _reduce(writer)
    sine, cosine = _kernels(writer, r)
    flag = "i1" if lanes == 1 else f"<{lanes} x i1>"
    writer.line(f"%odd = and {count} {multiple}, {writer.integer(1)}")
    writer.line(f"%swap = icmp ne {count} %odd, {writer.integer(0)}")
    writer.line(f"%minus = fneg {kind} {sine}")
    writer.line(f"%s0 = select {flag} %swap, {kind} {cosine}, {kind} {sine}")
    writer.line(f"%c0 = select {flag} %swap, {kind} %minus, {kind} {cosine}")
    writer.line(f"%half = and {count} {multiple}, {writer.integer(2)}")
    writer.line(f"%sign = shl {count} %half, {writer.integer(62)}")
    for name in ("s", "c"):
        writer.line(f"%{name}1 = bitcast {kind} %{name}0 to {count}")
        writer.line(f"%{name}2 = xor {count} %{name}1, %sign")
        writer.line(f"%{name}3 = bitcast {count} %{name}2 to {kind}")
    start = struct.unpack("<q", struct.pack("<d", reduction(fused).rounder))[0]
    writer.line(f"%away = xor {count} {multiple}, {writer.integer(start)}")
    body = "\n".join(
        [*writer.lines, *_returned(lanes, f"{kind} %s3", f"{kind} %c3", f"{count} %away")]
    )
    head = f"define internal {triple(lanes)} @kt.sincos.{lanes}({kind} %x) alwaysinline"
    return f"{head} {{\n{body}\n}}\n"


def _returned(lanes: int, *values: str) -> list[str]:
    """Return the values together."""
    lines = []
    whole_ = "poison"
    for place, value in enumerate(values):
        lines.append(f"  %all{place} = insertvalue {triple(lanes)} {whole_}, {value}, {place}")
        whole_ = f"%all{place}"
    return [*lines, f"  ret {triple(lanes)} {whole_}"]


def far_definition(lanes: int) -> str:
    """IR of `@kt.sincos.far.<lanes>`: the same by the C library, for every angle."""
    kind = real(lanes)
    values = (f"{kind} %s", f"{kind} %c", f"{whole(lanes)} zeroinitializer")
    head = f"define internal {triple(lanes)} @kt.sincos.far.{lanes}({kind} %x)"
    lines = [
        f"{head} noinline cold nounwind {{",
        f"  %s = call {kind} @llvm.sin.{suffix(lanes)}({kind} %x)",
        f"  %c = call {kind} @llvm.cos.{suffix(lanes)}({kind} %x)",
        *_returned(lanes, *values),
        "}",
        "",
    ]
    return "\n".join(lines)


def checked_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.checked.<lanes>`: right for every angle."""
    kind, result = real(lanes), triple(lanes)
    return f"""\
define internal {result} @kt.sincos.checked.{lanes}({kind} %x) noinline nounwind {{
  %n = call {result} @kt.sincos.{lanes}({kind} %x)
  %away = extractvalue {result} %n, 2
{is_far("%away", lanes, fused)}
  br i1 %far, label %beyond, label %near, !prof !0
near:
  ret {result} %n
beyond:
  %a = call {result} @kt.sincos.far.{lanes}({kind} %x)
  ret {result} %a
}}
"""


def rows_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.rows.<lanes>(angles, results, rows)`: per row, sines then cosines.

    A first loop takes all rows as near and gathers what speaks against it; should any angle be too
    far, a second loop does all rows anew by the C library.
    """
    return f"""\
define internal void @kt.sincos.rows.{lanes}(ptr %angles, ptr %results, i64 %rows) \
noinline nounwind {{
entry:
  br label %near
near:
  %i = phi i64 [ 0, %entry ], [ %next, %near ]
  %seen = phi {whole(lanes)} [ zeroinitializer, %entry ], [ %gathered, %near ]
{_row("near", "kt.sincos", lanes, "%i")}
  %away = extractvalue {triple(lanes)} %near.all, 2
  %gathered = or {whole(lanes)} %seen, %away
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rows
  br i1 %more, label %near, label %check
check:
{is_far("%gathered", lanes, fused)}
  br i1 %far, label %beyond, label %done, !prof !0
beyond:
  %j = phi i64 [ 0, %check ], [ %following, %beyond ]
{_row("beyond", "kt.sincos.far", lanes, "%j")}
  %following = add i64 %j, 1
  %again = icmp ult i64 %following, %rows
  br i1 %again, label %beyond, label %done
done:
  ret void
}}
"""


def _row(name: str, function: str, lanes: int, number: str) -> str:
    """One row of angles to one row of sines and one of cosines."""
    kind = real(lanes)
    return f"""\
  %{name}.from = mul i64 {number}, {lanes}
  %{name}.p = getelementptr inbounds double, ptr %angles, i64 %{name}.from
  %{name}.x = load {kind}, ptr %{name}.p, align 8
  %{name}.all = call {triple(lanes)} @{function}.{lanes}({kind} %{name}.x)
  %{name}.s = extractvalue {triple(lanes)} %{name}.all, 0
  %{name}.c = extractvalue {triple(lanes)} %{name}.all, 1
  %{name}.to = mul i64 {number}, {2 * lanes}
  %{name}.ps = getelementptr inbounds double, ptr %results, i64 %{name}.to
  %{name}.pc = getelementptr inbounds double, ptr %{name}.ps, i64 {lanes}
  store {kind} %{name}.s, ptr %{name}.ps, align 8
  store {kind} %{name}.c, ptr %{name}.pc, align 8"""


def is_far(away: str, lanes: int, fused: bool) -> str:
    """IR of `%far`: whether any lane lies beyond the limit of the reduction."""
    limit = splat(str(2 ** (reduction(fused).bits + 1)), "i64", lanes)
    if lanes == 1:
        return f"  %far = icmp uge i64 {away}, {limit}"
    return (
        f"  %lanes = icmp uge {whole(lanes)} {away}, {limit}\n"
        f"  %far = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %lanes)"
    )


class _Writer:
    """Lines of one function, with numbered temporaries."""

    def __init__(self, lanes: int, fused: bool) -> None:
        self.lanes = lanes
        self.fused = fused
        self.type = real(lanes)
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def number(self, value: float) -> str:
        return splat(literal(value), "double", self.lanes)

    def integer(self, value: int) -> str:
        return splat(str(value), "i64", self.lanes)

    def op(self, code: str, a: str, b: str) -> str:
        name = f"%t{len(self.lines)}"
        self.line(f"{name} = {code} {self.type} {a}, {b}")
        return name

    def fma(self, a: str, b: str, c: str) -> str:
        """a*b + c, rounded once where the hardware can."""
        name = f"%t{len(self.lines)}"
        call = "fma" if self.fused else "fmuladd"
        args = ", ".join(f"{self.type} {x}" for x in (a, b, c))
        self.line(f"{name} = call {self.type} @llvm.{call}.{suffix(self.lanes)}({args})")
        return name


def _reduce(w: _Writer) -> tuple[str, str]:
    """The reduced argument r, and the multiple of pi/2 as an integer."""
    split = reduction(w.fused)
    shifted = w.fma("%x", w.number(TWO_OVER_PI), w.number(split.rounder))
    multiple = w.op("fsub", shifted, w.number(split.rounder))
    r = "%x"
    for part in split.parts:
        r = w.fma(multiple, w.number(-part), r)
    w.line(f"%multiple = bitcast {w.type} {shifted} to {whole(w.lanes)}")
    return r, "%multiple"


def _kernels(w: _Writer, r: str) -> tuple[str, str]:
    """Sine and cosine of r, |r| <= pi/4; Estrin's scheme, since its chain is the shortest."""
    z = w.op("fmul", r, r)
    z2 = w.op("fmul", z, z)
    sine = w.fma(w.op("fmul", r, z), _polynomial(w, SINE, z, z2), r)
    near = w.fma(z, w.number(-0.5), w.number(1.0))
    return sine, w.fma(z2, _polynomial(w, COSINE, z, z2), near)


def _polynomial(w: _Writer, c: tuple[float, ...], z: str, z2: str) -> str:
    low, middle, high = (w.fma(z, w.number(c[i + 1]), w.number(c[i])) for i in (0, 2, 4))
    return w.fma(w.fma(high, z2, middle), z2, low)
