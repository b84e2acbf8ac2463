"""The mechanism in 3-D as data, and what of it has changed since another revision."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import KinetreeError
from kinetree.model import Ball, Closure, Float, Force, Joint, Point
from kinetree.studio.messages import MassMark, SceneMark, SceneMessage, ScenePart, TieMark
from kinetree.studio.panes.checks import TextCheck, check
from kinetree.studio.panes.diagrams import model_of
from kinetree.view.diagram.content import motion_sign
from kinetree.view.dimensions import Measures, measures
from kinetree.view.inertia import principal
from kinetree.view.payload import coordinate_ranges, draw_solids, room_of, stretched_links
from kinetree.view.poses import poses as body_poses
from kinetree.view.shapes import Shapes, read_shapes
from kinetree.view.solids import Solid
from kinetree.view.surroundings import roads

REMEMBERED = 8
"""Revisions to which differences can be told."""


@dataclass(frozen=True)
class BodyScene:
    """The picture of one text, its bodies by name."""

    parts: dict[str, list[Solid]]
    rest: dict[str, Any]


class SceneMemory:
    """The last scenes by revision."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, BodyScene] = OrderedDict()
        self._lock = threading.Lock()

    def message(self, text: str, revision: int, folder: Path, since: int | None) -> SceneMessage:
        """The scene of a text, or how it differs from that of an earlier revision.

        Args:
            text: of the model.
            revision: of the text.
            folder: where mesh files are.
            since: revision whose scene is known already; None for none.
        """
        with self._lock:
            scene = self._kept.get(revision)
            if scene is None:
                scene = scene_of(check(text), folder)
                self._kept[revision] = scene
                while len(self._kept) > REMEMBERED:
                    self._kept.popitem(last=False)
            known = None if since is None else self._kept.get(since)
        old = {} if known is None else known.parts
        changed = [
            ScenePart(name=name, parts=parts)
            for name, parts in scene.parts.items()
            if name not in old or old[name] != parts
        ]
        return SceneMessage(
            revision=revision, since=None if known is None else since, names=list(scene.parts),
            bodies=changed, **scene.rest,
        )  # fmt: skip


def scene_of(found: TextCheck, folder: Path) -> BodyScene:
    """The scene of a text.

    Raises:
        FormatError: where it describes no model.
    """
    model = model_of(found)
    if found.report is not None:
        q, poses = found.report.q, found.report.poses
    elif found.gaps:  # loops that do not close are shown open, as the start values have them
        q = np.asarray(model.initial(), dtype=float)
        poses = body_poses(model, q[None])[0]
    else:
        raise next(iter(_problems(found)))
    m = measures(model, poses)
    try:
        own = read_shapes(model, folder)
    except KinetreeError as error:
        own = Shapes(notes=[str(error)])
    solids = draw_solids(m, own, coordinate_ranges(m, q[None]))
    if model.ground.name not in own.parts:
        solids[model.ground.name] += roads(m, poses[None])
    low, high, floor = room_of(m, solids, poses[None], False)
    rest = {
        "links": stretched_links(m), "poses": poses.tolist(), "up": m.up.tolist(),
        "floor": floor, "size": m.size, "low": low.tolist(), "high": high.tolist(),
        "axes": [mark for joint in model.body_joints for mark in _axes(m, joint)],
        "points": _points(m), "masses": _masses(m), "ties": _ties(m, found.gaps),
        "warnings": own.notes[:3],
    }  # fmt: skip
    return BodyScene(solids, rest)


def _problems(found: TextCheck) -> list[KinetreeError]:
    return [
        KinetreeError(row.problem, element=row.element, cure=row.cure)
        for row in found.findings
        if row.severity == "error"
    ] or [KinetreeError("it cannot be drawn", element="the model", cure="see the checks")]


def _mark(m: Measures, point: Point, path: str, **more: Any) -> SceneMark:
    model = m.model
    number = 0 if point.body is model.ground else list(model.bodies).index(point.body.name) + 1
    return SceneMark(path=path, body=number, at=m.place(point).tolist(), **more)


def _axes(m: Measures, joint: Joint) -> list[SceneMark]:
    """Directions of a joint's motions, at its place on the outer body."""
    made = []
    for motion in joint.motions:
        axis: list[float] | None = None
        if not isinstance(motion, Ball | Float):
            turn = np.array(joint.child.rotation, dtype=float)
            axis = (turn @ np.array(motion.axis, dtype=float)).tolist()
        made.append(
            _mark(m, joint.child, f"joints.{joint.name}", axis=axis, letter=motion_sign(motion)[0],
                  name=joint.name)
        )  # fmt: skip
    return made


def _points(m: Measures) -> list[SceneMark]:
    model = m.model
    return [
        _mark(m, point, f"{_path(body.name)}.points.{point.name}", name=point.name)
        for body in (model.ground, *model.bodies.values())
        for point in body.points.values()
    ]


def _path(body: str) -> str:
    return body if body == "ground" else f"bodies.{body}"


def _masses(m: Measures) -> list[MassMark]:
    """Ellipsoids: of half axes a, b, c, k_x² = (b² + c²)/5, with k the radius of gyration."""
    made = []
    for number, body in enumerate(m.model.bodies.values(), 1):
        mass, com, _ = m.mass(body)
        _, k2, axes = principal(m, body)
        radii: Array = np.sqrt(np.maximum(2.5 * (k2.sum() - 2 * k2), 0.0))
        made.append(
            MassMark(body=number, mass=mass, at=com.tolist(), axes=axes.T.tolist(),
                     radii=radii.tolist())
        )  # fmt: skip
    return made


def _ties(m: Measures, gaps: dict[str, float]) -> list[TieMark]:
    model = m.model
    rows: list[tuple[str, Closure | Force, tuple[Point, ...]]] = [
        *(("closures", row, row.ends) for row in model.closures.values()),
        *(("forces", row, row.points) for row in model.forces.values()),
    ]
    return [
        TieMark(
            path=f"{section}.{row.name}", kind=row.kind,
            ends=[_mark(m, point, f"{section}.{row.name}", name=point.name) for point in points],
            gap=gaps.get(row.name, 0.0) if section == "closures" else 0.0,
        )
        for section, row, points in rows
        if points
    ]  # fmt: skip
