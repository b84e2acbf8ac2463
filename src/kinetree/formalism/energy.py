"""Kinetic and potential energy, in link frames.

| here | meaning |
|---|---|
| w, v | angular velocity of the link and velocity of its origin, link frame |
| P, L | momentum and angular momentum about the link origin, link frame |
| g | gravity seen in the link frame |
| s | g · p, with p the position of the link origin from that of the ground |

The potential energy of gravity is zero with the mass at the ground's origin; only one vector,
gravity itself, has to be passed outward for it.  Force elements add theirs where their kind knows
one: springs between points and in joints.  Bushings, laws, dampers and friction add none.

Refs: SaminFisette2003; Featherstone2008 secs. 2.12, 2.13 (momentum, kinetic energy)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.formalism.forces.link_forces import elastic
from kinetree.formalism.kinematics import named
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.rotors import turning
from kinetree.formalism.links.vectors import NULL, Vec, apply_sym, cross, dot, plus, times
from kinetree.program import Note

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames


@dataclass(frozen=True)
class LinkVelocities:
    """Angular velocity and velocity of the origin of every link, in its own frame."""

    w: list[Vec]
    v: list[Vec]


def link_velocities(frames: Frames, qd: tuple[Node, ...]) -> LinkVelocities:
    """The outward sweep of velocities."""
    motion = LinkVelocities([NULL], [NULL])
    for i in frames.system.outward():
        link = frames.system.links[i]
        p = link.parent
        w_rel, v_rel = relative(frames, i, qd)
        note = Note(link.name, "angular velocity", "LuhWalkerPaul1980", "rad/s", "link")
        w = plus(frames.to_link(i, motion.w[p], f"w{i}"), w_rel)
        motion.w.append(named(frames, f"w{i}", w, note))
        note = Note(link.name, "velocity of the origin", "SaminFisette2003", "m/s", "link")
        at = named(frames, f"vp{i}", plus(motion.v[p], cross(motion.w[p], frames.offset(i))), note)
        v = plus(frames.to_link(i, at, f"v{i}"), v_rel)
        motion.v.append(named(frames, f"v{i}", v, note))
    return motion


def kinetic(frames: Frames, motion: LinkVelocities) -> Node:
    """T [J], the sum over the links of ½ (v · P + w · L)."""
    twice: Node = ZERO
    for i in frames.system.outward():
        link = frames.system.links[i]
        m, h, inertia = frames.properties[i]
        w, v = motion.w[i], motion.v[i]
        note = Note(link.name, "momentum", "Featherstone2008 sec. 2.12", "", "link")
        P = named(frames, f"P{i}", plus(times(m, v), cross(w, h)), note)
        L = named(frames, f"L{i}", plus(apply_sym(inertia, w), cross(h, v)), note)
        note = Note(link.name, "twice the kinetic energy", "Featherstone2008 sec. 2.13", "J", "")
        twice = frames.scheme.let(f"T{i}", twice + dot(v, P) + dot(w, L), note)
    return twice / 2


def potential(frames: Frames) -> Node:
    """V [J] of gravity: -g · Σ m p_com over what can move, zero with it at the ground's origin."""
    system = frames.system
    g: list[Vec] = [system.gravity]
    s: list[Node] = [ZERO]
    V: Node = ZERO
    for i in system.outward():
        link = system.links[i]
        m, h, _ = frames.properties[i]
        note = Note(link.name, "gravity times position", "SaminFisette2003", "m2/s2", "")
        s_i = s[link.parent] + dot(g[link.parent], frames.offset(i))
        s.append(frames.scheme.let(f"s{i}", s_i, note))
        note = Note(link.name, "gravity", "", "m/s2", "link")
        g.append(named(frames, f"g{i}", frames.to_link(i, g[link.parent], f"g{i}"), note))
        note = Note(link.name, "potential energy", "SaminFisette2003", "J", "")
        V = frames.scheme.let(f"V{i}", V - m * s[i] - dot(h, g[i]), note)
    return V


def energy(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the outputs "kinetic" and "potential" [J], the latter of gravity and of springs."""
    motion = link_velocities(frames, frames.system.qd)
    T = kinetic(frames, motion) + turning(frames.system) / 2
    frames.scheme.output("kinetic", (T,), ())
    frames.scheme.output("potential", (potential(frames) + elastic(frames),), ())


__all__ = ["LinkVelocities", "energy", "kinetic", "link_velocities", "potential"]
