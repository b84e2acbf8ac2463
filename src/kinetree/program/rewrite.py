"""Rebuilding a Program's expressions as they stand, without simplifying them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kinetree.engine import ADD, MUL, Node
from kinetree.engine.node import collected, intern_call, intern_product
from kinetree.program.program import Assign, Block, Output, Program


def same_form(node: Node, args: Sequence[Node]) -> Node:
    """A Node of the same form on other operands; sums and products are merged where those agree."""
    if all(a is b for a, b in zip(node.args, args, strict=True)):
        return node
    if node.op is ADD:
        terms: dict[Node, int | float] = {}
        for arg, coef in zip(args, node.coefs, strict=True):
            terms[arg] = terms.get(arg, 0) + coef
        return collected(node.value, {a: c for a, c in terms.items() if c != 0})
    if node.op is MUL:
        powers: dict[Node, int] = {}
        for arg, exp in zip(args, node.coefs, strict=True):
            powers[arg] = powers.get(arg, 0) + exp
        return intern_product({a: e for a, e in powers.items() if e != 0})
    return intern_call(node.op, tuple(args))


def map_block(block: Block, change: Callable[[Node], Node]) -> Block:
    """The block with every operand changed."""
    if isinstance(block, Assign):
        return replace(block, expr=change(block.expr))
    return replace(
        block,
        matrix=tuple(change(x) for x in block.matrix),
        rhs=tuple(change(x) for x in block.rhs),
    )


def map_outputs(program: Program, change: Callable[[Node], Node]) -> tuple[Output, ...]:
    """The outputs with every component changed."""
    return tuple(
        replace(out, nodes=tuple(change(x) for x in out.nodes)) for out in program.outputs
    )
