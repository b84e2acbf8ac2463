"""Kinetic and potential energy, in link frames.

| here | meaning |
|---|---|
| w, v | angular velocity of the link and velocity of its origin, link frame |
| P, L | momentum and angular momentum about the link origin, link frame |
| g | gravity seen in the link frame |
| s | g · p, with p the position of the link origin from that of the ground |

The potential energy of gravity is zero with the mass at the ground's origin; only one vector,
gravity itself, has to be passed outward for it.  Force elements add theirs where their kind knows
one: springs between points and in joints, bushings, and laws given by their energy.  Other laws,
dampers and friction add none.

Refs: SaminFisette2003; Featherstone2008 secs. 2.12, 2.13 (momentum, kinetic energy)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.formalism.forces.link_forces import elastic
from kinetree.formalism.links.passage import relative
from kinetree.formalism.links.rotors import turning
from kinetree.formalism.links.vectors import NULL, Vec, apply_sym, cross, dot, plus, times
from kinetree.program.notes import notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

NOTES = notes("""
    w    | angular velocity         | LuhWalkerPaul1980          | rad/s | link
    vp v | velocity of the origin   | SaminFisette2003           | m/s   | link
    P L  | momentum                 | Featherstone2008 sec. 2.12 |       | link
    T    | twice the kinetic energy | Featherstone2008 sec. 2.13 | J
    s    | gravity times position   | SaminFisette2003           | m2/s2
    g    | gravity                  |                            | m/s2  | link
    V    | potential energy         | SaminFisette2003           | J
""")


@dataclass(frozen=True)
class LinkVelocities:
    """Angular velocity and velocity of the origin of every link, in its own frame."""

    w: list[Vec]
    v: list[Vec]


def link_velocities(frames: Frames, qd: tuple[Node, ...]) -> LinkVelocities:
    """The outward sweep of velocities."""
    motion = LinkVelocities([NULL], [NULL])
    for i in frames.system.outward():
        let, p = frames.naming(NOTES, i), frames.system.links[i].parent
        w_rel, v_rel = relative(frames, i, qd)
        motion.w.append(let("w", plus(frames.to_link(i, motion.w[p], f"w{i}"), w_rel)))
        v_p = let("vp", plus(motion.v[p], cross(motion.w[p], frames.offset(i))))
        motion.v.append(let("v", plus(frames.to_link(i, v_p, f"v{i}"), v_rel)))
    return motion


def kinetic(frames: Frames, motion: LinkVelocities) -> Node:
    """T [J], the sum over the links of ½ (v · P + w · L)."""
    twice: Node = ZERO
    for i in frames.system.outward():
        let, w, v = frames.naming(NOTES, i), motion.w[i], motion.v[i]
        m, h, inertia = frames.properties[i]
        P = let("P", plus(times(m, v), cross(w, h)))
        L = let("L", plus(apply_sym(inertia, w), cross(h, v)))
        twice = let("T", twice + dot(v, P) + dot(w, L))
    return twice / 2


def potential(frames: Frames) -> Node:
    """V [J] of gravity: -g · Σ m p_com over what can move, zero with it at the ground's origin."""
    system = frames.system
    g: list[Vec] = [system.gravity]
    s: list[Node] = [ZERO]
    V: Node = ZERO
    for i in system.outward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        m, h, _ = frames.properties[i]
        s.append(let("s", s[p] + dot(g[p], frames.offset(i))))
        g.append(let("g", frames.to_link(i, g[p], f"g{i}")))
        V = let("V", V - m * s[i] - dot(h, g[i]))
    return V


def energy(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the outputs "kinetic" and "potential" [J], the latter of gravity and of springs."""
    motion = link_velocities(frames, frames.system.qd)
    T = kinetic(frames, motion) + turning(frames.system) / 2
    frames.scheme.output("kinetic", (T,), ())
    frames.scheme.output("potential", (potential(frames) + elastic(frames),), ())
