"""ROBOTRAN's model files (.mbs of MBsysPad, root element mbsDescR7).

| in the file | here |
|---|---|
| body with joints T1 … R3 in a row | body behind a joint of kind sequence, named coordinates |
| point, base point | point |
| cut: ball, rod, solid | closure of that kind |
| link | force of kind link, whose law is user_LinkForces |
| extforce of a point | force of kind external, whose force is user_ExtForces |
| nature driven | drive, whose law is user_DrivenJoints |
| user_model: values of type state | user states, whose rates are user_Derivative |
| user_model: other numbers | parameters MODEL_NAME, several MODEL_NAME_1, … |
| initialvalue q | initial coordinate; velocities are kept in the layout |
| positions in the diagram, natures | layout, which equations do not use |

What user functions say is not in the file.  `laws` gives it by name of the element; until then
forces are zero, states constant, and driven coordinates keep their initial values.

Inertias are taken as they are: moments about the axes that count alone are common in such files.

Left out: shapes, lights and views; sensors, because every point has its outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from xml.etree.ElementTree import Element

from kinetree.errors import FormatError, KinetreeError, combine, unknown, warn
from kinetree.formats.urdf_xml import number, parse_xml
from kinetree.model import Body, Model, Point

ROOT = "mbsDescR7"
STEPS = ("T1", "T2", "T3", "R1", "R2", "R3")
NATURES = ("independent", "dependent", "driven", "forced", "unconstrained")
MOMENTS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
BASE = "base"
"""How places name the ground, whatever its name in the diagram."""
ORIGIN = "origin"
"""How a place names the origin of its body."""
ZEROS = (0.0, 0.0, 0.0)


def read(source: bytes, where: str = "the file", laws: Mapping[str, Any] | None = None) -> Model:
    """The Model of an .mbs file.

    Args:
        source: content of the file.
        where: how sentences call it.
        laws: what user functions say, by name of the link, external force, driven joint or state.

    Raises:
        FormatError: with all mistakes of the file, each naming its element.
    """
    root = parse_xml(source, where)
    if root.tag != ROOT:
        raise FormatError(
            f"its root element is <{root.tag}>",
            element=where,
            cure=f"give a file of MBsysPad, whose root is <{ROOT}>",
        )
    return _MbsReader(root, where, dict(laws or {})).run()


def text_of(element: Element, path: str, default: str = "") -> str:
    """The text of a descendant, without blanks around it."""
    return (element.findtext(path) or default).strip()


class _MbsReader:
    """One run over a file, gathering mistakes."""

    def __init__(self, root: Element, where: str, laws: dict[str, Any]) -> None:
        self.root, self.where, self.laws = root, where, laws
        self.mistakes: list[KinetreeError] = []
        self.open: dict[str, list[str]] = {}
        self.asked: set[str] = set()
        self.layout: dict[str, dict[str, Any]] = {}
        self.base = text_of(root, "base/baseBodyName", BASE)
        name = text_of(root, "mbsname", "model")
        gravity = self.vector(root.find("base/gravity"), f"{where} gravity")
        self.model = Model(name, gravity=gravity)

    def run(self) -> Model:
        """The Model; bodies and points first, because places may name later ones."""
        bodies = self.root.findall("bodytree/body")
        for element in bodies:
            with self.gather():
                self.body(element)
        for point in self.root.findall("base/point"):
            with self.gather():
                self.point(self.model.ground, point)
        for element in bodies if not self.mistakes else ():
            with self.gather():
                self.joint(element)
        if not self.mistakes:
            self.user_values()
            self.ties(bodies)
        self.refuse_unused()
        if self.mistakes:
            raise combine(self.mistakes, FormatError)
        self.model.layout = self.layout or None
        self.tell()
        return self.model

    @contextmanager
    def gather(self) -> Iterator[None]:
        """Keep a mistake and go on."""
        try:
            yield
        except KinetreeError as error:
            self.mistakes.append(error)

    def law(self, name: str, function: str, default: Any) -> Any:
        """What a user function says of an element; without it a default, which is told."""
        self.asked.add(name)
        if name not in self.laws:
            self.open.setdefault(function, []).append(name)
        return self.laws.get(name, default)

    def refuse_unused(self) -> None:
        """Refuse laws of names that no user function speaks of."""
        for name in self.laws:
            if name not in self.asked and not self.mistakes:
                self.mistakes.append(
                    unknown("element with a user function", name, self.asked, "laws")
                )

    def tell(self) -> None:
        """Warn of user functions that are not there."""
        if self.open:
            parts = (f"{function} ({', '.join(names)})" for function, names in self.open.items())
            warn(
                f"{self.where}: user functions are not in it, so {'; '.join(parts)} are zero or "
                "constant; give laws= by these names.",
            )

    # --- elements --------------------------------------------------------------------------------

    def vector(self, element: Element | None, where: str) -> tuple[float, float, float]:
        """Coordinates x, y, z; zero where there are none."""
        if element is None:
            return ZEROS
        x, y, z = (number(text_of(element, f"coordinates/{a}", "0"), f"{where} {a}") for a in "xyz")
        return x, y, z

    def body(self, element: Element) -> None:
        """A body with its mass properties and points."""
        name = text_of(element, "bodyname")
        where = f"body '{name}'"
        moments = [number(text_of(element, f"inertia/{m}", "0"), f"{where} {m}") for m in MOMENTS]
        mass = number(text_of(element, "mass", "0"), f"{where} mass")
        com = self.vector(element.find("com"), where)
        made = self.model.body(name, mass, com, moments, physical=False)
        self.draw("bodies", name, element)
        for point in element.findall("point"):
            self.point(made, point)

    def point(self, body: Body, element: Element) -> None:
        """A point of a body."""
        name = text_of(element, "pointname")
        body.point(name, self.vector(element, f"point '{body.name}.{name}'"))
        self.draw("points", f"{body.name}.{name}", element)

    def place(self, element: Element | None, where: str) -> Body | Point:
        """The body or point that an element names."""
        if element is None:
            raise FormatError("a place is missing", element=where, cure="give body and point")
        name, at = text_of(element, "bodyname"), text_of(element, "pointname", ORIGIN)
        bodies = {BASE: self.model.ground, self.base: self.model.ground, **self.model.bodies}
        if name not in bodies:
            raise unknown("body", name, bodies, where)
        if at == ORIGIN and at not in bodies[name].points:
            return bodies[name]
        if at not in bodies[name].points:
            raise unknown("point", at, (ORIGIN, *bodies[name].points), f"{where} body '{name}'")
        return bodies[name].points[at]

    def joint(self, element: Element) -> None:
        """The joints in a row that carry a body; none weld it."""
        name, rows = text_of(element, "bodyname"), element.findall("joint")
        body, names = self.model.bodies[name], [text_of(row, "jointname") for row in rows]
        parent = self.place(element.find("parent"), f"body '{name}' parent")
        own = names[0] if len(names) == 1 else f"to_{name}"
        if not rows:
            self.model.fixed(own, parent, body)
            return
        where = [f"joint '{joint}'" for joint in names]
        steps = [self.word(row, "type", STEPS, w) for row, w in zip(rows, where, strict=True)]
        start = [
            number(text_of(row, "initialvalue/q", "0"), f"{w} initial value")
            for row, w in zip(rows, where, strict=True)
        ]
        self.model.sequence(own, parent, body, steps, coordinates=names, initial=start)
        for joint, row, q in zip(names, rows, start, strict=True):
            self.nature(joint, row, q)

    def nature(self, name: str, element: Element, q: float) -> None:
        """Whether a coordinate is driven; what the file says of it besides."""
        nature = self.word(element, "nature", NATURES, f"joint '{name}'", NATURES[0])
        self.layout.setdefault("natures", {})[name] = nature
        speed = text_of(element, "initialvalue/qd")
        if speed:
            value = number(speed, f"joint '{name}' initial velocity")
            self.layout.setdefault("velocities", {})[name] = value
        self.draw("joints", name, element)
        if nature == "driven":
            self.model.drive(name, self.law(name, "user_DrivenJoints", q))

    def word(
        self, element: Element, tag: str, known: tuple[str, ...], where: str, default: str = ""
    ) -> str:
        """One of the known words."""
        found = text_of(element, tag, default)
        if found not in known:
            raise unknown(tag, found, known, where)
        return found

    def ties(self, bodies: list[Element]) -> None:
        """Cuts, links and external forces."""
        for cut in self.root.findall("cuts/*"):
            with self.gather():
                self.cut(cut)
        for link in self.root.findall("links/link"):
            with self.gather():
                name, ends = text_of(link, "name"), self.ends(link, "link")
                self.model.link(name, *ends, self.law(name, "user_LinkForces", 0))
        for element in bodies:
            for point in element.findall("point"):
                for force in point.findall("extforce"):
                    with self.gather():
                        self.external(text_of(element, "bodyname"), point, force)

    def ends(self, element: Element, what: str) -> tuple[Body | Point, Body | Point]:
        """The two places of a cut or link."""
        where = f"{what} '{text_of(element, 'name')}'"
        first, second = (
            self.place(element.find(f"endpoint{k}"), f"{where} endpoint{k}") for k in (1, 2)
        )
        return first, second

    def cut(self, element: Element) -> None:
        """A cut as the closure of its kind."""
        name, kind = text_of(element, "name"), element.tag
        ends = self.ends(element, "cut")
        if kind == "ball":
            self.model.close_ball(name, *ends)
        elif kind == "solid":
            self.model.close_solid(name, *ends)
        elif kind == "rod":
            length = number(text_of(element, "length"), f"cut '{name}' length")
            self.model.close_rod(name, *ends, length)
        else:
            raise unknown("kind of cut", kind, ("ball", "rod", "solid"), f"cut '{name}'")

    def external(self, body: str, point: Element, element: Element) -> None:
        """A force on a point that a user function gives."""
        at = self.model.bodies[body].points[text_of(point, "pointname")]
        name = element.get("name") or f"{body}_{at.name}"
        self.model.external(name, at, self.law(name, "user_ExtForces", ZEROS))

    def user_values(self) -> None:
        """Values of user models: states, and parameters."""
        for owner in self.root.findall("user_models/user_model"):
            for row in owner.findall("parameter"):
                stem = f"{text_of(owner, 'name')}_{text_of(row, 'name')}"
                texts = [(value.text or "").strip() for value in row.findall("value")]
                with self.gather():
                    self.values(re.sub(r"\W", "_", stem), text_of(row, "type"), texts)

    def values(self, stem: str, kind: str, texts: list[str]) -> None:
        """One value of a user model, or several."""
        try:
            numbers = [number(text, stem) for text in texts]
        except FormatError:  # a name or a file, which equations do not use
            self.layout.setdefault("user values", {})[stem] = texts
            return
        names = [stem] if len(numbers) == 1 else [f"{stem}_{k}" for k in range(1, len(numbers) + 1)]
        for name, value in zip(names, numbers, strict=True):
            if kind == "state":
                self.model.state(name, value, self.law(name, "user_Derivative", 0))
            else:
                self.model.parameter(name, value)

    def draw(self, what: str, name: str, element: Element) -> None:
        """Keep where an element stands in the diagram."""
        place = element.find("graphics/x2D/position")
        if place is not None:
            where = f"{what} '{name}' position"
            xy = [number(text_of(place, a, "0"), f"{where} {a}") for a in "xy"]
            self.layout.setdefault(what, {})[name] = xy
