"""A Program as one LaTeX article that needs amsmath alone.

NAME.tex   inputs; preamble and equations by body, with the note of every equation and its number in
           the order of evaluation; outputs.  With full=True: inputs, what loops and linear systems
           define, and outputs in terms of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from kinetree.program.program import Assign, Input, Newton, Note, Program, Solve
from kinetree.targets.latex.helpers import END, HEAD, INDENTED, Scope, align, name_of
from kinetree.targets.latex.language import words
from kinetree.targets.text.about import FIRST_LINE, operations, provenance
from kinetree.targets.text.names import Rules
from kinetree.targets.text.readable.reading import (
    EquationGroup,
    Part,
    group_blocks,
    group_by_note,
    in_full,
    notes,
    residuals,
)

NewtonWriter = Callable[[Newton, Scope], Iterator[str]]
"""Writes an iteration."""
LONGEST = 60
"""Equations of a Program that a notebook shows at most."""


def sources(program: Program, *, full: bool = False) -> dict[str, str]:
    """File name -> text.

    Args:
        program: what to write.
        full: outputs in terms of the inputs, without the names between; for small models.
    """
    scope = Scope(program)
    lines = [f"% {FIRST_LINE}", HEAD, *_about(program), r"\section{Inputs}"]
    for row in program.inputs:
        lines += _input(row, scope)
    if full:
        lines += _in_full(program, scope)
    else:
        lines += _recursion(program, scope)
        lines.append(r"\section{Outputs}")
        for out in program.outputs:
            lines += scope.array(name_of(out.name), out.nodes, out.shape)
    name = Rules().stem(program.name)
    return {f"{name}.tex": "\n".join([*lines, END])}


def cell(program: Program) -> str | None:
    """The equations one below the other, as a notebook shows them; None for long or nested ones."""
    blocks = program.all_blocks
    if len(blocks) > LONGEST or any(isinstance(block, Newton) for block in blocks):
        return None
    scope = Scope(program)
    rows: list[str] = []
    for block in blocks:
        if isinstance(block, Assign):
            if block.target.name not in scope.angles:
                rows.append(scope.lines(scope.formula(block.target), block.expr))
        elif not isinstance(block, Newton):
            a = scope.table(block.matrix, block.n)
            x, b = scope.table(block.targets, block.k), scope.table(block.rhs, block.k)
            rows.append(f"{a} {x} &= {b}")
    rows += [f"{name_of(out.name)} &= {scope.table(out.nodes, prod(out.shape[1:]))}"
             for out in program.outputs]  # fmt: skip
    lines = " \\\\\n".join(rows)
    return f"$\\displaystyle \\begin{{aligned}}\n{lines}\n\\end{{aligned}}$"


def _about(program: Program) -> Iterator[str]:
    yield rf"\section*{{{words(program.name)}}}"
    rows = [f"{key}: {value}" for key, value in provenance(program).items()]
    rows.append(f"operations per evaluation: {operations(program.count())}")
    yield "\n\n".join(words(row) for row in rows)


def _input(row: Input, scope: Scope) -> Iterator[str]:
    size = r" \times ".join(str(n) for n in row.shape) or "1"
    kind = ", constant over many evaluations" if row.parameter else ""
    yield rf"\paragraph{{Input ${name_of(row.name)}$ (${size}${kind})}}"
    cells = []
    for i, symbol in enumerate(row.symbols):
        value = f" = {row.default[i]:.6g}" if row.default is not None else ""
        if "e" in value:
            mantissa, exponent = value.split("e")
            value = rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        unit = f" [{words(row.units[i])}]" if row.units and row.units[i] else ""
        cells.append(f"${scope.formula(symbol)}{value}${unit}")
    yield ",\n".join(cells)


def _recursion(program: Program, scope: Scope) -> Iterator[str]:
    if scope.angles:
        yield ""
        yield "Sines and cosines of angles are computed once and written as such where they stand."
    if program.preamble:
        yield r"\section{Preamble: once per set of parameters}"
        yield from _groups(group_blocks(program.preamble, 1), scope)
    yield r"\section{Equations}"
    yield from _groups(group_blocks(program.blocks, 1 + len(program.preamble)), scope)


def _in_full(program: Program, scope: Scope) -> Iterator[str]:
    found = in_full(program)
    if found.kept:
        yield r"\section{Loops and linear systems}"
        for part in group_by_note(found.kept):
            yield from _part(part, scope, _implicit)
    yield r"\section{Outputs in full}"
    for out in program.outputs:
        yield from scope.array(name_of(out.name), found.outputs[out.name], out.shape)


def _groups(
    groups: Sequence[EquationGroup], scope: Scope, level: str = "subsection"
) -> Iterator[str]:
    for group in groups:
        rows = [line for part in group.parts.values() for line in _part(part, scope, _newton)]
        if rows:
            yield from (rf"\{level}*{{{words(group.title)}}}", *rows)


def _part(part: Part, scope: Scope, newton: NewtonWriter) -> Iterator[str]:
    """Equations of one note: those that assign under each other, then systems one by one."""
    assigned: list[str] = []
    blocks: list[str] = []
    for equation in part.equations:
        block = equation.block
        if not isinstance(block, Assign):
            blocks += _system(block, scope, equation.number, newton)
        elif block.target.name not in scope.angles:
            left = scope.formula(block.target)
            assigned.append(scope.lines(left, block.expr, str(equation.number)))
    if assigned:
        yield from ("", _note(part.note), *align(assigned))
    yield from blocks


def _note(note: Note) -> str:
    return rf"\emph{{{words(', '.join(notes(note)))}}}" if notes(note) else ""


def _system(
    block: Solve | Newton, scope: Scope, number: int, newton: NewtonWriter
) -> Iterator[str]:
    yield ""
    yield f"({number}) {_note(block.note)}"
    yield from newton(block, scope) if isinstance(block, Newton) else _solve(block, scope)


def _solve(block: Solve, scope: Scope) -> Iterator[str]:
    kind = "symmetric positive definite" if block.symmetric else "general"
    yield ""
    yield rf"Solve $\mathbf{{A}} \, \mathbf{{x}} = \mathbf{{b}}$, $\mathbf{{A}}$ {kind}, with"
    yield from scope.array(r"\mathbf{A}", block.matrix, (block.n, block.n))
    yield from scope.array(r"\mathbf{b}", block.rhs, (block.n, block.k))
    yield from scope.array(r"\mathbf{x}", block.targets, (block.n, block.k))


def _implicit(block: Newton, scope: Scope) -> Iterator[str]:
    """The equations that an iteration solves, without its steps."""
    yield ""
    yield "Solved for"
    yield from scope.array(r"\mathbf{v}", block.targets, (len(block.targets),))
    yield from align([scope.lines("0", node) for node in residuals(block)])


def _newton(block: Newton, scope: Scope) -> Iterator[str]:
    step = block.step
    inner = Scope(step, INDENTED)
    n = len(block.targets)
    yield ""
    yield (
        r"Newton: find $\mathbf{v}$ with $h(\mathbf{v}) = 0$; "
        r"$\mathbf{v} \leftarrow \mathbf{v} - \mathit{dv}$ until no $|h_i|$ is above "
        f"{words(f'{block.tolerance:g}')}, at most {block.limit} times, from"
    )
    yield from scope.array(r"\mathbf{v}", block.targets, (n,))
    yield from scope.array(r"\mathbf{v}^{(0)}", block.start, (n,))
    yield r"\begin{quote}"
    given = [row for row in step.inputs if row.name == "w"]
    pairs = zip(given[0].symbols if given else (), block.given, strict=True)
    lines = [(inner.formula(symbol), scope.formula(node), node) for symbol, node in pairs]
    yield from align([scope.lines(left, node) for left, text, node in lines if left != text])
    yield from _groups(group_blocks(step.blocks, 1), inner, "subsubsection")
    for out in step.outputs:
        yield from inner.array(name_of(out.name), out.nodes, out.shape)
    yield r"\end{quote}"
