"""What a diagram is made of: bodies with anchors, joints with their steps, ties."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.formats.pictures import OUTLINES
from kinetree.view.diagram.anchors import LEAST_HIGH, LEAST_WIDE, Anchor


@dataclass(frozen=True)
class DiagramBody:
    """A body, or the ground.

    Attributes:
        name: of the body.
        x, y: its place in units of the grid: left, and middle.
        placed: whether the model file says it.
        shape: outline, a word of `OUTLINES`; without effect on the mechanism.
        points: names of its points, to which others are tied.
        width, height: in units of the grid, with room for its anchors.
        anchors: where something ends, or can end.
    """

    name: str
    x: int
    y: int
    placed: bool
    shape: str = OUTLINES[0]
    points: tuple[str, ...] = ()
    width: int = LEAST_WIDE
    height: int = LEAST_HIGH
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True)
class DiagramJoint:
    """A joint from an inner to an outer body.

    Attributes:
        name: of the joint.
        kind: of the joint.
        parent, child: names of bodies.
        points: names of the points there, "" for the body's own frame.
        steps: signs of its motions in order, such as T1, R3; R without a number turns about an
            axis that is none of x, y, z.
        driven: whether its motion is given.
        coordinates: names of its coordinates.
        room: steps of the longest joint beside it, from the same body into the same column; all of
            them bend before these, so that they do not cross.
        lane: where its line goes around others, in units of the grid: from there on, and at that
            height; None for one that needs no lane.
    """

    name: str
    kind: str
    parent: str
    child: str
    steps: tuple[str, ...]
    driven: bool
    points: tuple[str, str] = ("", "")
    coordinates: tuple[str, ...] = ()
    room: int = 1
    lane: tuple[int, int] | None = None


@dataclass(frozen=True)
class DiagramTie:
    """A closure, force or wrench: what acts between bodies that a joint may carry or not.

    Attributes:
        section: "closures", "forces" or "wrenches".
        name, kind: of the element.
        bodies: names of the bodies it acts on; empty for what speaks of joints alone.
        points: names of the points there, "" for the body's own frame.
        joint: of a force at a joint, its name.
        label: number of equations of a closure.
        leave, arrive: handles of the curve between two moving bodies, from its ends [px].
        share: of that curve, at which its name stands.
    """

    section: str
    name: str
    kind: str
    bodies: tuple[str, ...]
    joint: str = ""
    label: str = ""
    points: tuple[str, ...] = ()
    leave: tuple[int, int] = (0, 0)
    arrive: tuple[int, int] = (0, 0)
    share: float = 0.5


@dataclass(frozen=True)
class Diagram:
    """The whole drawing.

    Attributes:
        title: name of the model.
        bodies, joints, ties: what is drawn.
        states: names of states beside the motion.
    """

    title: str
    bodies: tuple[DiagramBody, ...]
    joints: tuple[DiagramJoint, ...]
    ties: tuple[DiagramTie, ...]
    states: tuple[str, ...] = ()
