"""The arc tangent of several doubles in SIMD lanes, in LLVM IR.

The C library would be called once per lane.  Here |x| is taken to the nearest c of 0, 1/2, 1, 3/2
and infinity by atan x = atan c + atan((x - c)/(1 + c x)), and a minimax polynomial does the rest;
all lanes go one way, so there is no branch.  Less than 1 ulp from the true value.

Bounds, parts and coefficients are those of Sun's fdlibm (1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import REAL, Value, vector

if TYPE_CHECKING:
    from kinetree.targets.tape.tape import Tape

POLYNOMIAL = (
    3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
    -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
    6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
    -3.65315727442169155270e-02, 1.62858201153657823623e-02,
)  # fmt: skip
BOUNDS = (0.4375, 0.6875, 1.1875, 2.4375)
"""|x| from which the next centre is taken."""
NUMERATORS = ((1.0, 0.0), (2.0, -1.0), (1.0, -1.0), (1.0, -1.5), (0.0, -1.0))
"""Factor of |x| and constant, per centre."""
DENOMINATORS = ((0.0, 1.0), (1.0, 2.0), (1.0, 1.0), (1.5, 1.0), (1.0, 0.0))
HIGH = (
    0.0, 4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
    1.57079632679489655800e00,
)  # fmt: skip
"""atan c, and what is missing there."""
LOW = (
    0.0, 2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
    6.12323399573676603587e-17,
)  # fmt: skip


def name(lanes: int) -> str:
    """The function for that many lanes."""
    return f"kt.atan.{lanes}"


def definitions(tape: Tape, lanes: int) -> list[str]:
    """The function, if a kernel with lanes calls it."""
    return [_definition(lanes)] if lanes > 1 and "atan" in tape.code else []


def _definition(lanes: int) -> str:
    kind = vector(REAL, lanes)
    code = Code(name(lanes), kind, [(kind, "x")], "noinline nounwind", flags="")
    x = code.argument("x")
    size = code.intrinsic("fabs", x)
    beyond = [size >= bound for bound in BOUNDS]
    t = _linear(beyond, NUMERATORS, size) / _linear(beyond, DENOMINATORS, size)
    z = t * t
    z2 = z * z
    even, odd = (_horner(POLYNOMIAL[start::2], z2) for start in (0, 1))
    series = code.intrinsic("fmuladd", z2, odd, z * even)
    high, low = (_choose(beyond, values, kind) for values in (HIGH, LOW))
    code.leave(code.intrinsic("copysign", high - (t * series - low - t), x))
    return code.text()


def _choose(beyond: list[Value], values: tuple[float, ...], kind: str) -> Value:
    """The value of the centre that is nearest."""
    code = beyond[0].code
    found = code.constant(values[0], kind)
    for flag, value in zip(beyond, values[1:], strict=True):
        found = code.choose(flag, value, found)
    return found


def _linear(beyond: list[Value], pairs: tuple[tuple[float, float], ...], size: Value) -> Value:
    """factor·|x| + constant; infinity times 0 is NaN, so that factor is not taken."""
    code, kind = size.code, size.kind
    factor, constant = (tuple(pair[i] for pair in pairs) for i in (0, 1))
    chosen = _choose(beyond, factor, kind), size, _choose(beyond, constant, kind)
    full = code.intrinsic("fmuladd", *chosen)
    return full if factor[-1] != 0.0 else code.choose(beyond[-1], constant[-1], full)


def _horner(coefficients: tuple[float, ...], z: Value) -> Value:
    code = z.code
    found = code.constant(coefficients[-1], z.kind)
    for value in reversed(coefficients[:-1]):
        found = code.intrinsic("fmuladd", found, z, code.constant(value, z.kind))
    return found
