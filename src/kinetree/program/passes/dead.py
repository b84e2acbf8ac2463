"""Elimination of equations that no output needs.

Refs: Docquier2013 sec. 3.3, fig. 5 (up to 30 % of the equations of direct dynamics)
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import Node, reach
from kinetree.program.program import Block, Program


def dead(program: Program) -> Program:
    """The Program without superfluous equations; `info` reports the share removed."""
    needed: set[Node] = set()
    reach([x for out in program.outputs for x in out.nodes], needed)
    blocks = _keep_needed(program.blocks, needed)
    preamble = _keep_needed(program.preamble, needed)
    before = len(program.blocks) + len(program.preamble)
    gone = before - len(blocks) - len(preamble)
    slim = replace(program, blocks=blocks, preamble=preamble)
    if "removed" in program.info:
        return slim
    return slim.with_info(removed=f"{gone} of {before}")


def _keep_needed(blocks: tuple[Block, ...], needed: set[Node]) -> tuple[Block, ...]:
    kept: list[Block] = []
    for block in reversed(blocks):
        if not needed.isdisjoint(block.targets):
            reach(block.operands, needed)
            kept.append(block)
    return tuple(reversed(kept))
