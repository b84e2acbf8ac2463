"""A Program as one HTML page that needs nothing else.

NAME.html   inputs, preamble, equations by element with their notes, outputs; mathematics or text.
            One clicks an element, or a coordinate, and sees the equations it enters; one clicks a
            name and comes to its definition, with a list of where it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import prod

from kinetree.engine import Node
from kinetree.plain import html_frame, markup
from kinetree.program.program import Assign, Block, Input, Newton, Output, Program, Solve
from kinetree.targets.html.helpers import SCRIPT, STATE, STYLE, TOOLS, USES
from kinetree.targets.html.language import HtmlScope
from kinetree.targets.html.policy import policy, script_element
from kinetree.targets.text.about import FIRST_LINE, operations, provenance
from kinetree.targets.text.names import Rules
from kinetree.targets.text.readable.reading import group_blocks, notes

ORDER = ("bodies", "joints", "closures", "forces", "drives", "states", "points")
"""Sections of elements in the order of the list."""
LONGEST, HEIGHT = 1000, 480
"""Equations of a Program that a notebook shows at most, and the height of the frame [px]."""


def sources(program: Program) -> dict[str, str]:
    """File name -> text."""
    page = _Page(program)
    main = list(page.main())
    lines = [
        f'<!doctype html><!-- {FIRST_LINE} --><html lang="en">',
        f'<head><meta charset="utf-8"><title>{markup(program.name)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy([SCRIPT])}">',
        f"<style>\n{STYLE}</style></head>",
        "<body>",
        f"<nav>{TOOLS}",
        *page.side(),
        f"</nav>\n<main>\n{STATE}",
        *main,
        f"</main>\n{USES}",
        script_element(SCRIPT),
        "</body></html>",
    ]
    name = Rules().stem(program.name)
    return {f"{name}.html": "\n".join([*lines, ""])}


def cell(program: Program) -> str | None:
    """The page as a notebook shows it; None for a long one."""
    if len(program.all_blocks) > LONGEST:
        return None
    (page,) = sources(program).values()
    return html_frame(page, HEIGHT)


class _Page:
    """The page of one Program, and what its parts have in common."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.numbers = count(1)
        self.scope = HtmlScope(program, self.numbers)
        self.elements: dict[tuple[str, str], int] = {}

    def side(self) -> Iterator[str]:
        """Elements and coordinates to choose from."""
        counts = _counts(self.program.all_blocks)
        rows = sorted(self.elements.items(), key=lambda row: (_rank(row[0][0]), row[0]))
        before = ""
        for (section, name), key in rows:
            if section != before:
                yield f"<h2>{markup(section.capitalize())}</h2>"
            before = section
            yield _button("b", str(key), name, str(counts.get((section, name), "")))
        coordinates: dict[str, list[str]] = {}
        for row in self.program.inputs:
            if row.parameter:
                continue
            for label, symbol in zip(row.labels, row.symbols, strict=False):
                found = coordinates.setdefault(label, [])
                found.append(str(self.scope.places[symbol.name][0]))
        for name, node in self.scope.angles.items():
            angle = {str(n) for n in self.scope.uses([node])}
            for numbers in coordinates.values():
                if angle & {*numbers}:
                    numbers.append(str(self.scope.places[name][0]))
        yield "<h2>Coordinates</h2>" if coordinates else ""
        for label, numbers in coordinates.items():
            yield _button("c", " ".join(numbers), label, "")

    def main(self) -> Iterator[str]:
        """All but the side."""
        program = self.program
        yield f'<h1>{markup(program.name)}</h1><div id="head"><dl>'
        rows = {
            **provenance(program), "operations per evaluation": operations(program.count())
        }  # fmt: skip
        for key, value in rows.items():
            yield f"<dt>{markup(key)}</dt><dd>{markup(value)}</dd>"
        yield "</dl><h2>Inputs</h2>"
        for row in program.inputs:
            yield from self._input(row)
        yield "</div>"
        first = 1
        for title, blocks in (
            ("Preamble: once per set of parameters", program.preamble),
            ("Equations", program.blocks),
        ):
            if blocks:
                yield f'<div class="section"><h2>{title}</h2>'
                yield from self._groups(blocks, self.scope, first, "e")
                yield "</div>"
            first += len(blocks)
        yield '<div class="section"><h2>Outputs</h2>'
        for out in program.outputs:
            yield self._output(out, self.scope, f"o-{markup(out.name)}")
        yield "</div>"

    def _input(self, row: Input) -> Iterator[str]:
        size = " × ".join(str(n) for n in row.shape) or "1"
        kind = ", constant over many evaluations" if row.parameter else ""
        yield f'<p class="note">{markup(row.name)} ({size}{kind})</p><p>'
        for i, symbol in enumerate(row.symbols):
            place = f"i{next(self.numbers)}"
            self.scope.define(place, [symbol])
            number, _ = self.scope.places[symbol.name]
            value = "" if row.default is None else f"<mo>=</mo><mn>{row.default[i]:.6g}</mn>"
            plain = "" if row.default is None else f" = {row.default[i]:.6g}"
            unit = f" <small>{markup(row.units[i])}</small>" if row.units else ""
            math = f'<math class="pretty">{self.scope.symbol(symbol.name)}{value}</math>'
            text = f'<span class="plain">{self.scope.link(symbol.name)}{plain}</span>'
            yield f'<span class="row" id="{place}" data-d="{number}">{math}{text}{unit}</span>'
        yield "</p>"

    def _groups(
        self, blocks: Sequence[Block], scope: HtmlScope, first: int, prefix: str
    ) -> Iterator[str]:
        for number, block in enumerate(blocks, first):
            scope.define(f"{prefix}{number}", block.targets)
        for group in group_blocks(blocks, first):
            yield f'<section class="group"><h3>{markup(group.title)}</h3>'
            for part in group.parts.values():
                yield '<div class="part">'
                yield f'<p class="note">{markup(", ".join(notes(part.note)))}</p>'
                for equation in part.equations:
                    yield from self._block(equation.block, scope, equation.number, prefix)
                yield "</div>"
            yield "</section>"

    def _block(self, block: Block, scope: HtmlScope, number: int, prefix: str) -> Iterator[str]:
        place = f"{prefix}{number}"
        said = " ".join([*(t.name for t in block.targets), str(block.note)])
        found = self.elements
        keys = [str(found.setdefault(row, len(found))) for row in _elements(block)]
        yield _opening_tags(place, f"({number})", keys, scope.uses(block.targets),
                      scope.uses(block.operands), said)  # fmt: skip
        if isinstance(block, Assign):
            yield f'<span class="pretty">{scope.equation(block.target, block.expr)}</span>'
            text = f"{scope.link(block.target.name)} = {scope.plain(block.expr)}"
            yield f'<span class="plain">{text}</span>'
        elif isinstance(block, Newton):
            yield from self._newton(block, scope, place)
        else:
            yield from _solve(block, scope)
        yield "</div></div>"

    def _newton(self, block: Newton, scope: HtmlScope, place: str) -> Iterator[str]:
        step = block.step
        inner = HtmlScope(step, self.numbers)
        yield (
            f"Newton: find v with h(v) = 0; v ← v − dv until no |h| is above {block.tolerance:g}, "
            f"at most {block.limit} times."
        )
        yield _array("v", block.targets, (len(block.targets),), scope)
        yield _array("start of v", block.start, (len(block.start),), scope)
        yield '<div class="inner">'
        for row in step.inputs:
            values = block.given if row.name == "w" else ()
            yield f'<p class="note">{"unknown" if row.name == "v" else "given"}</p><p>'
            for i, symbol in enumerate(row.symbols):
                where = f"{place}-i{next(self.numbers)}"
                inner.define(where, [symbol])
                yield _inner_input(symbol, values[i] if values else None, scope, inner)
            yield "</p>"
        yield from self._groups(step.blocks, inner, 1, f"{place}-")
        for out in step.outputs:
            yield self._output(out, inner, f"{place}-o-{markup(out.name)}")
        yield "</div>"

    def _output(self, out: Output, scope: HtmlScope, place: str) -> str:
        opened = _opening_tags(place, markup(out.name), [], [], scope.uses(out.nodes), out.name)
        return f"{opened}{_array(out.name, out.nodes, out.shape, scope)}</div></div>"


def _inner_input(symbol: Node, value: Node | None, scope: HtmlScope, inner: HtmlScope) -> str:
    """An input of an inner Program; one that has its name outside leads there."""
    number, place = inner.places[symbol.name]
    math, text = inner.symbol(symbol.name), inner.link(symbol.name)
    if value is not None and value.is_symbol and value.name == symbol.name:
        math, text = scope.symbol(value.name), scope.link(value.name)
    elif value is not None:
        math = f"{math}<mo>=</mo>{scope.math(value)}"
        text = f"{text} = {scope.plain(value)}"
    math = f'<math class="pretty">{math}</math>'
    text = f'<span class="plain">{text}</span>'
    return f'<span class="row" id="{place}" data-d="{number}">{math}{text}</span>'


def _opening_tags(
    place: str, shown: str, bodies: list[str], defines: list[int], uses: list[int], said: str
) -> str:
    """The opening tags of a row: number or name, and what the script wants to know of it."""
    data = {
        "no": shown,
        "b": " ".join(bodies),
        "d": _list_numbers(defines),
        "u": _list_numbers(uses),
    }
    attributes = "".join(f' data-{key}="{value}"' for key, value in data.items() if value)
    said = markup(said)
    return (
        f'<div class="eq" id="{place}"{attributes} data-t="{said}">'
        f'<span class="num">{shown}</span><div>'
    )


def system_math(block: Solve, scope: HtmlScope) -> str:
    """A linear system A x = b as MathML."""
    a, b = scope.matrix(block.matrix, block.n), scope.matrix(block.rhs, block.k)
    x = scope.matrix(block.targets, block.k)
    return f'<math display="block">{a}{x}<mo>=</mo>{b}</math>'


def _solve(block: Solve, scope: HtmlScope) -> Iterator[str]:
    kind = "symmetric positive definite" if block.symmetric else "general"
    yield f"Solve A x = b, A {kind}:"
    yield f'<div class="pretty">{system_math(block, scope)}</div>'
    for name, nodes in (("x", block.targets), ("A", block.matrix), ("b", block.rhs)):
        text = ", ".join(scope.plain(node) for node in nodes)
        yield f'<span class="plain">{name} = {text}<br></span>'


def _array(name: str, nodes: Sequence[Node], shape: tuple[int, ...], scope: HtmlScope) -> str:
    columns = prod(shape[1:])
    value = scope.matrix(nodes, columns) if shape else scope.math(nodes[0])
    text = ", ".join(scope.plain(node) for node in nodes)
    return (
        f'<div class="pretty"><math><mtext>{markup(name)}</mtext><mo>=</mo>{value}</math></div>'
        f'<span class="plain">{markup(name)} = {text}</span>'
    )


def _button(kind: str, key: str, title: str, number: str) -> str:
    said = markup(title)
    small = f"<small>{number}</small>" if number else ""
    return f'<button data-kind="{kind}" data-key="{key}" title="{said}">{said}{small}</button>'


def _elements(block: Block) -> list[tuple[str, str]]:
    """Section and name of the elements that a block is about."""
    note = block.note
    return [(note.section, word) for word in note.body.split(", ") if word]


def _rank(section: str) -> int:
    """Place of a section in the list of elements; those that are not named come last."""
    return ORDER.index(section) if section in ORDER else len(ORDER)


def _counts(blocks: Sequence[Block]) -> dict[tuple[str, str], int]:
    """Equations of each element."""
    found: dict[tuple[str, str], int] = {}
    for block in blocks:
        for row in _elements(block):
            found[row] = found.get(row, 0) + 1
    return found


def _list_numbers(numbers: list[int]) -> str:
    return " ".join(str(n) for n in numbers)
