"""How a run treats the loops of its model where the user leaves that open.

Independent coordinates make the smallest equations, but their choice is part of these: another one
is derived and compiled anew.  A long loop has many choices and outgrows each of them soon.  All
coordinates, projected on the loops, need none.  So a run takes them from the start where a group of
loops has many degrees of freedom of its own, and goes on in them where it has changed its choice
often (`repartition`).

Refs: Blajer2002; WehageHaug1982
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kinetree.assembly import Partition
from kinetree.formalism.loops.groups import connected_groups
from kinetree.model import Mechanism, holding, stopping
from kinetree.pipeline import LOOPS

AUTO, PROJECTED = "auto", "projection"
"""The treatment that is left open; the one in all coordinates."""
WIDE = 6
"""Degrees of freedom of its own of a group of loops above which all coordinates are kept: those of
a rigid body."""


def leave_loops_open(model: Mechanism, options: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Options of `dynamics`, and more, with loops left open where nothing is said of them."""
    said = options.keys() & {"loops", "partition", "independent"}
    closed = bool(model.closures or model.drives)
    return {**options, **more, **({"loops": AUTO} if closed and not said else {})}


def chosen_loops(model: Mechanism, found: Partition | None, jumps: Mapping[str, Any]) -> str:
    """The treatment to begin with.

    Args:
        model: the mechanism.
        found: its partition; none of a tree.
        jumps: what events change of the motion, which must be independent then.
    """
    wide = found is not None and _freedom(found) > WIDE
    return PROJECTED if wide and not jumps and can_project(model) else LOOPS


def can_project(model: Mechanism) -> bool:
    """Whether all coordinates can be kept: nothing holds or stops them, and all move some mass."""
    light = any(finding.topic == "mass" for finding in model.findings())
    return not (holding(model) or stopping(model) or light)


def _freedom(found: Partition) -> int:
    """Most degrees of freedom that a group of loops has for itself alone.

    What several groups share, such as the coordinates of a subframe that carries the links of two
    wheels, is no choice of one loop.
    """
    dependent = {*found.dependent, *found.rate_dependent}
    uses = {label: sorted(found.uses[label] & dependent) for label in found.equations}
    fixed = dependent.union(found.driven)
    free = [
        set[str]().union(*(found.uses[label] for label in group.rows)) - fixed
        for group in connected_groups(uses)
    ]
    shared = Counter(name for names in free for name in names)
    return max((sum(shared[name] == 1 for name in names) for names in free), default=0)
