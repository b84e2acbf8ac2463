"""LaTeX: head of the article, lines that break, matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from kinetree.engine import SYM, ZERO, Node
from kinetree.engine.show import Latex, Piece, render, terms
from kinetree.program.program import Program
from kinetree.targets.latex.language import spell, width
from kinetree.targets.text.readable.reading import angles, names, signed_names
from kinetree.targets.text.readable.symbols import Symbols, symbol_of

WIDTH = 80
"""Letters that a line holds."""
INDENTED = 68
"""Letters that an indented line holds."""
TAG = 5
"""Letters that the number of an equation takes."""
SIZES = ((0.9, "small"), (0.8, "footnotesize"), (0.7, "scriptsize"), (0.0, "tiny"))
"""Share of the usual width -> the size of letters that has it."""
SMALL = 6
"""Columns of a matrix up to which its places are shown, too, where its entries are too wide."""
COLUMNS = 24
"""Columns of a matrix at most."""
ROWS = 36
"""Rows of a matrix that a page holds."""
HEAD = rf"""\documentclass[10pt,a4paper]{{article}}
\usepackage{{amsmath}}
\setlength{{\textwidth}}{{176mm}}
\setlength{{\oddsidemargin}}{{-8mm}}
\setlength{{\textheight}}{{250mm}}
\setlength{{\topmargin}}{{-20mm}}
\setlength{{\parindent}}{{0pt}}
\setlength{{\parskip}}{{4pt}}
\setcounter{{MaxMatrixCols}}{{{COLUMNS}}}
\allowdisplaybreaks
\raggedright
\begin{{document}}
"""
END = "\\end{document}\n"


class _Angled(Latex):
    """LaTeX that writes powers of a sine behind its name."""

    def __init__(self, symbol: Callable[..., str], angles: Mapping[str, Node]) -> None:
        super().__init__(symbol)
        self.angle = symbol
        self.angles = angles

    def power(self, base: Piece, exp: int) -> list[Piece]:
        node = base[0]
        if exp != 1 and isinstance(node, Node) and node.op is SYM and node.name in self.angles:
            return [self.angle(node.name, f"^{{{exp}}}")]
        return super().power(base, exp)


class Scope:
    """Formulas in the names of one Program; its sines and cosines are written as such.

    `room` is the number of letters that a line holds.
    """

    def __init__(self, program: Program, room: int = WIDTH) -> None:
        self.room = room
        self.symbols = Symbols(names(program), signed_names(program), spell)
        self.angles = angles(program)
        self.plain = Latex(self.symbols.__getitem__)
        self.style = _Angled(self._symbol, self.angles)

    def _symbol(self, name: str, power: str = "") -> str:
        node = self.angles.get(name)
        if node is None:
            return self.symbols[name]
        return rf"{node.op.latex}{power}({render(node.args[0], self.plain)})"

    def formula(self, node: Node) -> str:
        """An expression on one line."""
        return render(node, self.style)

    def lines(self, left: str, node: Node, tag: str = "") -> str:
        """left = node for an alignment; sums that are too wide go on in further lines."""
        rows = [f"{left} &= "]
        room = self.room - width(left) - (TAG if tag else 0)
        used = 0.0
        for term in terms(node, self.style):
            size = width(term)
            if used and used + size > room:
                rows.append(r"&\quad ")
                used = 0.0
            rows[-1] += term if size <= room else _smaller(term, room / size)
            used += size
        return " \\\\\n".join(rows) + (rf" \tag{{{tag}}}" if tag else "")

    def array(self, left: str, nodes: Sequence[Node], shape: tuple[int, ...]) -> Iterator[str]:
        """left = matrix, or its entries one by one where it is too wide."""
        rows, columns = _rows_and_columns(shape)
        if not shape:
            yield from align([self.lines(left, nodes[0])])
            return
        cells = [self.formula(node) for node in nodes]
        wide = sum(
            max((width(cells[i * columns + j]) for i in range(rows)), default=0.0) + 2
            for j in range(columns)
        )
        if rows <= ROWS and columns <= COLUMNS and wide + width(left) <= self.room:
            yield from _matrix(left, cells, columns)
            return
        if 1 < columns <= SMALL:
            marks = [
                "0" if node is ZERO else f"{left}_{{{i // columns + 1},{i % columns + 1}}}"
                for i, node in enumerate(nodes)
            ]
            yield from _matrix(left, marks, columns)
        yield from self.entries(left, nodes, shape)

    def table(self, nodes: Sequence[Node], columns: int) -> str:
        """Expressions as a matrix."""
        return _table([self.formula(node) for node in nodes], columns)

    def entries(self, left: str, nodes: Sequence[Node], shape: tuple[int, ...]) -> Iterator[str]:
        """Entries of an array that are not zero, one by one; equal ones are told as such."""
        _, columns = _rows_and_columns(shape)
        base = rf"\bigl({left}\bigr)" if {"_", "^"} & {*left} else left
        lines = []
        seen: dict[Node, str] = {}
        for place, node in enumerate(nodes):
            i, j = divmod(place, columns)
            entry = f"{base}_{{{i + 1}}}" if columns == 1 else f"{base}_{{{i + 1},{j + 1}}}"
            if node in seen:
                lines.append(f"{entry} &= {seen[node]}")
            elif node is not ZERO:
                lines.append(self.lines(entry, node))
                if node.args:
                    seen[node] = entry
        if len(lines) < len(nodes):
            yield f"Entries of ${left}$ that are not listed are zero."
        yield from align(lines)


def _smaller(term: str, share: float) -> str:
    """A term that no line holds and that cannot be broken, in smaller letters."""
    size = next((name for least, name in SIZES if share >= least), SIZES[-1][1])
    return rf"\text{{\{size}$\displaystyle {term.strip()}$}}"


def _matrix(left: str, cells: Sequence[str], columns: int) -> Iterator[str]:
    yield rf"\[ {left} = {_table(cells, columns)} \]"


def _table(cells: Sequence[str], columns: int) -> str:
    rows = (cells[i : i + columns] for i in range(0, len(cells), max(columns, 1)))
    lines = " \\\\\n".join(" & ".join(row) for row in rows)
    return f"\\begin{{pmatrix}}\n{lines}\n\\end{{pmatrix}}"


def _rows_and_columns(shape: tuple[int, ...]) -> tuple[int, int]:
    """An array of more axes is written with all but the first in a row."""
    rows = shape[0] if shape else 1
    columns = 1
    for n in shape[1:]:
        columns *= n
    return rows, columns


def align(lines: Sequence[str]) -> Iterator[str]:
    """Lines of equations under each other; nothing where there are none."""
    if lines:
        yield r"\begin{align*}"
        yield " \\\\\n".join(lines)
        yield r"\end{align*}"


def name_of(name: str) -> str:
    """The name of an input or output as a symbol."""
    return spell(symbol_of(name))
