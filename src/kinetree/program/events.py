"""Events: where the branches of a Program change.

A selection takes one branch where its condition is above zero and the other elsewhere, so a
simulation that stops where a condition crosses zero never steps over a change of branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetree.engine import SELECT, ZERO, Node, compounds, split_coefficient, symbols, text
from kinetree.program.passes import condense
from kinetree.program.program import Assign, Note, Output, Program

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

    A condition and its multiples are one, and so is a with the larger of a and 0, which touches
    zero where a passes it, such as the load of a wheel that lifts off; conditions that depend on
    parameters alone cross nothing and are left out.  The names in a label are those of the Program.
    """
    fixed = {s for row in program.inputs if row.parameter for s in row.symbols}
    fixed |= {t for b in program.preamble for t in b.targets}
    if program.gives("switches"):  # modes of switches cross nothing between events
        modes = len(program.output("switches").nodes)
        fixed |= set(program.input("x").symbols[-modes:])
    known = {b.target: b.expr for b in program.all_blocks if isinstance(b, Assign)}
    found: dict[Node, None] = {}
    for node in compounds(program.roots(preamble=False)):
        if node.op is SELECT:
            bare = _same_sign(node.args[0], known)
            if not fixed.issuperset(symbols((bare,))):
                found[bare] = None
    nodes = tuple(found)
    labels = tuple(text(node, LABEL) for node in nodes)
    return Output("conditions", (len(nodes),), nodes, labels, Note(step="events"))


def _same_sign(condition: Node, known: Mapping[Node, Node]) -> Node:
    """A condition without factors, and a in place of the larger of a and 0.

    Args:
        condition: above zero or not.
        known: what names stand for.
    """
    while True:
        bare = split_coefficient(condition)[1]
        found = known.get(bare, bare)
        if found.op is not SELECT or found.args[2] is not ZERO:
            return bare
        (one, inner), (two, value) = (split_coefficient(arg) for arg in found.args[:2])
        if inner is not value or one * two <= 0:
            return bare
        condition = inner
