"""Reactions: what every joint and every closure transmits, from motion and multipliers.

A joint transmits the force and torque that the inward sweep finds between its two sides; the forces
of closures, sized by their multipliers, act on the links like those of force elements.

Refs: Docquier2013 sec. 2.1.3; SaminFisette2003
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kinetree.engine import Node, Rank, symbol
from kinetree.formalism.forces.link_forces import external
from kinetree.formalism.forces.told import declare_contacts, declare_grips
from kinetree.formalism.links.linkage import Pose, rotate
from kinetree.formalism.links.vectors import NULL, Vec, apply_transposed, cross, minus, plus
from kinetree.formalism.loops.constraints import sort_equations, trivial_tests, write_equations
from kinetree.formalism.newton_euler import inward, outward
from kinetree.model import gripping
from kinetree.program import Input

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames
    from kinetree.formalism.loops.closure_views import Push
    from kinetree.formalism.loops.conditions import Row


def reactions(frames: Frames, qdd: tuple[Node, ...]) -> None:
    """Write the outputs "joints" and "closures": six values [torque; force] [N.m, N] each.

    "joints" has one row per joint: what its parent side exerts on its child side, about the origin
    of the child's frame there, in that frame; forces along its own axes are included.
    "closures" has one row per closure between two ends: what acts on its first end, about that
    end, in its frame.  Inputs lam: the multipliers; contact and grip: forces of stops and frictions
    between points.  Where an equation that no coordinate changes
    does not hold for the parameters, all are NaN.
    """
    system, scheme = frames.system, frames.scheme
    pointed = [force for force in system.model.forces.values() if force.points]
    declare_contacts(scheme, pointed)
    declare_grips(scheme, [force for force in gripping(system.model) if force.points])
    rows, dropped = sort_equations(frames, list(write_equations(frames)))
    lam = tuple(symbol(f"lam_{k + 1}", Rank.FORCE) for k in range(len(rows)))
    if rows:
        scheme.input(Input("lam", (len(rows),), lam, None, False, tuple(r.label for r in rows)))
    outer = external(frames, known=True)
    sized = zip(rows, lam, strict=True)
    pushes = [(row, push.scale(x)) for row, x in sized for push in row.pushes]
    for _, push in pushes:
        force, torque = _on_link(push)
        outer.push(Pose(push.end.link, push.end.pose.R, NULL), force, torque)
    f, n = inward(frames, outward(frames, system.qd, qdd), outer)
    joints = system.model.body_joints
    six = [x for joint in joints for x in _at(system.pose(joint.child), f, n)]
    labels = [f"{joint.name}.{part}" for joint in joints for part in PARTS]
    scheme.output("joints", six, (len(joints), 6), labels)
    _closures(frames, pushes)
    trivial_tests(frames, dropped).guard()


PARTS = ("tx", "ty", "tz", "fx", "fy", "fz")


def _on_link(push: Push) -> tuple[Vec, Vec]:
    """Force, and torque about the link's origin, in the link frame."""
    place, link = push.end.view.place, push.end.link
    torque = plus(push.torque, cross(minus(push.at, place.p[link]), push.force))
    return apply_transposed(place.R[link], push.force), apply_transposed(place.R[link], torque)


def _at(pose: Pose, f: list[Vec], n: list[Vec]) -> tuple[Node, ...]:
    """Torque about a place on a link and force, in the frame of that place."""
    force, torque = f[pose.link], minus(n[pose.link], cross(pose.p, f[pose.link]))
    return (*rotate(pose.R.T, torque), *rotate(pose.R.T, force))


def _closures(frames: Frames, pushes: Iterable[tuple[Row, Push]]) -> None:
    """Sum of what the equations of every closure exert on its first end."""
    names = [c.name for c in frames.system.model.closures.values() if c.ends]
    total: dict[str, tuple[Vec, Vec]] = dict.fromkeys(names, (NULL, NULL))
    seen: dict[str, int] = {}
    for row, push in pushes:
        name = row.label.partition(".")[0]
        first = seen.setdefault(name, id(push.end))
        if id(push.end) == first:
            torque, force = total[name]
            moment = plus(push.torque, cross(minus(push.at, push.end.p), push.force))
            end = push.end.view.place.R[push.end.link], push.end.pose.R.T
            T, F = (rotate(end[1], apply_transposed(end[0], v)) for v in (moment, push.force))
            total[name] = (plus(torque, T), plus(force, F))
    six = [x for torque, force in total.values() for x in (*torque, *force)]
    labels = [f"{name}.{part}" for name in names for part in PARTS]
    if names:
        frames.scheme.output("closures", six, (len(names), 6), labels)
