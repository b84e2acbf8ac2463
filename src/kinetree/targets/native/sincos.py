"""Sine and cosine together, in LLVM IR, for one double or for several in SIMD lanes.

The argument is reduced to |r| <= pi/4 by subtracting a multiple of pi/2 held in parts (Cody and
Waite), both kernels are minimax polynomials with the coefficients of fdlibm, and the quadrant is
applied by bit operations, so there is no branch on the value.  At most 2 ulp from the true value
as long as |x| <= limit; beyond it the caller has to take the C library's functions.  Not-a-number
and infinity give not-a-number by themselves.

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
    """How pi/2 is split, and up to which |x| the split serves.

    Attributes:
        parts: pi/2 as a sum of doubles, largest first.
        limit: largest |x| for which two ulp are kept.
    """

    parts: tuple[float, ...]
    limit: float


FUSED = Reduction((1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33), 1e9)
"""With a hardware fused multiply-add the products are exact whatever the length of the parts."""
SHORT = Reduction(
    (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21, 8.4784276603689e-32), 1e5
)
"""Without it, 33 bits per part keep the products with the first 20 bits of the multiple exact."""


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


def sincos_definition(lanes: int, fused: bool) -> str:
    """IR of `{T, T} @kt.sincos.<lanes>(T)`: sine and cosine of every lane, no fallback inside."""
    real_, whole_ = real(lanes), whole(lanes)
    writer = _Writer(lanes, fused)
    r, multiple = _reduce(writer)
    sine, cosine = _kernels(writer, r)
    writer.line(f"%odd = and {whole_} {multiple}, {writer.integer(1)}")
    flag = "i1" if lanes == 1 else f"<{lanes} x i1>"
    writer.line(f"%swap = icmp ne {whole_} %odd, {writer.integer(0)}")
    writer.line(f"%s0 = select {flag} %swap, {real_} {cosine}, {real_} {sine}")
    writer.line(f"%c0 = select {flag} %swap, {real_} {sine}, {real_} {cosine}")
    writer.line(f"%next = add {whole_} {multiple}, {writer.integer(1)}")
    for name, quadrant in (("s", multiple), ("c", "%next")):
        writer.line(f"%{name}1 = and {whole_} {quadrant}, {writer.integer(2)}")
        writer.line(f"%{name}2 = shl {whole_} %{name}1, {writer.integer(62)}")
        writer.line(f"%{name}3 = bitcast {real_} %{name}0 to {whole_}")
        writer.line(f"%{name}4 = xor {whole_} %{name}3, %{name}2")
        writer.line(f"%{name}5 = bitcast {whole_} %{name}4 to {real_}")
    pair = f"{{ {real_}, {real_} }}"
    writer.line(f"%pair0 = insertvalue {pair} poison, {real_} %s5, 0")
    writer.line(f"%pair1 = insertvalue {pair} %pair0, {real_} %c5, 1")
    writer.line(f"ret {pair} %pair1")
    body = "\n".join(writer.lines)
    return f"define internal {pair} @kt.sincos.{lanes}({real_} %x) alwaysinline {{\n{body}\n}}\n"


def far_definition(lanes: int) -> str:
    """IR of `@kt.sincos.far.<lanes>`: the same by the C library, for angles beyond the limit."""
    real_ = real(lanes)
    pair = f"{{ {real_}, {real_} }}"
    return f"""\
define internal {pair} @kt.sincos.far.{lanes}({real_} %x) noinline cold nounwind {{
  %s = call {real_} @llvm.sin.{suffix(lanes)}({real_} %x)
  %c = call {real_} @llvm.cos.{suffix(lanes)}({real_} %x)
  %pair0 = insertvalue {pair} poison, {real_} %s, 0
  %pair1 = insertvalue {pair} %pair0, {real_} %c, 1
  ret {pair} %pair1
}}
"""


def checked_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.checked.<lanes>`: right for every angle."""
    real_ = real(lanes)
    pair = f"{{ {real_}, {real_} }}"
    return f"""\
define internal {pair} @kt.sincos.checked.{lanes}({real_} %x) noinline nounwind {{
{is_far("%x", lanes, fused)}
  br i1 %far, label %away, label %near, !prof !0
away:
  %a = call {pair} @kt.sincos.far.{lanes}({real_} %x)
  ret {pair} %a
near:
  %n = call {pair} @kt.sincos.{lanes}({real_} %x)
  ret {pair} %n
}}
"""


def rows_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.rows.<lanes>(angles, results, rows)`: per row, sines then cosines."""
    real_ = real(lanes)
    pair = f"{{ {real_}, {real_} }}"
    return f"""\
define internal void @kt.sincos.rows.{lanes}(ptr %angles, ptr %results, i64 %rows) \
noinline nounwind {{
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %from = mul i64 %i, {lanes}
  %p = getelementptr inbounds double, ptr %angles, i64 %from
  %x = load {real_}, ptr %p, align 8
{is_far("%x", lanes, fused)}
  br i1 %far, label %away, label %near, !prof !0
away:
  %a = call {pair} @kt.sincos.far.{lanes}({real_} %x)
  br label %end
near:
  %n = call {pair} @kt.sincos.{lanes}({real_} %x)
  br label %end
end:
  %both = phi {pair} [ %a, %away ], [ %n, %near ]
  %s = extractvalue {pair} %both, 0
  %c = extractvalue {pair} %both, 1
  %to = mul i64 %i, {2 * lanes}
  %ps = getelementptr inbounds double, ptr %results, i64 %to
  %pc = getelementptr inbounds double, ptr %ps, i64 {lanes}
  store {real_} %s, ptr %ps, align 8
  store {real_} %c, ptr %pc, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rows
  br i1 %more, label %row, label %done
done:
  ret void
}}
"""


def is_far(angle: str, lanes: int, fused: bool) -> str:
    """IR of `%far`: whether any lane lies beyond the limit of the reduction."""
    real_ = real(lanes)
    limit = splat(literal((FUSED if fused else SHORT).limit), "double", lanes)
    size = f"  %size = call {real_} @llvm.fabs.{suffix(lanes)}({real_} {angle})\n"
    if lanes == 1:
        return f"{size}  %far = fcmp ogt double %size, {limit}"
    return (
        f"{size}  %beyond = fcmp ogt {real_} %size, {limit}\n"
        f"  %far = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %beyond)"
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
    shifted = w.fma("%x", w.number(TWO_OVER_PI), w.number(ROUNDER))
    multiple = w.op("fsub", shifted, w.number(ROUNDER))
    r = "%x"
    for part in (FUSED if w.fused else SHORT).parts:
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
