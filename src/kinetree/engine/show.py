"""Rendering of Nodes: text, LaTeX and graph, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from kinetree.engine.node import Node, Number
from kinetree.engine.ops import ADD, MUL, NUM, SELECT, SYM
from kinetree.engine.walk import topological
from kinetree.plain import plain

REPR_LENGTH = 1000
"""Characters after which `repr` of a Node breaks off."""
SMALL = 64
"""Numerators and denominators up to which a dyadic number is written as a fraction."""

ANY, _SUM, _PRODUCT, _ATOM = 0, 1, 2, 3
"""Binding strength of a rendered piece: what needs brackets inside what."""

Piece = str | tuple[Node, int]
"""Finished text, or a Node still to be rendered and the least strength that needs no brackets."""


def text(node: Node, longest: int | None = None) -> str:
    """The expression as one line that a person, Python and a model file can read.

    Args:
        node: the expression; shared parts are written out wherever they stand.
        longest: number of characters after which it breaks off with an ellipsis.
    """
    return _render([(node, ANY)], Style(), longest)


def latex(node: Node, symbol: Callable[[str], str] | None = None) -> str:
    """The expression as LaTeX mathematics.

    Args:
        node: the expression.
        symbol: name -> LaTeX of a symbol; letters with indices where it is left out.
    """
    return render(node, Latex(symbol))


def render(node: Node, style: Style) -> str:
    """The expression in a style."""
    return _render([(node, ANY)], style, None)


def terms(node: Node, style: Style) -> tuple[str, ...]:
    """The terms of a sum in a style, each with its sign before it: lines break between them."""
    if node.op is not ADD:
        return (render(node, style),)
    rows: list[list[Piece]] = [[]]
    for piece in _sum(node, style):
        if piece in (style.plus, style.minus):
            rows.append([])
        rows[-1].append(piece)
    return tuple(_render(row, style, None) for row in rows)


def spell_number(x: Number) -> str:
    """A number as short as it can be read back: fractions as p/q, large dyadic ones as decimals."""
    if isinstance(x, Fraction) and x.denominator & (x.denominator - 1) == 0:
        small = x.denominator <= SMALL and abs(x.numerator) <= SMALL
        return str(x) if small else repr(float(x))
    return repr(x) if isinstance(x, float) else str(x)


class Style:
    """How an expression is written; this one as text, those derived from it as they say."""

    times = "*"
    plus, minus, negative = " + ", " - ", "-"
    comma = ", "
    left, right = "(", ")"

    def number(self, x: Number) -> str:
        """How a number is spelled."""
        return spell_number(x)

    def symbol(self, name: str) -> str:
        """A symbol, by its name."""
        return name

    def power(self, base: Piece, exp: int) -> list[Piece]:
        """A factor with its positive exponent."""
        return [base] if exp == 1 else [base, f"**{exp}"]

    def quotient(self, above: list[Piece], below: list[Piece], *, bare: bool) -> list[Piece]:
        """A fraction; `bare` where what is below is a single factor."""
        return [*above, "/", *below] if bare else [*above, "/(", *below, ")"]

    def call(self, node: Node) -> tuple[str, str]:
        """What stands before and behind the arguments of a function."""
        return f"{node.op.name}(", ")"

    def arguments(self, node: Node) -> list[Piece]:
        """The arguments of a function."""
        return _join([[(a, ANY)] for a in node.args], self.comma)


class Latex(Style):
    """LaTeX mathematics, with symbols spelled by a function where one is given."""

    times = r" \, "
    left, right = r"\left(", r"\right)"

    def __init__(self, symbol: Callable[[str], str] | None = None) -> None:
        self.spelled = symbol

    def number(self, x: Number) -> str:
        """How a number is spelled."""
        spelled = spell_number(x)
        if "/" in spelled:
            above, below = spelled.lstrip("-").split("/")
            return ("-" if x < 0 else "") + rf"\tfrac{{{above}}}{{{below}}}"
        if "e" in spelled:
            mantissa, exponent = spelled.split("e")
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        return spelled

    def symbol(self, name: str) -> str:
        """A symbol, by its name."""
        if self.spelled is not None:
            return self.spelled(name)
        head, _, tail = name.replace(".", "_").partition("_")
        letters = head.rstrip("0123456789")
        digits = head[len(letters) :]
        index = ",".join(_escape(part) for part in (digits, *tail.split("_")) if part)
        base = (
            letters
            if len(letters) == 1 and letters.isalpha()
            else rf"\mathrm{{{_escape(letters)}}}"
        )
        return rf"{base}_{{{index}}}" if index else base

    def power(self, base: Piece, exp: int) -> list[Piece]:
        """A factor with its positive exponent."""
        return [base] if exp == 1 else [base, f"^{{{exp}}}"]

    def quotient(self, above: list[Piece], below: list[Piece], *, bare: bool) -> list[Piece]:
        """A fraction; `bare` where what is below is a single factor."""
        del bare
        return [r"\frac{", *above, "}{", *below, "}"]

    def call(self, node: Node) -> tuple[str, str]:
        """What stands before and behind the arguments of a function."""
        if node.op is SELECT:
            return r"\begin{cases} ", r" \end{cases}"
        if node.op.name == "sqrt":
            return r"\sqrt{", "}"
        return rf"{node.op.latex}\left(", r"\right)"

    def arguments(self, node: Node) -> list[Piece]:
        """The arguments of a function."""
        if node.op is not SELECT:
            return super().arguments(node)
        condition, a, b = ((arg, ANY) for arg in node.args)
        return [a, " & ", condition, r" > 0 \\ ", b, r" & \text{otherwise}"]


def _escape(word: str) -> str:
    """A word with LaTeX's own characters taken literally."""
    return "".join(rf"\{c}" if c in "#$%&{}" else " " if c in "\\^~" else c for c in plain(word))


def _render(pieces: list[Piece], style: Style, longest: int | None) -> str:
    out: list[str] = []
    size = 0
    stack: list[Piece] = pieces[::-1]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
            size += len(piece)
            if longest is not None and size > longest:
                return "".join(out)[:longest] + "…"
            continue
        node, least = piece
        found, strength = _pieces(node, style)
        if strength < least:
            found = [style.left, *found, style.right]
        stack.extend(reversed(found))
    return "".join(out)


def _pieces(node: Node, style: Style) -> tuple[list[Piece], int]:
    """What a Node is written as, and how strongly that binds."""
    if node.op is NUM:
        spelled = style.number(node.value)
        simple = node.value >= 0 and "/" not in spell_number(node.value)
        return [spelled], _ATOM if simple else _PRODUCT
    if node.op is SYM:
        return [style.symbol(node.name)], _ATOM
    if node.op is ADD:
        single = len(node.args) == 1 and node.value == 0 and node.coefs[0] > 0
        return _sum(node, style), _PRODUCT if single else _SUM
    if node.op is MUL:
        return _product(node, style), _PRODUCT
    head, tail = style.call(node)
    return [head, *style.arguments(node), tail], _ATOM


def _sum(node: Node, style: Style) -> list[Piece]:
    """Terms in order, but a positive one leads; a negative constant comes last."""
    terms = list(zip(node.coefs, node.args, strict=True))
    lead = next((i for i, (c, _) in enumerate(terms) if c > 0), None)
    if lead and node.value == 0:
        terms.insert(0, terms.pop(lead))
    out: list[Piece] = []
    if node.value > 0 or (node.value != 0 and lead is None):
        out.append(style.number(node.value))
    for coef, arg in terms:
        if out:
            out.append(style.minus if coef < 0 else style.plus)
        elif coef < 0:
            out.append(style.negative)
        if abs(coef) != 1:
            out.append(style.number(abs(coef)) + style.times)
        out.append((arg, _PRODUCT))
    if node.value < 0 and lead is not None:
        out += [style.minus, style.number(-node.value)]
    return out


def _product(node: Node, style: Style) -> list[Piece]:
    above: list[list[Piece]] = []
    below: list[list[Piece]] = []
    for arg, exp in zip(node.args, node.coefs, strict=True):
        row = above if exp > 0 else below
        row.append(style.power((arg, _ATOM), abs(exp)))
    top = _join(above, style.times) or [style.number(1)]
    if not below:
        return top
    bare = len(below) == 1 and min(node.coefs) == -1
    return style.quotient(top, _join(below, style.times), bare=bare)


def _join(rows: list[list[Piece]], between: str) -> list[Piece]:
    out: list[Piece] = []
    for row in rows:
        out += [between, *row] if out else row
    return out


def dot(roots: Iterable[Node]) -> str:
    """The graph under the roots in Graphviz's language; shared Nodes appear once."""
    index = {node: i for i, node in enumerate(topological(roots))}
    lines = ["digraph expression {", "  rankdir=BT;"]
    for node, i in index.items():
        shape = "ellipse" if node.args else "box"
        lines.append(f'  n{i} [label="{_label(node)}", shape={shape}];')
        for arg, weight in zip(node.args, node.coefs or (1,) * len(node.args), strict=True):
            note = "" if weight == 1 else f' [label="{spell_number(weight)}"]'
            lines.append(f"  n{index[arg]} -> n{i}{note};")
    return "\n".join([*lines, "}"])


def _label(node: Node) -> str:
    if node.op is NUM:
        return spell_number(node.value)
    if node.op is SYM:
        return plain(node.name).replace("\\", r"\\").replace('"', r"\"")
    if node.op is ADD:
        return "+" if node.value == 0 else f"+ {spell_number(node.value)}"
    return "*" if node.op is MUL else node.op.name
