"""How a run treats the loops of its model where the user leaves that open.

Independent coordinates make the smallest equations, but their choice is part of these: another one
is derived and compiled anew.  A long loop has many choices and outgrows each of them soon.  All
coordinates, projected on the loops, need none.  So a run takes them from the start where a group of
loops has many degrees of freedom of its own, and goes on in them where it has changed its choice
often (`repartition`).

Refs: Blajer2002; WehageHaug1982
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.assembly import Partition
from kinetree.formalism.loops.groups import connected_groups
from kinetree.model import Mechanism, holding, stopping
from kinetree.pipeline import LOOPS

AUTO, PROJECTED = "auto", "projection"
"""The treatment that is left open; the one in all coordinates."""
WIDE = 6
"""Degrees of freedom of one group of loops above which all coordinates are kept: a rigid body's."""


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
    """Most degrees of freedom of a group of loops that share velocities."""
    driven = {*found.driven}
    uses = {label: sorted(found.uses[label] - driven) for label in found.equations}
    return max((len(g.unknowns) - len(g.rows) for g in connected_groups(uses)), default=0)
