"""A Program written into a scheme: its equations under names of the scheme's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kinetree.engine import Node, Rank, fold, symbol
from kinetree.engine.substitute import rebuild
from kinetree.program.program import Assign, Note, Program
from kinetree.program.scheme import Scheme

NotedLet = Callable[[str, Node, Note], Node]
"""Names a value; `Scheme.let` or one that also remembers."""


def inline(
    scheme: Scheme, program: Program, values: Mapping[Node, Node], let: NotedLet | None = None
) -> dict[str, tuple[Node, ...]]:
    """Write the equations of a Program in a scheme, preamble first; the values of its outputs.

    Args:
        scheme: where the equations go, under names of its own.
        program: symbols that it does not define mean those of the scheme.
        values: symbol -> what stands for it.
        let: names the value of an equation, where that is not the scheme itself.
    """
    named = let or scheme.let
    new = dict(values)

    def substitute(nodes: Sequence[Node]) -> list[Node]:
        return [
            fold(x, new, lambda node: rebuild(node, [new[a] for a in node.args])) for x in nodes
        ]

    for block in program.all_blocks:
        operands = substitute(block.operands)
        if isinstance(block, Assign):
            new[block.target] = named(block.target.name, operands[0], block.note)
            continue
        names = [symbol(scheme.fresh(t.name), Rank.LOCAL) for t in block.targets]
        scheme.append_block(replace(block.with_operands(operands), targets=tuple(names)))
        new.update(zip(block.targets, names, strict=True))
    return {out.name: tuple(substitute(out.nodes)) for out in program.outputs}


def bindings(program: Program, **values: Sequence[Node]) -> dict[Node, Node]:
    """Symbols of the inputs of a Program -> what stands for them, for the inputs named."""
    found: dict[Node, Node] = {}
    for name, nodes in program.pick_inputs(values).items():
        found.update(zip(program.input(name).symbols, nodes, strict=True))
    return found


__all__ = ["bindings", "inline"]
