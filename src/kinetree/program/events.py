"""Events: where the branches of a Program change.

A selection takes one branch where its condition is above zero and the other elsewhere, so a
simulation that stops where a condition crosses zero never steps over a change of branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetree.engine import (
    SELECT,
    ZERO,
    Node,
    Rank,
    compounds,
    mul,
    scale,
    select,
    split_coefficient,
    symbol,
    symbols,
    text,
)
from kinetree.program.passes import condense
from kinetree.program.passes.switches import rewrite_selections
from kinetree.program.program import Assign, Input, Note, Output, Program

SIDES = "sides"
"""Input and output of a Program whose branches may be held: on which side of zero, and of what."""
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
            bare = _bare_sign(node.args[0], known)[0]
            if not fixed.issuperset(symbols((bare,))):
                found[bare] = None
    nodes = tuple(found)
    labels = tuple(text(node, LABEL) for node in nodes)
    return Output("conditions", (len(nodes),), nodes, labels, Note(step="events"))


def hold_branches(program: Program, conditions: Output) -> Program:
    """The Program whose branches may be held, so that it is smooth where conditions pass zero.

    An input "sides" says of every condition on which branch laws are, 1 above its zero, -1 below;
    where it is 0 the condition itself decides.  An output of that name has the conditions.

        select(c, a, b)  ->  a where s > 0, b where s < 0                             Eq. (S25)

    Args:
        program: with selections.
        conditions: of branches, as of `crossings`.
    """
    rows = tuple(symbol(f"{SIDES}[{k}]", Rank.FORCE) for k in range(len(conditions.nodes)))
    number = {node: k for k, node in enumerate(conditions.nodes)}
    known = {b.target: b.expr for b in program.all_blocks if isinstance(b, Assign)}
    found: dict[Node, Node | None] = {}
    for node in compounds(program.roots()):
        if node.op is SELECT:
            bare, sign = _bare_sign(node.args[0], known)
            if bare in number and sign:
                side = rows[number[bare]]
                found[node] = select(mul(side, side), scale(sign, side), node.args[0])
    told = replace(conditions, name=SIDES)
    whole = replace(program, outputs=(*program.outputs, told))
    sides = Input(SIDES, (len(rows),), rows, (0.0,) * len(rows))
    return replace(rewrite_selections(whole, found), inputs=(*program.inputs, sides))


def _bare_sign(condition: Node, known: Mapping[Node, Node]) -> tuple[Node, int]:
    """A condition without factors, and a in place of the larger of a and 0; and how it follows it.

    Args:
        condition: above zero or not.
        known: what names stand for.

    Returns:
        The bare form, and 1 where the condition is above zero as that is, -1 where it is below it,
        0: never.
    """
    sign = 1
    while True:
        factor, bare = split_coefficient(condition)
        sign = sign if factor > 0 else -sign
        found = known.get(bare, bare)
        if found.op is not SELECT or found.args[2] is not ZERO:
            return bare, sign
        (one, inner), (two, value) = (split_coefficient(arg) for arg in found.args[:2])
        if inner is not value or one * two <= 0:
            return bare, sign
        sign = max(sign, 0)  # what is never above zero, such as -max(a, 0)
        condition = found.args[0]
