"""HTML: symbols in MathML, names that lead to their definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kinetree.engine import SYM, Node, symbols
from kinetree.engine.show import Piece, Style, render, terms
from kinetree.plain import markup
from kinetree.program.program import Program
from kinetree.targets.text.readable.mathml import MathML
from kinetree.targets.text.readable.reading import angles, names, signed_names
from kinetree.targets.text.readable.symbols import GREEK, Symbol, Symbols


def spell(symbol: Symbol) -> str:
    """A symbol as one element of MathML."""
    if symbol.literal:
        return f"<mtext>{markup(symbol.base)}</mtext>"
    base = f"<mi>{markup(GREEK.get(symbol.base, symbol.base))}</mi>"
    if symbol.dots:
        base = f'<mover class="dots">{base}<mo>{"." * symbol.dots}</mo></mover>'
    if not symbol.indices:
        return base
    words = "<mo>,</mo>".join(_index(word) for word in symbol.indices)
    return f"<msub>{base}<mrow>{words}</mrow></msub>"


def _index(word: str) -> str:
    if word.isdigit():
        return f"<mn>{word}</mn>"
    return f"<mi>{markup(GREEK.get(word, word))}</mi>"


class _Linked(MathML):
    """MathML that writes powers of a sine behind its name."""

    def __init__(self, scope: HtmlScope) -> None:
        super().__init__(scope.symbol)
        self.scope = scope

    def power(self, base: Piece, exp: int) -> list[Piece]:
        node = base[0]
        if (
            exp != 1
            and isinstance(node, Node)
            and node.op is SYM
            and node.name in self.scope.angles
        ):
            return [self.scope.symbol(node.name, exp)]
        return super().power(base, exp)


class _Plain(Style):
    """Text, but for names, which are links."""

    def __init__(self, link: Callable[[str], str]) -> None:
        self.link = link

    def symbol(self, name: str) -> str:
        return self.link(name)

    def call(self, node: Node) -> tuple[str, str]:
        return f"{markup(node.op.name)}(", ")"


class HtmlScope:
    """Formulas in the names of one Program.

    Attributes:
        places: name -> (number of the name, row that defines it), filled by `define`.
    """

    def __init__(self, program: Program, numbers: Iterator[int]) -> None:
        self.symbols = Symbols(names(program), signed_names(program), spell)
        self.angles = angles(program)
        self.numbers = numbers
        self.places: dict[str, tuple[int, str]] = {}
        self.style = _Linked(self)
        self.bare = MathML(self._bare)

    def define(self, row: str, targets: Sequence[Node]) -> None:
        """Let a row of the page define names."""
        for target in targets:
            self.places[target.name] = (next(self.numbers), row)

    def symbol(self, name: str, power: int = 1) -> str:
        """A symbol that knows its name; a sine or cosine of an angle is written as such."""
        node = self.angles.get(name)
        if node is None:
            return self._bare(name)
        number, _ = self.places[name]
        head = f"<mi>{node.op.name}</mi>"
        head = head if power == 1 else f"<msup>{head}<mn>{power}</mn></msup>"
        angle = render(node.args[0], self.bare)
        inner = f"<mo>&#x2061;</mo><mo>(</mo>{angle}<mo>)</mo>"
        return f'<mrow data-n="{number}">{head}{inner}</mrow>'

    def _bare(self, name: str) -> str:
        number, _ = self.places[name]
        return f'<mrow data-n="{number}">{self.symbols[name]}</mrow>'

    def math(self, node: Node) -> str:
        """An expression as a row of MathML."""
        return f"<mrow>{render(node, self.style)}</mrow>"

    def equation(self, target: Node, node: Node) -> str:
        """target = node as pieces between which the browser breaks lines."""
        left = f"{self._bare(target.name)}<mo>=</mo>"
        first, *others = terms(node, self.style)
        return " ".join(
            f'<math displaystyle="true">{piece}</math>' for piece in (left + first, *others)
        )

    def matrix(self, nodes: Sequence[Node], columns: int) -> str:
        """Entries in brackets, which the style draws: not every font has tall ones."""
        cells = [f"<mtd>{self.math(node)}</mtd>" for node in nodes]
        rows = (cells[i : i + columns] for i in range(0, len(cells), max(columns, 1)))
        table = "".join(f"<mtr>{''.join(row)}</mtr>" for row in rows)
        return f'<mtable class="matrix">{table}</mtable>'

    def plain(self, node: Node) -> str:
        """An expression as text in which every name leads to its definition."""
        return render(node, _Plain(self.link))

    def link(self, name: str) -> str:
        """A name that leads to its definition."""
        number, row = self.places[name]
        return f'<a href="#{row}" data-n="{number}">{markup(name)}</a>'

    def uses(self, nodes: Sequence[Node]) -> list[int]:
        """Numbers of the names in expressions, in order."""
        return sorted({self.places[node.name][0] for node in symbols(nodes)})
