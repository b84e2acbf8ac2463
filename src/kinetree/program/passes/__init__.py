"""Passes: Program → Program, in an order that has its reasons.

1. `dead` removes equations that no output needs, so that later passes look at nothing in vain;
2. `hoist` moves what depends on parameters alone into the preamble: before sharing, because it cuts
   parameter factors out of products and so changes which sub-expressions are common;
3. `pair` names sines and cosines, those of one angle side by side, at the front where their angle
   is known: before sharing, so that sharing sees names;
4. `share` names what several equations use, so that every compound Node is used once;
5. `dead` again: hoisting and sharing leave unused names behind;
6. `schedule` orders the equations for short lives of values.
"""

from __future__ import annotations

from collections.abc import Callable

from kinetree.engine import pause_collector
from kinetree.program.passes.dead import dead
from kinetree.program.passes.hoist import hoist
from kinetree.program.passes.pair_trig import pair
from kinetree.program.passes.schedule import schedule
from kinetree.program.passes.share import share
from kinetree.program.passes.switches import hold_switches, plain
from kinetree.program.program import Program
from kinetree.work import note as note_work

ALL: tuple[Callable[[Program], Program], ...] = (dead, hoist, pair, share, dead, schedule)


@pause_collector()
def condense(program: Program, *, switches: bool = False) -> Program:
    """The Program after all passes, in their order.

    Args:
        program: to be condensed.
        switches: whether its switches stay; else they become selections.
    """
    program = program if switches else plain(program)
    for run in ALL:
        note_work("simplifying")
        program = run(program)
    return program


__all__ = [
    "ALL", "condense", "dead", "hoist", "hold_switches", "pair", "plain", "schedule", "share",
]  # fmt: skip
