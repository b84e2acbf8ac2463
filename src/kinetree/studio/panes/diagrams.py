"""The diagram of a text as data: what a page draws and a picture shows are the same."""

from __future__ import annotations

from typing import Any

from kinetree.errors import FormatError
from kinetree.model import Model
from kinetree.studio.messages import (
    AnchorMessage,
    DiagramBodyMessage,
    DiagramJointMessage,
    DiagramMessage,
    DiagramTieMessage,
    StepMessage,
)
from kinetree.studio.panes.checks import TextCheck, check
from kinetree.view.diagram.content import diagram_of
from kinetree.view.diagram.geometry import GRID, extent
from kinetree.view.diagram.parts import DiagramBody, DiagramJoint, DiagramTie

RIGID = "="
"""Sign of a joint without motion."""


def diagram_message(text: str, revision: int) -> DiagramMessage:
    """The diagram of a text.

    Raises:
        FormatError: where it describes no model.
    """
    found = check(text)
    model = model_of(found)
    drawing = diagram_of(model)
    return DiagramMessage(
        revision=revision, title=drawing.title, grid=GRID,
        box=[round(side) for side in extent(drawing)],
        bodies=[_body(row) for row in drawing.bodies],
        joints=[_joint(row) for row in drawing.joints],
        ties=[_tie(row) for row in drawing.ties], states=list(drawing.states),
        off=[f"{s}.{n}" for s, rows in model.switched_off.items() for n in rows],
        roles=_roles(found, model),
    )  # fmt: skip


def model_of(found: TextCheck) -> Model:
    """The model of a text.

    Raises:
        FormatError: where it describes none.
    """
    if found.model is None:
        raise FormatError(
            "the text is not a model yet", element="the file", cure="see what the checks say"
        )
    return found.model


def step_messages(signs: tuple[str, ...]) -> list[StepMessage]:
    """Motions of a joint as they are told; one that is rigid has a sign too."""
    return [StepMessage.model_validate({"sign": s, "letter": s[0]}) for s in signs or (RIGID,)]


def _body(row: DiagramBody) -> DiagramBodyMessage:
    path = row.name if row.name == "ground" else f"bodies.{row.name}"
    return DiagramBodyMessage(
        name=row.name, path=path, x=row.x, y=row.y, width=row.width, height=row.height,
        placed=row.placed, outline=row.shape, points=list(row.points),
        anchors=[AnchorMessage.model_validate(vars(anchor)) for anchor in row.anchors],
    )  # fmt: skip


def _joint(row: DiagramJoint) -> DiagramJointMessage:
    return DiagramJointMessage(
        name=row.name, path=f"joints.{row.name}", kind=row.kind, parent=row.parent, child=row.child,
        points=list(row.points), steps=step_messages(row.steps), coordinates=list(row.coordinates),
        driven=row.driven, room=row.room, lane=None if row.lane is None else list(row.lane),
    )  # fmt: skip


def _tie(row: DiagramTie) -> DiagramTieMessage:
    return DiagramTieMessage.model_validate({
        "section": row.section, "name": row.name, "path": f"{row.section}.{row.name}",
        "kind": row.kind, "bodies": list(row.bodies), "points": list(row.points),
        "joint": row.joint, "equations": int(row.label) if row.label else None,
        "leave": list(row.leave), "arrive": list(row.arrive), "share": row.share,
    })  # fmt: skip


def _roles(found: TextCheck, model: Model) -> dict[str, Any]:
    """What the partition makes of every coordinate.

    A partition is one of velocities; the four coordinates of a ball are independent where one of
    its three velocities is.
    """
    made: dict[str, str] = {}
    partition = None if found.report is None else found.report.partition
    if partition is not None:
        made |= dict.fromkeys(partition.independent, "independent")
        made |= dict.fromkeys(partition.dependent, "dependent")
    for joint in model.joints.values():
        known = [made[name] for name in joint.velocities if name in made]
        if known and joint.coordinates != joint.velocities:
            role = "independent" if "independent" in known else "dependent"
            made |= dict.fromkeys(set(joint.coordinates) - set(made), role)
    made |= dict.fromkeys(model.drives, "driven")
    return made
