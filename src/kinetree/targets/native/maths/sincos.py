"""Sine and cosine together, in LLVM IR, for one double or for several in SIMD lanes.

The argument is reduced to |r| <= pi/4 by subtracting a multiple of pi/2 held in parts (Cody and
Waite), both kernels are minimax polynomials with the coefficients of fdlibm, and the quadrant is
applied by bit operations, so there is no branch on the value.  At most 2 ulp from the true value
as long as |x| <= limit; beyond it, and for NaN, the C library's functions take over.

The kernels are those of Sun's fdlibm (1993), the reduction is in Cody and Waite's manual (1980).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import INT, PTR, REAL, Value, split, vector

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


def triple(lanes: int) -> str:
    """The LLVM type of what the functions below return: sine, cosine, and whether it is too far."""
    kind = vector(REAL, lanes)
    return f"{{ {kind}, {kind}, {vector(INT, lanes)} }}"


def sincos_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.<lanes>(T)`: sine and cosine of every lane, and an integer per lane.

    The integer has more than bits + 1 bits where the angle lies beyond the limit of the reduction
    or is NaN; sine and cosine are worthless then.
    """
    code = _function("kt.sincos", lanes, "alwaysinline")
    r, multiple = _reduce(code, fused)
    sine, cosine = _kernels(r, fused)
    swap = (multiple & 1).differs(0)
    found = code.choose(swap, cosine, sine), code.choose(swap, -sine, cosine)
    sign = (multiple & 2) << 62
    start = struct.unpack("<q", struct.pack("<d", reduction(fused).rounder))[0]
    turned = [
        code.cast("bitcast", code.cast("bitcast", value, sign.kind) ^ sign, value.kind)
        for value in found
    ]
    code.leave_parts(*turned, multiple ^ start)
    return code.text()


def _function(name: str, lanes: int, attributes: str) -> Code:
    """A function of angles x with three results; every rounding is kept."""
    arguments = [(vector(REAL, lanes), "x")]
    return Code(f"{name}.{lanes}", triple(lanes), arguments, attributes, flags="")


def far_definition(lanes: int) -> str:
    """IR of `@kt.sincos.far.<lanes>`: the same by the C library, for every angle."""
    code = _function("kt.sincos.far", lanes, "noinline cold nounwind")
    x = code.argument("x")
    sine, cosine = code.intrinsic("sin", x), code.intrinsic("cos", x)
    code.leave_parts(sine, cosine, code.constant(0, vector(INT, lanes)))
    return code.text()


def checked_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.checked.<lanes>`: right for every angle."""
    code = _function("kt.sincos.checked", lanes, "noinline nounwind")
    x, result = code.argument("x"), triple(lanes)
    near = code.call(f"kt.sincos.{lanes}", [x], result)
    with code.when(is_far(code.part(near, 2), fused), rare=True):
        code.leave(code.call(f"kt.sincos.far.{lanes}", [x], result))
    code.leave(near)
    return code.text()


def rows_definition(lanes: int, fused: bool) -> str:
    """IR of `@kt.sincos.rows.<lanes>(angles, results, rows)`: per row, sines then cosines.

    A first loop takes all rows as near and gathers what speaks against it; should any angle be too
    far, a second loop does all rows anew by the C library.
    """
    arguments = [(PTR, "angles"), (PTR, "results"), (INT, "rows")]
    code = Code(f"kt.sincos.rows.{lanes}", "void", arguments, "noinline nounwind")
    rows = code.argument("rows")

    def near(i: Value, seen: tuple[Value, ...]) -> list[Value]:
        return [seen[0] | _row(code, "kt.sincos", lanes, i)]

    def beyond(i: Value, _: tuple[Value, ...]) -> list[Value]:
        _row(code, "kt.sincos.far", lanes, i)
        return []

    (away,) = code.repeat(0, rows, [code.constant(0, vector(INT, lanes))], near)
    with code.when(is_far(away, fused), rare=True):
        code.repeat(0, rows, [], beyond)
    code.leave()
    return code.text()


def _row(code: Code, function: str, lanes: int, number: Value) -> Value:
    """One row of angles to one row of sines and one of cosines; what tells of far angles."""
    kind = vector(REAL, lanes)
    x = code.load(code.at(code.argument("angles"), number * lanes), kind)
    found = code.call(f"{function}.{lanes}", [x], triple(lanes))
    sine, cosine = code.part(found, 0), code.part(found, 1)
    to = code.at(code.argument("results"), number * (2 * lanes))
    beside = code.at(to, lanes)
    code.store(sine, to)
    code.store(cosine, beside)
    return code.part(found, 2)


def is_far(away: Value, fused: bool) -> Value:
    """Whether any lane lies beyond the limit of the reduction."""
    code = away.code
    return code.any(code.binary("uge", away, 2 ** (reduction(fused).bits + 1)))


def _reduce(code: Code, fused: bool) -> tuple[Value, Value]:
    """The reduced argument r, and the multiple of pi/2 as an integer."""
    parts, x = reduction(fused), code.argument("x")
    shifted = _fma(fused, x, TWO_OVER_PI, parts.rounder)
    multiple = shifted - parts.rounder
    r = x
    for part in parts.parts:
        r = _fma(fused, multiple, -part, r)
    return r, code.cast("bitcast", shifted, vector(INT, split(x.kind)[1]))


def _kernels(r: Value, fused: bool) -> tuple[Value, Value]:
    """Sine and cosine of r, |r| <= pi/4; Estrin's scheme, since its chain is the shortest."""
    z = r * r
    z2 = z * z
    sine = _fma(fused, r * z, _polynomial(fused, SINE, z, z2), r)
    near = _fma(fused, z, -0.5, 1.0)
    return sine, _fma(fused, z2, _polynomial(fused, COSINE, z, z2), near)


def _polynomial(fused: bool, c: tuple[float, ...], z: Value, z2: Value) -> Value:
    low, middle, high = (_fma(fused, z, c[i + 1], c[i]) for i in (0, 2, 4))
    return _fma(fused, _fma(fused, high, z2, middle), z2, low)


def _fma(fused: bool, a: Value, b: Value | float, c: Value | float) -> Value:
    """a*b + c, rounded once where the hardware can."""
    code = a.code
    numbers = [code.constant(x, a.kind) for x in (b, c)]
    return code.intrinsic("fma" if fused else "fmuladd", a, *numbers)
