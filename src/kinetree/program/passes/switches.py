"""Switches: branches of laws that change at events alone.

switch(c, a, b) is a where c > 0 and b elsewhere, as select is.  In a run its branch is a mode, 1 or
0, which stays as it is between events; where c passes zero an event changes it, so no step sees
both branches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetree.engine import (
    SELECT,
    SWITCH,
    ZERO,
    Node,
    Rank,
    apply,
    compounds,
    reach,
    substitute,
    symbol,
    symbols,
)
from kinetree.engine.show import text
from kinetree.program.program import Block, Input, Newton, Note, Output, Program
from kinetree.program.rewrite import map_block, map_outputs, same_form

STEM = "switch"
"""Modes of switches are called switch_1, …"""
LABEL = 60
"""Characters of a condition that its label shows."""


def plain(program: Program) -> Program:
    """The Program with a selection in place of every switch; itself where it has none."""
    found = _switches(program)
    newtons = [b for b in program.all_blocks if isinstance(b, Newton)]
    inside: dict[Block, Block] = {b: _plain_inside(b) for b in newtons}
    if any(new is not old for old, new in inside.items()):
        program = replace(
            program,
            preamble=tuple(inside.get(b, b) for b in program.preamble),
            blocks=tuple(inside.get(b, b) for b in program.blocks),
        )
    return rewrite_selections(program, dict.fromkeys(found)) if found else program


def _switches(program: Program) -> list[Node]:
    """The switches of a Program, children first; most have none, which the quicker walk tells."""
    roots, seen = program.roots(), set[Node]()
    reach(roots, seen)
    if not any(node.op is SWITCH for node in seen):
        return []
    return [node for node in compounds(roots) if node.op is SWITCH]


def _plain_inside(block: Newton) -> Newton:
    """The iteration with selections in the Program that it repeats."""
    step = plain(block.step)
    return block if step is block.step else replace(block, step=step)


def hold_switches(program: Program) -> Program:
    """The Program whose switches take their branch from modes: entries of x, whose rates are zero.

    Its output "switches" are the conditions, one per mode.  Switches of parameters alone are
    selections.
    """
    fixed = {s for row in program.inputs if row.parameter for s in row.symbols}
    fixed |= {t for b in program.preamble for t in b.targets}
    found = [node for node in compounds(program.roots()) if node.op is SWITCH]
    conditions = dict.fromkeys(node.args[0] for node in found)
    rows = [c for c in conditions if not fixed.issuperset(symbols((c,)))]
    if not rows:
        return plain(program)
    x = next((row for row in program.inputs if row.name == "x"), Input("x", (0,), (), ()))
    names = _fresh_names(x.labels, len(rows))
    modes = {c: symbol(f"x_{name}", Rank.COORDINATE) for c, name in zip(rows, names, strict=True)}
    new = rewrite_selections(program, {n: modes.get(n.args[0]) for n in found})
    return _with_modes(new, x, names, _conditions(rows, found, modes), tuple(modes.values()))


def _fresh_names(taken: tuple[str, ...], count: int) -> tuple[str, ...]:
    """So many names of modes that no state has."""
    numbers = (k for k in range(1, count + len(taken) + 1) if f"{STEM}_{k}" not in taken)
    return tuple(f"{STEM}_{k}" for k, _ in zip(numbers, range(count), strict=False))


def _change(found: Mapping[Node, Node | None]) -> dict[Node, Node]:
    """Switch -> selection by its mode, or by its condition where it has none."""
    new: dict[Node, Node] = {}
    for node, mode in found.items():  # children first
        args = substitute(node.args, new)
        new[node] = apply(SELECT, (args[0] if mode is None else mode, *args[1:]))
    return new


def rewrite_selections(program: Program, found: Mapping[Node, Node | None]) -> Program:
    """The Program with selections by other conditions, or by their own, in place of branches.

    Args:
        program: to be changed.
        found: switch or selection -> its condition; children first, none for its own.
    """
    new = _change(found)
    known: dict[Node, Node] = {}

    def change(root: Node) -> Node:
        for node in compounds((root,)):
            if node not in known:
                args = [known.get(a, a) for a in node.args]
                known[node] = new[node] if node in new else same_form(node, args)
        return known.get(root, root)

    return replace(
        program,
        preamble=tuple(map_block(block, change) for block in program.preamble),
        blocks=tuple(map_block(block, change) for block in program.blocks),
        outputs=map_outputs(program, change),
    )


def _conditions(
    rows: list[Node], found: list[Node], modes: Mapping[Node, Node]
) -> tuple[Node, ...]:
    """The conditions of the modes, switches inside them held, too."""
    return tuple(substitute(rows, _change({n: modes.get(n.args[0]) for n in found})))


def _with_modes(
    program: Program, x: Input, names: tuple[str, ...], c: tuple[Node, ...], modes: tuple[Node, ...]
) -> Program:
    """The Program with modes at the end of x, their rates and conditions."""
    size = len(x.symbols) + len(modes)
    units = (x.units or ("",) * len(x.symbols)) + ("",) * len(modes)
    wide = replace(
        x, shape=(size,), symbols=(*x.symbols, *modes), labels=(*x.labels, *names), units=units,
        default=(*(x.default or (0.0,) * len(x.symbols)), *(0.0,) * len(modes)),
    )  # fmt: skip
    place = {row.name: k for k, row in enumerate(program.inputs)}
    inputs = [wide if row.name == "x" else row for row in program.inputs]
    if "x" not in place:
        inputs.insert(place["qd"] + 1, wide)
    old = program.output("xd") if program.gives("xd") else Output("xd", (0,), (), ())
    xd = replace(old, shape=(size,), nodes=(*old.nodes, *(ZERO,) * len(modes)), labels=wide.labels)
    rest = [out for out in program.outputs if out.name != "xd"]
    labels = tuple(text(node, LABEL) for node in c)
    conditions = Output("switches", (len(c),), c, labels, Note(step="events"))
    return replace(program, inputs=tuple(inputs), outputs=(*rest, xd, conditions))
