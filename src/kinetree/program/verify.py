"""Well-formedness of a Program: one table of laws, checked between passes.

A Program that breaks one is a fault of a pass or a formalism, never of the user.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.engine import SYM, Node, symbols
from kinetree.program.program import Block, Input, Newton, Program, Solve, size


class BrokenProgramError(AssertionError):
    """A Program breaks a law; the message names the block."""


def verify(program: Program) -> Program:
    """The Program itself, if every law holds."""
    for problem in problems(program):
        raise BrokenProgramError(f"program '{program.name}': {problem}")
    return program


def problems(program: Program) -> Iterator[str]:
    """Every broken law, in order of appearance."""
    yield from _shapes(program)
    inputs = [s for row in program.inputs for s in row.symbols]
    parameters = {s for row in program.inputs if row.parameter for s in row.symbols}
    yield from _unique_names(program, inputs)
    known = set(parameters)
    for block in program.preamble:
        yield from _block(block, known, "preamble")
    known |= set(inputs)
    for block in program.blocks:
        yield from _block(block, known, "blocks")
    for out in program.outputs:
        for s in symbols(out.nodes):
            if s not in known:
                yield f"output '{out.name}' uses '{s.name}', which nothing defines"


def _unique_names(program: Program, inputs: list[Node]) -> Iterator[str]:
    seen: set[str] = set()
    for s in (*inputs, *(t for b in program.all_blocks for t in b.targets)):
        if s.name in seen:
            yield f"'{s.name}' is defined twice"
        seen.add(s.name)
    for kind, rows in (("inputs", program.inputs), ("outputs", program.outputs)):
        names = [row.name for row in rows]
        yield from (f"two {kind} are called '{name}'" for name in names if names.count(name) > 1)


def _block(block: Block, known: set[Node], where: str) -> Iterator[str]:
    for s in symbols(block.operands):
        if s not in known:
            yield f"in the {where}, '{block.targets[0].name}' uses '{s.name}' before it is defined"
    for target in block.targets:
        if target.op is not SYM:
            yield f"in the {where}, the target {target} is not a name"
        known.add(target)


def _shapes(program: Program) -> Iterator[str]:
    for row in program.inputs:
        yield from _input(row)
    for out in program.outputs:
        if size(out.shape) != len(out.nodes):
            yield f"output '{out.name}' has shape {out.shape} but {len(out.nodes)} nodes"
        if out.labels and len(out.labels) != len(out.nodes):
            yield f"output '{out.name}' has labels missing"
    for block in program.all_blocks:
        yield from _sizes(block)


def _input(row: Input) -> Iterator[str]:
    if size(row.shape) != len(row.symbols):
        yield f"input '{row.name}' has shape {row.shape} but {len(row.symbols)} symbols"
    if row.default is not None and len(row.default) != len(row.symbols):
        yield f"input '{row.name}' has {len(row.default)} default values"
    if any(words and len(words) != len(row.symbols) for words in (row.labels, row.units)):
        yield f"input '{row.name}' has labels or units missing"
    if any(not 0 <= first <= len(row.symbols) - 4 for first in row.quaternions):
        yield f"input '{row.name}' has quaternions {row.quaternions} beyond its components"
    if any(not 0 <= at < len(row.symbols) for at, _ in row.locks):
        yield f"input '{row.name}' has locks {row.locks} beyond its components"


def _sizes(block: Block) -> Iterator[str]:
    if isinstance(block, Solve):
        yield from _system(block)
    elif isinstance(block, Newton):
        yield from _iteration(block)


def _iteration(block: Newton) -> Iterator[str]:
    name, n = block.targets[0].name if block.targets else "nothing", len(block.targets)
    sizes = {row.name: len(row.symbols) for row in block.step.inputs}
    if len(block.start) != n or sizes.get("v", 0) != n or sizes.get("w", 0) != len(block.given):
        yield f"the iteration for '{name}' has values missing"
    found = {out.name: len(out.nodes) for out in block.step.outputs}
    m = found.get("h", 0)
    D = found.get("D", n**2 if m == n else -1)
    tested = found.get("tested", m)
    if (found.get("dv"), found.get("J"), D, tested) != (n, m**2, n * m, m):
        yield f"the iteration for '{name}' has equations missing"
    if block.step.preamble:
        yield f"the iteration for '{name}' has a preamble"
    yield from (f"in the iteration for '{name}': {problem}" for problem in problems(block.step))


def _system(block: Solve) -> Iterator[str]:
    name, n, k = block.targets[0].name if block.targets else "nothing", block.n, block.k
    if (len(block.matrix), len(block.rhs), len(block.targets)) != (n**2, n * k, n * k):
        yield f"the system for '{name}' has entries missing"
    elif block.symmetric and any(
        block.matrix[i * n + j] is not block.matrix[j * n + i] for i in range(n) for j in range(i)
    ):
        yield f"the matrix of the system for '{name}' is not symmetric"
