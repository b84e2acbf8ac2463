"""Events: where the branches of a Program change.

A selection takes one branch where its condition is above zero and the other elsewhere, so a
simulation that stops where a condition crosses zero never steps over a change of branch.
"""

from __future__ import annotations

from dataclasses import replace

from kinetree.engine import SELECT, Node, compounds, split_coefficient, symbols, text
from kinetree.program.passes import condense
from kinetree.program.program import Note, Output, Program

LABEL = 60
"""Characters of a condition that its label shows."""


def conditions(program: Program) -> Program:
    """The Program whose one output "conditions" are those of all its selections, each once.

    The inputs stay as they are, used or not.
    """
    out = crossings(program)
    return condense(replace(program, name=f"{program.name}_conditions", outputs=(out,)))


def crossings(program: Program) -> Output:
    """The output "conditions" that a Program would have: those of all its selections, each once.

    A condition and its multiples are one; conditions that depend on parameters alone cross nothing
    and are left out.  The names in a label are those of the Program.
    """
    fixed = {s for row in program.inputs if row.parameter for s in row.symbols}
    fixed |= {t for b in program.preamble for t in b.targets}
    if program.gives("switches"):  # modes of switches cross nothing between events
        modes = len(program.output("switches").nodes)
        fixed |= set(program.input("x").symbols[-modes:])
    found: dict[Node, None] = {}
    for node in compounds(program.roots(preamble=False)):
        if node.op is SELECT:
            bare = split_coefficient(node.args[0])[1]
            if not fixed.issuperset(symbols((bare,))):
                found[bare] = None
    nodes = tuple(found)
    labels = tuple(text(node, LABEL) for node in nodes)
    return Output("conditions", (len(nodes),), nodes, labels, Note(step="events"))
