"""The arc tangent of several doubles in SIMD lanes, in LLVM IR.

The C library would be called once per lane.  Here |x| is taken to the nearest c of 0, 1/2, 1, 3/2
and infinity by atan x = atan c + atan((x - c)/(1 + c x)), and a minimax polynomial does the rest;
all lanes go one way, so there is no branch.  Less than 1 ulp from the true value.

Bounds, parts and coefficients are those of Sun's fdlibm (1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.maths.sincos import literal, real, splat, suffix

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
    return f"@kt.atan.{lanes}"


def definitions(tape: Tape, lanes: int) -> list[str]:
    """The function, if a kernel with lanes calls it."""
    return [_definition(lanes)] if lanes > 1 and "atan" in tape.code else []


def _definition(lanes: int) -> str:
    w = _Writer(lanes)
    size = w.call("fabs", "%x")
    beyond = [w.add(f"fcmp oge {w.type} {size}, {w.number(bound)}") for bound in BOUNDS]
    top = w.linear(beyond, NUMERATORS, size)
    bottom = w.linear(beyond, DENOMINATORS, size)
    t = w.binary("fdiv", top, bottom)
    z = w.binary("fmul", t, t)
    z2 = w.binary("fmul", z, z)
    even, odd = (w.horner(POLYNOMIAL[start::2], z2) for start in (0, 1))
    series = w.fma(z2, odd, w.binary("fmul", z, even))
    high, low = (w.choose(beyond, values) for values in (HIGH, LOW))
    rest = w.binary("fsub", w.binary("fsub", w.binary("fmul", t, series), low), t)
    found = w.call("copysign", w.binary("fsub", high, rest), "%x")
    head = f"define internal {w.type} {name(lanes)}({w.type} %x) noinline nounwind"
    return "\n".join([f"{head} {{", *w.lines, f"  ret {w.type} {found}", "}", ""])


class _Writer:
    """Lines of the function, with numbered temporaries."""

    def __init__(self, lanes: int) -> None:
        self.lanes, self.type = lanes, real(lanes)
        self.flag = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.lines: list[str] = []

    def add(self, text: str) -> str:
        found = f"%t{len(self.lines)}"
        self.lines.append(f"  {found} = {text}")
        return found

    def number(self, value: float) -> str:
        return splat(literal(value), "double", self.lanes)

    def binary(self, code: str, a: str, b: str) -> str:
        return self.add(f"{code} {self.type} {a}, {b}")

    def call(self, function: str, *args: str) -> str:
        given = ", ".join(f"{self.type} {x}" for x in args)
        return self.add(f"call {self.type} @llvm.{function}.{suffix(self.lanes)}({given})")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.call("fmuladd", a, b, c)

    def choose(self, beyond: list[str], values: tuple[float, ...]) -> str:
        """The value of the centre that is nearest."""
        found = self.number(values[0])
        for flag, value in zip(beyond, values[1:], strict=True):
            choice = f"{self.type} {self.number(value)}, {self.type} {found}"
            found = self.add(f"select {self.flag} {flag}, {choice}")
        return found

    def linear(self, beyond: list[str], pairs: tuple[tuple[float, float], ...], size: str) -> str:
        """factor·|x| + constant; infinity times 0 is no number, so that factor is not taken."""
        factor, constant = (tuple(pair[i] for pair in pairs) for i in (0, 1))
        full = self.fma(self.choose(beyond, factor), size, self.choose(beyond, constant))
        if factor[-1] != 0.0:
            return full
        last = f"{self.type} {self.number(constant[-1])}, {self.type} {full}"
        return self.add(f"select {self.flag} {beyond[-1]}, {last}")

    def horner(self, coefficients: tuple[float, ...], z: str) -> str:
        found = self.number(coefficients[-1])
        for value in reversed(coefficients[:-1]):
            found = self.fma(found, z, self.number(value))
        return found
