"""Rendering of Nodes as MathML, the mathematics that browsers set by themselves."""

from __future__ import annotations

from collections.abc import Callable

from kinetree.engine.node import Node, Number
from kinetree.engine.ops import SELECT
from kinetree.engine.show import ANY, Piece, Style, spell_number
from kinetree.plain import markup


class MathML(Style):
    """Presentation MathML; every piece is a row of complete elements.

    `symbol` gives the element of a symbol by its name.
    """

    times = '<mo>&#x2062;</mo><mspace width="0.17em"/>'
    plus, minus = '<mo form="infix">+</mo>', '<mo form="infix">−</mo>'
    negative = '<mo form="prefix">−</mo>'
    comma = "<mo>,</mo>"
    left, right = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"

    def __init__(self, symbol: Callable[[str], str]) -> None:
        self.spelled = symbol

    def number(self, x: Number) -> str:
        """How a number is spelled."""
        spelled = spell_number(x)
        sign = self.negative if spelled.startswith("-") else ""
        spelled = spelled.lstrip("-")
        if "/" in spelled:
            above, below = spelled.split("/")
            fraction = f"<mfrac><mn>{above}</mn><mn>{below}</mn></mfrac>"
            return f'{sign}<mstyle displaystyle="false">{fraction}</mstyle>'
        if "e" in spelled:
            mantissa, exponent = spelled.split("e")
            power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>"
            return f"{sign}<mn>{mantissa}</mn><mo>·</mo>{power}"
        return f"{sign}<mn>{spelled}</mn>"

    def symbol(self, name: str) -> str:
        """A symbol, by its name."""
        return self.spelled(name)

    def power(self, base: Piece, exp: int) -> list[Piece]:
        """A factor with its positive exponent."""
        return [base] if exp == 1 else ["<msup><mrow>", base, f"</mrow><mn>{exp}</mn></msup>"]

    def quotient(self, above: list[Piece], below: list[Piece], *, bare: bool) -> list[Piece]:
        """A fraction; `bare` where what is below is a single factor."""
        del bare
        return ["<mfrac><mrow>", *above, "</mrow><mrow>", *below, "</mrow></mfrac>"]

    def call(self, node: Node) -> tuple[str, str]:
        """What stands before and behind the arguments of a function."""
        if node.op is SELECT:
            return '<mrow><mo>{</mo><mtable columnalign="left">', "</mtable></mrow>"
        if node.op.name == "sqrt":
            return "<msqrt><mrow>", "</mrow></msqrt>"
        name = markup(node.op.name)
        return f"<mrow><mi>{name}</mi><mo>&#x2061;</mo><mo>(</mo>", "<mo>)</mo></mrow>"

    def arguments(self, node: Node) -> list[Piece]:
        """The arguments of a function."""
        if node.op is not SELECT:
            return super().arguments(node)
        condition, a, b = ((arg, ANY) for arg in node.args)
        return [
            "<mtr><mtd>", a, "</mtd><mtd>", condition, "<mo>&gt;</mo><mn>0</mn></mtd></mtr>",
            "<mtr><mtd>", b, "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr>",
        ]  # fmt: skip
