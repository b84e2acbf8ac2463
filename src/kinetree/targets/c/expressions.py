"""Nodes as C expressions, bottom up, so that no depth of an expression overflows a stack."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kinetree.engine import ADD, MUL, NUM, SYM, topological

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kinetree.engine import Node

SUM, PRODUCT, ATOM = 0, 1, 2
"""How tightly a piece of text binds."""
Piece = tuple[str, int]
SIMPLE = re.compile(r"[\w>\[\]-]+")
"""What can be written twice: a name, an element, a member."""


class Printer:
    """Spells Nodes; what it needs besides math.h is collected.

    Attributes:
        powers: exponents for which the helper `kt_pow_N` is needed.
        sign: whether the helper `kt_sign` is needed.
    """

    def __init__(self) -> None:
        self.powers: set[int] = set()
        self.sign = False

    def text(self, root: Node, names: Mapping[Node, str]) -> str:
        """The expression of a Node; a Node in `names` is spelled by its name."""
        pieces: dict[Node, Piece] = {}
        for node in topological((root,), set(names)):
            pieces[node] = self._piece(node, pieces, names)
        return names[root] if root in names else pieces[root][0]

    def _piece(self, node: Node, pieces: Mapping[Node, Piece], names: Mapping[Node, str]) -> Piece:
        def part(arg: Node, binding: int) -> str:
            if arg in names:
                return names[arg]
            text, strength = pieces[arg]
            return text if strength >= binding else f"({text})"

        if node.op is NUM:
            text = number(float(node.value))
            return text, ATOM if node.value >= 0 else SUM
        if node.op is SYM:
            raise KeyError(node.name)
        if node.op is ADD:
            return self._sum(node, [part(arg, PRODUCT) for arg in node.args]), SUM
        if node.op is MUL:
            return self._product(node, [part(arg, ATOM) for arg in node.args]), PRODUCT
        self.sign = self.sign or node.op.c == "kt_sign"
        inside = ", ".join(part(arg, SUM) for arg in node.args)
        return f"{node.op.c}({inside})", ATOM

    def _sum(self, node: Node, parts: list[str]) -> str:
        """Positive terms first, where there is one, so that no sign has to be changed."""
        terms = []
        for coef, part in zip(node.coefs, parts, strict=True):
            factor = "" if abs(coef) == 1 else f"{number(abs(float(coef)))}*"
            terms.append((coef < 0, f"{factor}{part}"))
        if node.value:
            terms.append((node.value < 0, number(abs(float(node.value)))))
        first = next((i for i, (negative, _) in enumerate(terms) if not negative), 0)
        terms.insert(0, terms.pop(first))
        head = f"-{terms[0][1]}" if terms[0][0] else terms[0][1]
        return head + "".join(f" {'-' if minus else '+'} {text}" for minus, text in terms[1:])

    def _product(self, node: Node, parts: list[str]) -> str:
        above: list[str] = []
        below: list[str] = []
        for part, power in zip(parts, node.coefs, strict=True):
            (above if power > 0 else below).append(self._power(part, abs(power)))
        top = "*".join(above) or "1.0"
        if not below:
            return top
        bottom = "*".join(below)
        return f"{top}/({bottom})" if len(below) > 1 or "*" in bottom else f"{top}/{bottom}"

    def _power(self, base: str, power: int) -> str:
        if power == 1:
            return base
        if power == 2 and SIMPLE.fullmatch(base):
            return f"{base}*{base}"
        self.powers.add(power)
        return f"kt_pow_{power}({base})"

    def helpers(self) -> list[str]:
        """Definitions of the helpers that were used."""
        texts = [_power_helper(n) for n in sorted(self.powers)]
        if self.sign:
            texts.append(
                "static inline double kt_sign(double x)\n"
                "{\n    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;\n}\n"
            )
        return texts


def _power_helper(n: int) -> str:
    """x**n by repeated squaring, from the highest binary digit of n down."""
    steps = ["    y = y*y*x;" if digit == "1" else "    y = y*y;" for digit in bin(n)[3:]]
    body = "\n".join(["    double y = x;", *steps, "    return y;"])
    return f"static inline double kt_pow_{n}(double x)\n{{\n{body}\n}}\n"


def number(value: float) -> str:
    """The shortest decimal that reads back as the same double."""
    return repr(value)
