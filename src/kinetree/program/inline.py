"""Equations of a Program, or of another scheme, written into a scheme.

Those of a Program come under names of the scheme's own.  What another scheme has named is an atom
here too: where its name is free its equation stands as it is, and nothing is built again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kinetree.engine import Node, Rank, fold, substitute, symbol, symbols
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

    def translate(nodes: Sequence[Node]) -> list[Node]:
        return [
            fold(x, new, lambda node: rebuild(node, [new[a] for a in node.args])) for x in nodes
        ]

    for block in program.all_blocks:
        operands = translate(block.operands)
        if isinstance(block, Assign):
            new[block.target] = named(block.target.name, operands[0], block.note)
            continue
        names = [symbol(scheme.fresh(t.name), Rank.LOCAL) for t in block.targets]
        scheme.append_block(replace(block.with_operands(operands), targets=tuple(names)))
        new.update(zip(block.targets, names, strict=True))
    return {out.name: tuple(translate(out.nodes)) for out in program.outputs}


def bindings(program: Program, **values: Sequence[Node]) -> dict[Node, Node]:
    """Symbols of the inputs of a Program -> what stands for them, for the inputs named."""
    found: dict[Node, Node] = {}
    for name, nodes in program.pick_inputs(values).items():
        found.update(zip(program.input(name).symbols, nodes, strict=True))
    return found


@dataclass(frozen=True)
class _Equation:
    """An equation, its name and its value as `let` was given them, and the names in it."""

    name: str
    value: Node
    block: Assign
    needs: frozenset[Node]


class WrittenEquations:
    """All that was named in a scheme."""

    def __init__(self, scheme: Scheme) -> None:
        self._equations = [
            _Equation(name, value, block, frozenset(symbols([value])))
            for name, value, block in scheme.named_values()
        ]

    def copy(self, scheme: Scheme, results: Iterable[Node]) -> dict[Node, Node]:
        """Write in a scheme what some results depend on; name -> its meaning there, if another."""
        wanted = set(symbols(results))
        chosen: list[_Equation] = []
        for one in reversed(self._equations):
            if one.block.target in wanted:
                wanted |= one.needs
                chosen.append(one)
        renamed: dict[Node, Node] = {}
        for one in reversed(chosen):
            if renamed.keys().isdisjoint(one.needs):
                found = scheme.adopt(one.name, one.value, one.block)
            else:
                (value,) = substitute([one.value], renamed)
                found = scheme.let(one.name, value, one.block.note)
            if found is not one.block.target:
                renamed[one.block.target] = found
        return renamed
