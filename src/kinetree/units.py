"""Units at the border: what people write becomes SI, and what cannot be read is refused.

A unit is a product of powers: "kN/mm", "N.m/deg", "kg.m2", "m/s^2", "1/min".  A point, a star or a
blank multiplies, everything behind a stroke divides, digits are exponents.  Prefixes from nano to
giga stand before the units of the SI; what else is known is in the table `OTHERS`.

Inside there are SI units only, with the radian told apart from the number 1, because a rate per
radian is not one per turn.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from kinetree.errors import ModelError, nearest

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""Base units in the order in which FMI lists them."""
DERIVED: dict[str, dict[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Hz": {"s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "C": {"s": 1, "A": 1},
    "ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
    "Wb": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "T": {"kg": 1, "s": -2, "A": -1},
}
PREFIXES = {"n": -9, "u": -6, "µ": -6, "m": -3, "c": -2, "d": -1, "h": 2, "k": 3, "M": 6, "G": 9}
"""Prefix -> power of ten."""
PI = Fraction(math.pi)
INCH, POUND = Fraction(254, 10_000), Fraction(45_359_237, 100_000_000)
STANDARD_GRAVITY = Fraction(980_665, 100_000)
OTHERS: dict[str, tuple[Fraction, dict[str, int]]] = {
    "g": (Fraction(1, 1000), {"kg": 1}),
    "t": (Fraction(1000), {"kg": 1}),
    "bar": (Fraction(100_000), {"Pa": 1}),
    "atm": (Fraction(101_325), {"Pa": 1}),
    "l": (Fraction(1, 1000), {"m": 3}),
    "L": (Fraction(1, 1000), {"m": 3}),
    "deg": (PI / 180, {"rad": 1}),
    "°": (PI / 180, {"rad": 1}),
    "rev": (2 * PI, {"rad": 1}),
    "rpm": (PI / 30, {"rad": 1, "s": -1}),
    "min": (Fraction(60), {"s": 1}),
    "h": (Fraction(3600), {"s": 1}),
    "d": (Fraction(86_400), {"s": 1}),
    "in": (INCH, {"m": 1}),
    "ft": (12 * INCH, {"m": 1}),
    "mi": (63_360 * INCH, {"m": 1}),
    "mph": (63_360 * INCH / 3600, {"m": 1, "s": -1}),
    "lb": (POUND, {"kg": 1}),
    "lbf": (POUND * STANDARD_GRAVITY, {"N": 1}),
    "psi": (POUND * STANDARD_GRAVITY / INCH**2, {"Pa": 1}),
    "kgf": (STANDARD_GRAVITY, {"N": 1}),
    "%": (Fraction(1, 100), {}),
}
"""Unit -> its size, in SI units with their exponents."""
PREFIXED = (*(name for name in (*BASE, *DERIVED) if name != "kg"), "g", "bar", "l", "L")
"""Units that take a prefix."""
KNOWN = (*BASE, *DERIVED, *OTHERS, "mm", "cm", "km", "ms", "mg", "kN", "MN", "kPa", "MPa", "GPa",
         "kW", "kJ", "mrad", "kHz", "mbar")  # fmt: skip
"""Names that are proposed for one that cannot be read."""
FACTOR = re.compile(r"([^\W\d_]+|[°%])(?:\^|\*\*)?(-?\d*)")
QUANTITY = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s+(\S.*)|)")
POWERS = str.maketrans({"²": "2", "³": "3", "·": ".", "⋅": "."})


@dataclass(frozen=True)
class Unit:
    """A unit that was read.

    Attributes:
        size: how many SI units it is.
        parts: SI unit -> exponent, in the order in which they were written.
    """

    size: Fraction
    parts: dict[str, int]

    @property
    def si(self) -> str:
        """The SI unit of the same kind, such as "N.m/rad"; "1" where nothing is left."""
        above = [_power(name, n) for name, n in self.parts.items() if n > 0]
        below = [_power(name, -n) for name, n in self.parts.items() if n < 0]
        return "/".join([".".join(above) or "1", *below])

    @property
    def exponents(self) -> dict[str, int]:
        """Exponents of the base units, without zeros, in the order of `BASE`."""
        found: dict[str, int] = {}
        for name, power in self.parts.items():
            for base, exponent in DERIVED.get(name, {name: 1}).items():
                found[base] = found.get(base, 0) + power * exponent
        return {base: found[base] for base in BASE if found.get(base)}


def _power(name: str, n: int) -> str:
    return name if n == 1 else f"{name}{n}"


def read(text: str) -> Unit | str:
    """The unit that a text means, or the part of it that means none."""
    size, parts = Fraction(1), dict[str, int]()
    above, *below = text.translate(POWERS).replace("**", "^").split("/")
    for sign, part in ((1, above), *((-1, part) for part in below)):
        for word in re.split(r"[.*\s]+", part.strip("() ")):
            if word in ("1", ""):
                continue
            found = _word(word)
            if found is None:
                return word
            one, power = found
            size *= one.size ** (sign * power)
            for name, exponent in one.parts.items():
                parts[name] = parts.get(name, 0) + sign * power * exponent
    return Unit(size, {name: n for name, n in parts.items() if n})


def _word(word: str) -> tuple[Unit, int] | None:
    """A name with its exponent."""
    match = FACTOR.fullmatch(word)
    if match is None or len(match[2]) > 3 or match[2] == "-":
        return None
    found = _unit_of_name(match[1])
    return None if found is None else (found, int(match[2] or 1))


def _unit_of_name(name: str) -> Unit | None:
    """One name: of the SI, of the table, or with a prefix."""
    if name in BASE or name in DERIVED:
        return Unit(Fraction(1), {name: 1})
    if name in OTHERS:
        return Unit(*OTHERS[name])
    prefix, rest = name[:1], name[1:]
    if prefix not in PREFIXES or rest not in PREFIXED:
        return None
    whole = _unit_of_name(rest)
    return (
        None if whole is None else Unit(whole.size * Fraction(10) ** PREFIXES[prefix], whole.parts)
    )


def are_alike(one: str, other: str) -> bool:
    """Whether two units are of one kind; angles are numbers, and what is no unit is like none."""
    kinds = [found.exponents for found in map(read, (one, other)) if isinstance(found, Unit)]
    for kind in kinds:
        kind.pop("rad", None)
    return len(kinds) == 2 and kinds[0] == kinds[1]


def to_si(value: float, unit: str, element: str) -> tuple[float, str]:
    """A value and its unit in SI; a unit of the SI stays as it was written.

    Raises:
        ModelError: naming what cannot be read, with the nearest name that can.
    """
    found = read(unit) if unit else Unit(Fraction(1), {})
    if isinstance(found, str):
        best = _product(found) or nearest(found, KNOWN)
        raise ModelError(
            f"'{found}' is not a valid unit",
            element=element,
            cure=f"did you mean '{best}'?" if best else "use units such as mm, kg.m2, N/m or deg",
        )
    if found.size == 1:
        return value, unit
    return float(Fraction(value) * found.size), found.si


def from_si(value: float, unit: str) -> float | None:
    """The number in a unit that means exactly this value in SI; none where rounding allows none."""
    found = read(unit)
    if isinstance(found, str):
        return None
    near = float(Fraction(value) / found.size)
    around = (near, math.nextafter(near, -math.inf), math.nextafter(near, math.inf))
    return next((x for x in around if to_si(x, unit, "")[0] == value), None)


def _product(word: str) -> str:
    """The product that a word may mean that was written without a point, as in kNm."""
    pairs = ((word[:k], word[k:]) for k in range(len(word) - 1, 0, -1))
    return next((f"{a}.{b}" for a, b in pairs if _unit_of_name(a) and _unit_of_name(b)), "")


def quantity(text: str, wanted: str, element: str) -> float:
    """The value in SI units of a number with its unit, such as "30 deg".

    Args:
        text: the number, a blank, the unit.
        wanted: SI unit of its kind.
        element: named in errors.
    """
    match = QUANTITY.fullmatch(text.strip())
    if match is None:
        raise ModelError(
            f"'{text}' is not a number with a unit",
            element=element,
            cure='write "30 deg" or "5 mm"',
        )
    unit = match[2] or ""
    value, si = to_si(float(match[1]), unit, element)
    if unit and exponents(si) != exponents(wanted):
        raise ModelError(
            f"'{text}' is given where the unit is {wanted}",
            element=element,
            cure=f"give a value in {wanted} or a multiple of it",
        )
    return value


def exponents(unit: str) -> dict[str, int] | None:
    """Exponents of the base units of an SI unit; none where it is another or cannot be read."""
    found = read(unit)
    return None if isinstance(found, str) or found.size != 1 else found.exponents
