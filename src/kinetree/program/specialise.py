"""Specialisation: a Program with some input components fixed to numbers, simplified anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetree.engine import Node, number, substitute
from kinetree.program.program import Assign, Program
from kinetree.program.scheme import Scheme


def specialise(program: Program, values: Mapping[str, Mapping[int, float]]) -> Program:
    """The same Program where component i of input `name` is the number values[name][i].

    The inputs keep their shapes; a fixed component is simply not read any more.  Works on a Program
    with or without a preamble; run the passes on the result.
    """
    fixed: dict[Node, Node] = {
        program.input(name).symbols[i]: number(x)
        for name, row in values.items()
        for i, x in row.items()
    }
    scheme = Scheme(program.name)
    for row in program.inputs:
        scheme.input(row)
    for block in program.all_blocks:
        operands = substitute(block.operands, fixed)
        if isinstance(block, Assign):
            fixed[block.target] = scheme.let(block.target.name, operands[0], block.note)
        else:
            scheme.append_block(block.with_operands(operands))
    for out in program.outputs:
        scheme.output(out.name, substitute(out.nodes, fixed), out.shape, out.labels)
    return replace(scheme.program(), info=program.info)
