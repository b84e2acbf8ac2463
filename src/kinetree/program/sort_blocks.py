"""Putting the blocks of a Program in an order in which every name is defined before its use."""

from __future__ import annotations

from dataclasses import replace
from heapq import heapify, heappop, heappush

from kinetree.engine import Node, symbols
from kinetree.program.program import Program


def sort_blocks(program: Program) -> Program:
    """The same Program, each block as early as its place in the list and its operands allow.

    A formalism may then write its equations in the order in which they are explained.
    """
    home: dict[Node, int] = {t: k for k, b in enumerate(program.blocks) for t in b.targets}
    users: list[list[int]] = [[] for _ in program.blocks]
    waiting: list[int] = []
    for k, block in enumerate(program.blocks):
        needs = {home[s] for s in symbols(block.operands) if s in home}
        waiting.append(len(needs))
        for need in needs:
            users[need].append(k)
    ready = [k for k, count in enumerate(waiting) if count == 0]
    heapify(ready)
    order: list[int] = []
    while ready:
        k = heappop(ready)
        order.append(k)
        for user in users[k]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heappush(ready, user)
    if len(order) < len(program.blocks):
        stuck = next(b.targets[0].name for b, n in zip(program.blocks, waiting, strict=True) if n)
        message = f"program '{program.name}': '{stuck}' depends on itself"
        raise ValueError(message)
    return replace(program, blocks=tuple(program.blocks[k] for k in order))
