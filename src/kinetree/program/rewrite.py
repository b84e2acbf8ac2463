"""Rebuilding a Program's expressions as they stand, without simplifying them again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from kinetree.engine import ADD, MUL, Node
from kinetree.engine.node import intern_call, intern_product, sum_of
from kinetree.program.program import Block, Output, Program


def same_form(node: Node, args: Sequence[Node]) -> Node:
    """A Node of the same form on other operands; sums and products are merged where those agree."""
    args = tuple(args)
    if args == node.args:
        return node
    if node.op is ADD:
        return sum_of(node.value, merge(args, node.coefs))
    if node.op is MUL:
        return intern_product(merge(args, node.coefs))
    return intern_call(node.op, args)


def merge(args: Sequence[Node], weights: Sequence[Any]) -> dict[Node, Any]:
    """Operand -> weight, where equal operands add up and those of weight zero vanish."""
    total: dict[Node, Any] = {}
    for arg, weight in zip(args, weights, strict=True):
        total[arg] = total[arg] + weight if arg in total else weight
    if len(total) == len(args):
        return total
    return {arg: weight for arg, weight in total.items() if weight != 0}


def map_block(block: Block, change: Callable[[Node], Node]) -> Block:
    """The block with every operand changed; itself where nothing does."""
    return block.with_operands([change(x) for x in block.operands])


def map_outputs(program: Program, change: Callable[[Node], Node]) -> tuple[Output, ...]:
    """The outputs with every component changed."""
    return tuple(replace(out, nodes=tuple(change(x) for x in out.nodes)) for out in program.outputs)


def above(changed: Iterable[Node], nodes: Iterable[Node]) -> set[Node]:
    """Of Nodes given children first: the changed ones, and every Node that holds one."""
    found = set(changed)
    for node in nodes:
        if not found.isdisjoint(node.args):
            found.add(node)
    return found


def taken_names(program: Program) -> set[str]:
    """Every name the Program gives away: of inputs and of targets."""
    taken = {t.name for b in program.all_blocks for t in b.targets}
    return taken | {s.name for row in program.inputs for s in row.symbols}
