"""From a validated document to a Model: every mistake is collected before the first is raised."""

from __future__ import annotations

from collections import ChainMap
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from kinetree.engine import as_node
from kinetree.errors import FormatError, KinetreeError, combine
from kinetree.formats.expression import parse
from kinetree.formats.heard_names import OfferedSoFar
from kinetree.formats.outlines import profile_of
from kinetree.model import (
    ANY,
    CLOSURES,
    FORCES,
    JOINTS,
    Model,
    closure_law_names,
    force_law_names,
    law_symbols,
    output_names,
    rotation_rpy,
    time_symbol,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
    from pathlib import Path

    from kinetree.engine import Node
    from kinetree.formats.schema import (
        BodyData,
        Document,
        EventData,
        OutputData,
        PointData,
        StateData,
        StudyData,
    )
    from kinetree.formats.schema_kinds import ClosureSection, ForceSection, JointSection
    from kinetree.model import Body, ElementKind, Scalar

DATA_FIELDS = ("limits", "mimic", "initial", "coordinates", "damping", "friction", "armature")
PLACE_FIELDS = ("kind", "parent", "child")
MOST_MISTAKES = 100
"""Mistakes after which a file is given up."""
T = TypeVar("T")
INERTIA_ENDS = ("xx", "yy", "zz", "xy", "xz", "yz")


def build(document: Document, folder: Path | None = None) -> Model:
    """The Model that `document` describes; files that it names are below `folder`.

    Raises:
        FormatError: with all mistakes of the file, each naming its element.
    """
    return _Builder(document, folder).run()


class _EnoughError(Exception):
    """So many mistakes that the rest of the file is not looked at."""


class _Builder:
    """One run over a document, gathering mistakes."""

    def __init__(self, document: Document, folder: Path | None) -> None:
        self.document, self.folder = document, folder
        self.mistakes: list[KinetreeError] = []
        self.model = Model("unnamed")
        self.parameters: dict[str, Node] = {}
        self.spelled: dict[tuple[str, ...], dict[str, Node]] = {}

    def run(self) -> Model:
        """Add everything in order: parameters, tables, bodies, joints, what acts on them."""
        with suppress(_EnoughError):
            self.fill()
        if self.mistakes:
            raise combine(self.mistakes, FormatError)
        self.model.shapes, self.model.layout = self.document.shapes, self.document.layout
        rows = self.document.runs
        self.model.runs = {name: row.model_dump(exclude_unset=True) for name, row in rows.items()}
        return self.model

    def fill(self) -> None:
        """Add everything, and keep the mistakes."""
        document = self.document
        with self.gather():
            self.model = Model(document.name)
            self.model.loop_tolerance = document.loop_tolerance
        for name, row in document.parameters.items():
            with self.gather():
                self.parameters[name] = self.model.parameter(name, row.value, row.unit)
        for name, table in document.tables.items():
            with self.gather():
                self.model.table(name, table.knots, table.values, table.slopes)
        x, y, z = self.scalars("gravity", document.gravity, "gravity")
        self.model.gravity = (x, y, z)
        self.points(self.model.ground, document.ground.points, "ground")
        self.each(self.body, document.bodies)
        self.each(self.joint, document.joints)
        for name, wrench in document.wrenches.items():
            with self.gather():
                self.model.wrench(name, wrench.at, wrench.frame)
        self.each(self.closure, document.closures)
        for name, drive in document.drives.items():
            with self.gather():
                self.drive(name, drive.law)
        self.happenings(document)

    def happenings(self, document: Document) -> None:
        """Add clocks, states, forces and events."""
        for name, clock in document.clocks.items():
            with self.gather():
                self.model.clock(name, **clock.model_dump(exclude_unset=True))
        self.states(document.states)
        self.each(self.force, document.forces)
        self.each(self.output, document.outputs)
        self.state_laws(document.states)
        self.each(self.event, document.events)
        with self.gather():
            self.model.vary(*document.vary)
        self.each(self.study, document.studies)

    def study(self, name: str, row: StudyData) -> None:
        """Add a study."""
        rows = row.variables
        self.model.study(
            name, row.duration, {key: own.bounds for key, own in rows.items()}, row.measures,
            minimise=row.minimise, subject_to=row.subject_to, run=row.run,
            units={key: own.unit for key, own in rows.items() if own.unit},
            plan=None if row.plan is None else row.plan.model_dump(),
        )  # fmt: skip

    def each(self, add: Callable[[str, T], None], rows: Mapping[str, T]) -> None:
        """Add elements of one sort, and keep the mistakes."""
        for name, row in rows.items():
            with self.gather():
                add(name, row)

    @contextmanager
    def gather(self) -> Iterator[None]:
        """Keep a mistake and go on, unless there are many."""
        try:
            yield
        except KinetreeError as mistake:
            self.mistakes.append(mistake)
            if len(self.mistakes) >= MOST_MISTAKES:
                raise _EnoughError from None

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
        if "armature" in given:
            extra["armature"] = self.armature(name, given["armature"])
        arguments = {f: v for f, v in given.items() if f not in (*DATA_FIELDS, *PLACE_FIELDS)}
        self.arguments(JOINTS[kind], name, arguments)
        self.model.joint(kind, name, data.parent, data.child, arguments, **extra)

    def armature(self, name: str, given: Sequence[Any]) -> Any:
        """Rotor inertia of a joint: one scalar, or one per velocity."""
        path = f"joints.{name}.armature"
        if len(given) == 1:
            return self.scalar(f"{name}.armature", given[0], path)
        ends = [str(k + 1) for k in range(len(given))]
        return self.scalars(f"{name}.armature", given, path, ends)

    def closure(self, name: str, data: ClosureSection) -> None:
        """Add one closure; its lengths and laws may be expressions."""
        given = data.model_dump(exclude_unset=True)
        row = CLOSURES[given.pop("kind")]
        ends = [given.pop(end) for end in row.labels]
        if row.laws and ("closure", row.name) not in self.spelled:
            self.spelled["closure", row.name] = law_symbols(closure_law_names(self.model, row))
        self.arguments(row, name, given, self.spelled.get(("closure", row.name)))
        self.model.closure(row.name, name, ends, given)

    def arguments(
        self,
        row: ElementKind,
        name: str,
        given: dict[str, Any],
        names: MutableMapping[str, Node] | None = None,
    ) -> None:
        """Put expressions in place of their texts; laws may use `names`."""
        for key, value in given.items():
            stem, path = f"{name}.{key}", f"{row.noun}s.{name}.{key}"
            if value is None:
                continue
            if isinstance(value, dict) and "file" in value:
                given[key] = profile_of(value, self.folder, path)
            elif key in row.scalars:
                given[key] = self.scalar(stem, value, path)
            elif key in row.vectors:
                given[key] = self.scalars(stem, value, path)
            elif key in row.vector_laws:
                given[key] = self.vector_law(stem, value, path, names)
            elif key in row.laws and row.law_size == 1:
                given[key] = self.scalar(stem, value, path, names)
            elif key in row.laws:
                laws = enumerate(value, 1)
                given[key] = [self.scalar(f"{stem}_{k}", law, path, names) for k, law in laws]

    def drive(self, name: str, law: Any) -> None:
        """Add one drive; its law is an expression of t, or none."""
        expr = law
        if law is not None:
            t = time_symbol()
            expr = as_node(self.scalar(f"{name}.drive", law, f"drives.{name}", {t.name: t}))
        self.model.drive(name, expr)

    def states(self, rows: dict[str, StateData]) -> None:
        """Add the states."""
        for name, row in rows.items():
            with self.gather():
                refuse_two_ways(name, row)
                if row.clock is not None:
                    self.model.sample(name, row.clock, None, row.initial, row.unit)
                elif row.held or row.remembered is not None:
                    self.model.mode(name, row.initial, row.unit)
                elif row.initial is not None:
                    self.model.state(name, row.initial, unit=row.unit)
                else:
                    raise FormatError(
                        "it has no initial value",
                        element=f"states.{name}",
                        cure="give a number; held states alone may begin without",
                    )

    def state_laws(self, rows: dict[str, StateData]) -> None:
        """Add the laws of states, which may speak of all states and outputs."""
        names = law_symbols(output_names(self.model)) if rows else {}
        for name, row in rows.items():
            ways = {"rate": self.model.state_rate, "sampled": self.model.sample_law,
                    "remembered": self.model.memory_law}  # fmt: skip
            for field, add in ways.items() if name in self.model.states else ():
                law = getattr(row, field)
                if law is not None:
                    with self.gather():
                        path = f"states.{name}.{field}"
                        add(name, as_node(self.scalar(f"{name}.{field}", law, path, names)))

    def event(self, name: str, data: EventData) -> None:
        """Add one event; its condition and its changes are expressions."""
        path, names = f"events.{name}", law_symbols(output_names(self.model))
        when = None
        if data.when is not None:
            when = as_node(self.scalar(f"{name}.when", data.when, f"{path}.when", names))
        then = {
            key: as_node(self.scalar(f"{name}.{key}", law, f"{path}.then.{key}", names))
            for key, law in data.then.items()
        }
        self.model.event(
            name,
            when,
            then,
            direction=data.direction,
            stops=data.stops,
            every=data.every,
            offset=data.offset,
            at=data.at,
        )

    def output(self, name: str, data: OutputData) -> None:
        """Add one output; its expression may use those before it."""
        what = None
        if data.expression is not None:
            names = law_symbols(output_names(self.model))
            path = f"outputs.{name}.expression"
            what = as_node(self.scalar(f"{name}.output", data.expression, path, names))
        given = data.model_dump(exclude={"expression"}, exclude_unset=True)
        self.model.output(name, what, **given)

    def force(self, name: str, data: ForceSection) -> None:
        """Add one force; its scalars and laws may be expressions."""
        given = data.model_dump(exclude_unset=True)
        row = FORCES[given.pop("kind")]
        named = given.pop("points") if row.places == ANY else {}
        places = named or [given.pop(label) for label in row.labels]
        labels = tuple(named) or row.labels
        key = ("force", row.name, *labels)
        if (row.laws or row.vector_laws) and key not in self.spelled:
            self.spelled[key] = law_symbols(force_law_names(self.model, row, labels))
        own = self.spelled.get(key, {})
        self.arguments(
            row,
            name,
            given,
            ChainMap(own, self.parameters, OfferedSoFar(self.model, name, self.document.forces)),
        )
        self.model.force(row.name, name, places, given)

    def vector_law(
        self, stem: str, value: Any, path: str, names: MutableMapping[str, Node] | None
    ) -> Any:
        """Three expressions, or three per label."""
        if isinstance(value, dict):
            return {
                label: self.vector_law(f"{stem}.{label}", law, f"{path}.{label}", names)
                for label, law in value.items()
            }
        return [
            self.scalar(f"{stem}_{end}", law, f"{path}[{k}]", names)
            for k, (end, law) in enumerate(zip("xyz", value, strict=True))
        ]

    def scalars(
        self, stem: str, values: Sequence[Any], path: str, ends: Sequence[str] = "xyz"
    ) -> list[Scalar]:
        """Scalars called stem_x, stem_y, …; a mistake in one does not hide those in others."""
        return [
            self.scalar(f"{stem}_{end}", value, f"{path}[{k}]")
            for k, (end, value) in enumerate(zip(ends, values, strict=False))
        ]

    def scalar(
        self, name: str, value: Any, path: str, more: MutableMapping[str, Node] | None = None
    ) -> Scalar:
        """A number as it is, an expression as its Node; its text is kept for saving.

        Args:
            name: under which its text is kept.
            value: number or text.
            path: of the value in the file.
            more: names that the expression may use besides the parameters.
        """
        if not isinstance(value, str):
            number: Scalar = value
            return number
        names = ChainMap(more, self.parameters) if more else self.parameters
        try:
            node = parse(value, names, path, self.model.tables)
        except KinetreeError as mistake:
            self.mistakes.append(mistake)
            return 0
        self.model.sources[name] = (value, node)
        return node


def refuse_two_ways(name: str, row: StateData) -> None:
    """Refuse a state that changes in two ways, or is sampled without a clock."""
    element = f"states.{name}"
    ways = {"rate": row.rate, "held": row.held or None, "clock": row.clock,
            "remembered": row.remembered}  # fmt: skip
    given = [word for word, value in ways.items() if value is not None]
    if len(given) > 1:
        raise FormatError(f"it has {' and '.join(given)}", element=element, cure="keep one of them")
    if (row.sampled is None) != (row.clock is None):
        raise FormatError(
            "clock and sampled belong together", element=element, cure="give both, or none"
        )
