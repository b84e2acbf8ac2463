"""From a validated document to a Model: every mistake is collected before the first is raised."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kinetree.errors import FormatError, KinetreeError, combine
from kinetree.formats.expression import parse
from kinetree.model.system import Model
from kinetree.model.values import rotation_rpy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kinetree.formats.schema import BodyData, Document, JointSection, PointData
    from kinetree.model.parts import Body
    from kinetree.model.values import Scalar

DATA_FIELDS = ("limits", "mimic", "initial", "coordinates", "damping", "friction")
PLACE_FIELDS = ("kind", "parent", "child")
INERTIA_ENDS = ("xx", "yy", "zz", "xy", "xz", "yz")


def build(document: Document) -> Model:
    """The Model that `document` describes.

    Raises:
        FormatError: with all mistakes of the file, each naming its element.
    """
    return _Builder(document).run()


class _Builder:
    """One run over a document, gathering mistakes."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.mistakes: list[KinetreeError] = []
        self.model = Model("unnamed")

    def run(self) -> Model:
        """Add everything in order: parameters, ground, bodies, joints, wrenches."""
        document = self.document
        with self.gather():
            self.model = Model(document.name)
        for name, row in document.parameters.items():
            with self.gather():
                self.model.parameter(name, row.value, row.unit)
        x, y, z = self.scalars("gravity", document.gravity, "gravity")
        self.model.gravity = (x, y, z)
        self.points(self.model.ground, document.ground.points, "ground")
        for name, body in document.bodies.items():
            with self.gather():
                self.body(name, body)
        for name, joint in document.joints.items():
            with self.gather():
                self.joint(name, joint)
        for name, wrench in document.wrenches.items():
            with self.gather():
                self.model.wrench(name, wrench.at, wrench.frame)
        if self.mistakes:
            raise combine(self.mistakes, FormatError)
        self.model.shapes, self.model.layout = document.shapes, document.layout
        return self.model

    @contextmanager
    def gather(self) -> Iterator[None]:
        """Keep a mistake and go on."""
        try:
            yield
        except KinetreeError as mistake:
            self.mistakes.append(mistake)

    def body(self, name: str, data: BodyData) -> None:
        """Add one body with its points."""
        path = f"bodies.{name}"
        body = self.model.body(
            name,
            self.scalar(f"{name}.mass", data.mass, f"{path}.mass"),
            self.scalars(f"{name}.com", data.com, f"{path}.com"),
            self.scalars(f"{name}.inertia", data.inertia, f"{path}.inertia", INERTIA_ENDS),
            physical=data.physical,
        )
        self.points(body, data.points, path)

    def points(self, body: Body, points: dict[str, PointData], path: str) -> None:
        """Add the points of a body."""
        for name, data in points.items():
            with self.gather():
                self.point(body, name, data, f"{path}.points.{name}")

    def point(self, body: Body, name: str, data: PointData, path: str) -> None:
        """Add one point; its frame by a matrix or by angles."""
        if data.rotation is not None and data.rpy is not None:
            raise FormatError("it has both rotation and rpy", element=path, cure="keep one of them")
        position = self.scalars(f"{body.name}.{name}", data.position, path)
        body.point(name, position, rotation_rpy(*data.rpy) if data.rpy else data.rotation)

    def joint(self, name: str, data: JointSection) -> None:
        """Add one joint."""
        given = data.model_dump(exclude_none=True, exclude_unset=True)
        kind = given["kind"]
        extra = {field: given[field] for field in DATA_FIELDS if field in given}
        if data.mimic is not None:
            extra["mimic"] = (data.mimic.joint, data.mimic.ratio, data.mimic.offset)
        arguments = {f: v for f, v in given.items() if f not in (*DATA_FIELDS, *PLACE_FIELDS)}
        if "pitch" in arguments:
            path = f"joints.{name}.pitch"
            arguments["pitch"] = self.scalar(f"{name}.pitch", arguments["pitch"], path)
        self.model.joint(kind, name, data.parent, data.child, arguments, **extra)

    def scalars(
        self, stem: str, values: Sequence[Any], path: str, ends: Sequence[str] = "xyz"
    ) -> list[Scalar]:
        """Scalars called stem_x, stem_y, …; a mistake in one does not hide those in others."""
        return [
            self.scalar(f"{stem}_{end}", value, f"{path}[{k}]")
            for k, (end, value) in enumerate(zip(ends, values, strict=False))
        ]

    def scalar(self, name: str, value: Any, path: str) -> Scalar:
        """A number as it is, an expression as its Node; its text is kept for saving."""
        if not isinstance(value, str):
            number: Scalar = value
            return number
        names = {row.name: row.symbol for row in self.model.parameters.values()}
        try:
            node = parse(value, names, path)
        except KinetreeError as mistake:
            self.mistakes.append(mistake)
            return 0
        self.model.sources[name] = value
        return node
