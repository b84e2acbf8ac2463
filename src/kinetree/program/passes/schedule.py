"""Scheduling for locality: equations close to their uses, so that fewer values are alive at once.

The order of the formalism sweeps the whole tree outward and then inward; an order that follows each
output down to what it needs first keeps fewer values waiting.  Both are tried; the one under which
values live shorter is kept.  Sines and cosines stay at the front, where they are evaluated
together.
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import OPS, Node, symbols
from kinetree.program.program import Assign, Block, Program

TRIG = (OPS["sin"], OPS["cos"])


def schedule(program: Program) -> Program:
    """The Program in the order with the shorter lives."""
    front, rest = _split(program.blocks)
    needs = {id(b): symbols(b.operands) for b in rest}
    other = _depth_first(program, rest, needs)
    if _life(other, needs) < _life(rest, needs):
        return replace(program, blocks=(*front, *other))
    return program


def _split(blocks: tuple[Block, ...]) -> tuple[list[Block], list[Block]]:
    """The leading sines and cosines, and the rest."""
    k = 0
    for block in blocks:
        if not (isinstance(block, Assign) and block.expr.op in TRIG):
            break
        k += 1
    return list(blocks[:k]), list(blocks[k:])


def _depth_first(
    program: Program, blocks: list[Block], needs: dict[int, list[Node]]
) -> list[Block]:
    """The blocks in the order in which the outputs call for them."""
    home = {t: b for b in blocks for t in b.targets}
    done: set[int] = set()
    order: list[Block] = []
    for root in symbols([x for out in program.outputs for x in out.nodes]):
        if root not in home:
            continue
        stack = [(home[root], False)]
        while stack:
            block, ready = stack.pop()
            if ready:
                order.append(block)
                continue
            if id(block) in done:
                continue
            done.add(id(block))
            stack.append((block, True))
            stack += [(home[s], False) for s in reversed(needs[id(block)]) if s in home]
    return order


def _life(blocks: list[Block], needs: dict[int, list[Node]]) -> int:
    """Sum over values of the distance from definition to last use."""
    born: dict[Node, int] = {}
    last: dict[Node, int] = {}
    for k, block in enumerate(blocks):
        for s in needs[id(block)]:
            last[s] = k
        for t in block.targets:
            born[t] = k
    return sum(last.get(t, k) - k for t, k in born.items())
