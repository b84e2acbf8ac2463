"""Rendering of Nodes: text, LaTeX and graph, without recursion."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from kinetree.engine.node import Node, Number
from kinetree.engine.ops import ADD, MUL, NUM, SYM
from kinetree.engine.walk import topological

_SUM, _PRODUCT, _ATOM = 1, 2, 3
"""Binding strength of a rendered piece: what needs brackets inside what."""

Piece = tuple[str, int]


def text(node: Node) -> str:
    """The expression as one line that a person, Python and a model file can read."""
    return _render(node, _Text())


def latex(node: Node) -> str:
    """The expression as LaTeX mathematics."""
    return _render(node, _Latex())


def spell_number(x: Number) -> str:
    """A number as short as it can be read back: dyadic fractions of small size as p/q."""
    if isinstance(x, float):
        exact = Fraction(x)
        if exact.denominator <= 64 and abs(exact.numerator) <= 64:
            return f"{exact.numerator}/{exact.denominator}"
        return repr(x)
    return str(x)


class _Text:
    times = "*"

    def number(self, x: Number) -> str:
        return spell_number(x)

    def symbol(self, name: str) -> str:
        return name

    def power(self, base: str, exp: int) -> str:
        return base if exp == 1 else f"{base}**{exp}"

    def quotient(self, above: str, below: Piece) -> str:
        return f"{above}/{below[0] if below[1] == _ATOM else f'({below[0]})'}"

    def bracket(self, inner: str) -> str:
        return f"({inner})"

    def call(self, node: Node, args: list[str]) -> str:
        return f"{node.op.name}({', '.join(args)})"


class _Latex(_Text):
    times = r" \, "

    def number(self, x: Number) -> str:
        spelled = spell_number(x)
        if "/" in spelled:
            above, below = spelled.lstrip("-").split("/")
            return ("-" if x < 0 else "") + rf"\tfrac{{{above}}}{{{below}}}"
        if "e" in spelled:
            mantissa, exponent = spelled.split("e")
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        return spelled

    def symbol(self, name: str) -> str:
        head, _, tail = name.replace(".", "_").partition("_")
        letters = head.rstrip("0123456789")
        digits = head[len(letters) :]
        index = ",".join(part for part in (digits, *tail.split("_")) if part)
        base = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
        return rf"{base}_{{{index}}}" if index else base

    def power(self, base: str, exp: int) -> str:
        return base if exp == 1 else rf"{base}^{{{exp}}}"

    def quotient(self, above: str, below: Piece) -> str:
        return rf"\frac{{{above}}}{{{below[0]}}}"

    def bracket(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def call(self, node: Node, args: list[str]) -> str:
        if node.op.name == "sqrt":
            return rf"\sqrt{{{args[0]}}}"
        return rf"{node.op.latex}\left({', '.join(args)}\right)"


def _render(root: Node, style: _Text) -> str:
    pieces: dict[Node, Piece] = {}
    for node in topological((root,)):
        pieces[node] = _piece(node, pieces, style)
    return pieces[root][0]


def _piece(node: Node, pieces: dict[Node, Piece], style: _Text) -> Piece:
    if node.op is NUM:
        spelled = style.number(node.value)
        return spelled, _ATOM if node.value >= 0 and "/" not in spelled else _PRODUCT
    if node.op is SYM:
        return style.symbol(node.name), _ATOM
    if node.op is ADD:
        return _sum(node, pieces, style)
    if node.op is MUL:
        return _product(node, pieces, style)
    return style.call(node, [pieces[a][0] for a in node.args]), _ATOM


def _sum(node: Node, pieces: dict[Node, Piece], style: _Text) -> Piece:
    out = ""
    terms = list(zip(node.coefs, node.args, strict=True))
    lead = next((i for i, (c, _) in enumerate(terms) if c > 0), None)
    if lead and node.value == 0:
        terms.insert(0, terms.pop(lead))
    if node.value > 0 or (node.value != 0 and lead is None):
        out = style.number(node.value)
    for coef, arg in terms:
        body = _factor(arg, pieces, style, _PRODUCT)
        size = abs(coef)
        term = body if size == 1 else style.number(size) + style.times + body
        if out:
            out += (" - " if coef < 0 else " + ") + term
        else:
            out = ("-" if coef < 0 else "") + term
    if node.value < 0 and lead is not None:
        out += " - " + style.number(-node.value)
    single = len(terms) == 1 and node.value == 0
    return out, _PRODUCT if single and node.coefs[0] > 0 else _SUM


def _factor(arg: Node, pieces: dict[Node, Piece], style: _Text, least: int) -> str:
    body, strength = pieces[arg]
    return body if strength >= least else style.bracket(body)


def _product(node: Node, pieces: dict[Node, Piece], style: _Text) -> Piece:
    above, below = [], []
    for arg, exp in zip(node.args, node.coefs, strict=True):
        base = _factor(arg, pieces, style, _ATOM)
        (above if exp > 0 else below).append(style.power(base, abs(exp)))
    top = style.times.join(above) or "1"
    if not below:
        return top, _PRODUCT
    bottom = style.times.join(below), _ATOM if len(below) == 1 and "**" not in below[0] else _PRODUCT
    return style.quotient(top, bottom), _PRODUCT


def dot(roots: Iterable[Node]) -> str:
    """The graph under the roots in Graphviz's language; shared Nodes appear once."""
    order = topological(roots)
    index = {node: i for i, node in enumerate(order)}
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
        return node.name
    if node.op is ADD:
        return "+" if node.value == 0 else f"+ {spell_number(node.value)}"
    return "*" if node.op is MUL else node.op.name
