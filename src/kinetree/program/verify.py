"""Well-formedness of a Program: one table of laws, checked between passes.

A Program that breaks one is a fault of a pass or a formalism, never of the user.
"""

from __future__ import annotations

from collections.abc import Iterator

from kinetree.engine import SYM, Node, symbols
from kinetree.program.program import Block, Program, Solve, size


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
    seen: dict[str, Node] = {}
    for s in (*inputs, *(t for b in (*program.preamble, *program.blocks) for t in b.targets)):
        if s.name in seen:
            yield f"'{s.name}' is defined twice"
        seen[s.name] = s


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
        if size(row.shape) != len(row.symbols):
            yield f"input '{row.name}' has shape {row.shape} but {len(row.symbols)} symbols"
        if row.default is not None and len(row.default) != len(row.symbols):
            yield f"input '{row.name}' has {len(row.default)} default values"
    for out in program.outputs:
        if size(out.shape) != len(out.nodes):
            yield f"output '{out.name}' has shape {out.shape} but {len(out.nodes)} nodes"
    for block in (*program.preamble, *program.blocks):
        if isinstance(block, Solve) and (
            len(block.matrix) != block.n**2
            or len(block.rhs) != block.n * block.k
            or len(block.targets) != block.n * block.k
        ):
            yield f"the system for '{block.targets[0].name}' has entries missing"
