"""Nodes as expressions, bottom up, so that no depth of an expression overflows a stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kinetree.engine import ADD, MUL, NUM, SELECT, SYM, Node
from kinetree.targets.text.tables import Tables

if TYPE_CHECKING:
    from kinetree.targets.text.language import Language

SUM, PRODUCT, ATOM = 0, 1, 2
"""How tightly a piece of text binds."""
TextPiece = tuple[str, int]


class Printer:
    """Spells Nodes in a language; what that needs besides its own functions is collected.

    Attributes:
        powers: exponents for which the helper `kt_pow_N` is needed.
        functions: names of the functions that are called.
        tables: those that are looked up.
        selects: whether a branch is taken.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self.powers: set[int] = set()
        self.functions: set[str] = set()
        self.tables = Tables(language.rules)
        self.selects = False

    def text(self, root: Node, names: Mapping[Node, str]) -> str:
        """The expression of a Node; a Node in `names` is spelled by its name."""
        if root in names:
            return names[root]
        pieces: dict[Node, TextPiece] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [a for a in node.args if a not in pieces and a not in names]
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            if node not in pieces:
                pieces[node] = self._piece(node, pieces, names)
        return pieces[root][0]

    def _piece(
        self, node: Node, pieces: Mapping[Node, TextPiece], names: Mapping[Node, str]
    ) -> TextPiece:
        def part(arg: Node, binding: int) -> str:
            if arg in names:
                return names[arg]
            text, strength = pieces[arg]
            return text if strength >= binding else f"({text})"

        if node.op is NUM:
            return self.language.number(node.value), ATOM if node.value >= 0 else SUM
        if node.op is SYM:
            raise KeyError(node.name)
        if node.op is ADD:
            return self._sum(node, [part(arg, PRODUCT) for arg in node.args]), SUM
        if node.op is MUL:
            return self._product(node, [part(arg, ATOM) for arg in node.args]), PRODUCT
        arguments = [part(arg, SUM) for arg in node.args]
        if node.op is SELECT:
            self.selects = True
            return self.language.select(*arguments), ATOM
        if node.op.lookup is not None:
            return f"{self.tables.function(node.op.lookup)}({arguments[0]})", ATOM
        self.functions.add(node.op.name)
        name = self.language.functions.get(node.op.name, node.op.name)
        return f"{name}({', '.join(arguments)})", ATOM

    def _sum(self, node: Node, parts: list[str]) -> str:
        """Positive terms first, where there is one, so that no sign has to be changed."""
        number = self.language.number
        terms = []
        for coef, part in zip(node.coefs, parts, strict=True):
            factor = "" if abs(coef) == 1 else f"{number(abs(coef))}*"
            terms.append((coef < 0, f"{factor}{part}"))
        constant = node.value
        if constant:
            terms.append((constant < 0, number(-constant if constant < 0 else constant)))
        first = next((i for i, (negative, _) in enumerate(terms) if not negative), 0)
        terms.insert(0, terms.pop(first))
        head = f"-{terms[0][1]}" if terms[0][0] else terms[0][1]
        return head + "".join(f" {'-' if minus else '+'} {text}" for minus, text in terms[1:])

    def _product(self, node: Node, parts: list[str]) -> str:
        above: list[str] = []
        below: list[str] = []
        for part, power in zip(parts, node.coefs, strict=True):
            (above if power > 0 else below).append(self._power(part, abs(power)))
        top = "*".join(above) or self.language.number(1)
        if not below:
            return top
        bottom = "*".join(below)
        return f"{top}/({bottom})" if len(below) > 1 or "*" in bottom else f"{top}/{bottom}"

    def _power(self, base: str, power: int) -> str:
        if power == 1:
            return base
        text = self.language.power(base, power)
        if not text:
            self.powers.add(power)
            return f"kt_pow_{power}({base})"
        return text


def squarings(n: int, square: str, times: str) -> list[str]:
    """x**n by repeated squaring, from the highest binary digit of n down: a line per digit."""
    return [times if digit == "1" else square for digit in bin(n)[3:]]
