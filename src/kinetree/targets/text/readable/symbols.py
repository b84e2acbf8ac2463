"""Names as symbols that people read: letter, dots above it, indices.

qd_elbow is q with a dot and the index elbow, a1_x is a with the indices 1 and x, tau is a Greek
letter; guide_link.mass is m with the index guide_link, rod.tip_x is r with the indices rod.tip and
x.  Two names of a Program that would look the same are told apart: the later one is written
as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

DOTS = {"qd": ("q", 1), "qdd": ("q", 2), "xd": ("x", 1)}
"""Heads of names that are rates of others."""
SHORT = {"lam": "lambda"}
"""Heads that stand for a Greek letter under a shorter name."""
QUANTITIES = {
    "mass": "m", "com": "c", "inertia": "I", "stiffness": "k", "damping": "d", "length": "l",
    "radius": "r",
}  # fmt: skip
"""Signs of the quantities of elements, in names ELEMENT.quantity."""
COMPONENT = re.compile(r"(.+)_([xyz]{1,2})\Z")
"""A component of a vector or tensor."""
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
    "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω",
}  # fmt: skip
"""Greek letters by name; all names are commands of LaTeX."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a name looks like.

    Attributes:
        base: letter or word; the name of a Greek letter stands for the letter.
        dots: time derivatives.
        indices: words below it, in order.
        literal: whether `base` is the name as it stands.
    """

    base: str
    dots: int = 0
    indices: tuple[str, ...] = ()
    literal: bool = False


def symbol_of(name: str, *, rate: bool = True) -> Symbol:
    """The symbol of a name, before others are looked at.

    Args:
        name: as it stands in the Program.
        rate: whether it may be a rate; intermediate results are written without dots.
    """
    if name.rpartition(".")[2][:1].isalpha() and "." in name:
        return _quantity(name)
    head, _, tail = name.replace(".", "_").partition("_")
    letters = head.rstrip("0123456789")
    indices = tuple(part for part in (head[len(letters) :], *tail.split("_")) if part)
    if not letters:
        return Symbol(name, literal=True)
    base, dots = SHORT.get(letters, letters), 0
    if rate and letters in DOTS:
        base, dots = DOTS[letters]
    return Symbol(base, dots, indices)


def _quantity(name: str) -> Symbol:
    """The symbol of ELEMENT.quantity: a mass, a length, or a place of a body."""
    element, _, quantity = name.rpartition(".")
    found = COMPONENT.match(quantity)
    stem, component = (found[1], found[2]) if found else (quantity, "")
    indices = (element, component) if component else (element,)
    if stem in QUANTITIES:
        return Symbol(QUANTITIES[stem], 0, indices)
    if len(component) == 1:
        return Symbol("r", 0, (f"{element}.{stem}", component))
    return Symbol(quantity, 0, (element,))


class Symbols:
    """Symbols of one scope, no two alike.

    `symbols[name]` is the symbol of a name, given the names of the scope in order and those among
    them that carry the physical sign: q, qd, qdd of a coordinate, not an intermediate result.
    """

    def __init__(
        self, names: Iterable[str], rates: set[str], spelled: Callable[[Symbol], str]
    ) -> None:
        self._texts: dict[str, str] = {}
        self._spelled = spelled
        taken: set[str] = set()
        for name in names:
            if name in self._texts:
                continue
            text = spelled(symbol_of(name, rate=name in rates))
            if text in taken:
                text = spelled(Symbol(name, literal=True))
            taken.add(text)
            self._texts[name] = text

    def __getitem__(self, name: str) -> str:
        found = self._texts.get(name)
        return self._spelled(Symbol(name, literal=True)) if found is None else found
