"""A model as plain data, and the hash of its content.

The data are those of the model file; the hash leaves out pictures (shapes, layout).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kinetree.engine import Node, as_node, text
from kinetree.errors import ModelError
from kinetree.model.events import own_states
from kinetree.model.forces import FORCES
from kinetree.model.kinds import ANY
from kinetree.model.parts import Joint, Shift, Turn, Twist
from kinetree.model.unchanged import while_unchanged
from kinetree.model.values import IDENTITY, LOOP_TOLERANCE, Speller, plain
from kinetree.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kinetree.algebra import Transform
    from kinetree.model.closures import Closure, Condition, Drive
    from kinetree.model.events import Event
    from kinetree.model.forces import Force, State
    from kinetree.model.mechanism import Mechanism
    from kinetree.model.parts import Body, CoordinateGroup, Motion, Parameter, Point
    from kinetree.model.values import Scalar


def to_data(model: Mechanism) -> dict[str, Any]:
    """The model as nested dicts, lists, strings and numbers, in model order.

    Scalars given by an expression appear as its text, the one of the file when it came from there.
    Fields at their default are left out.
    """
    spell = Speller(model.sources, as_written=True)
    data = _to_data(model, spell)
    if model.outputs:
        data["outputs"] = {row.name: row.data(spell.one) for row in model.outputs.values()}
    if model.varied:
        data["vary"] = list(model.varied)
    tables = _tables(model, spell)
    if not tables:
        return data
    at = 1 + list(data).index("parameters" if "parameters" in data else "gravity")
    rows = list(data.items())
    return dict([*rows[:at], ("tables", tables), *rows[at:]])


def _tables(model: Mechanism, spell: Speller) -> dict[str, Any]:
    """Tables that were added by name, then others that laws look up."""
    found = dict(model.tables)
    for table in spell.tables.values():
        if _rows(found.setdefault(table.name, table)) != _rows(table):
            raise ModelError(
                "two tables have this name",
                element=f"table '{table.name}'",
                cure="give every table a name of its own",
            )
    return {name: table_data(table) for name, table in found.items()}


def table_data(table: Table) -> dict[str, Any]:
    """One table without its name; slopes only where they are not those of its values."""
    rows = dict(zip(("knots", "values", "slopes"), _rows(table), strict=True))
    if Table.monotone(table.knots, table.values).slopes == table.slopes:
        del rows["slopes"]
    return {key: [plain(x) for x in row] for key, row in rows.items()}


def _rows(table: Table) -> tuple[tuple[float, ...], ...]:
    """The content of a table."""
    return table.knots, table.values, table.slopes


def _to_data(model: Mechanism, spell: Speller) -> dict[str, Any]:
    data: dict[str, Any] = {"name": model.name, "gravity": spell.all("gravity", model.gravity)}
    if model.loop_tolerance != LOOP_TOLERANCE:
        data["loop_tolerance"] = model.loop_tolerance
    if model.parameters:
        data["parameters"] = {row.name: _parameter(row, spell) for row in model.parameters.values()}
    if model.ground.points:
        data["ground"] = {"points": _points(model.ground, spell)}
    data["bodies"] = {body.name: _body(body, spell) for body in model.bodies.values()}
    data["joints"] = {joint.name: _joint(joint, spell) for joint in model.joints.values()}
    if model.wrenches:
        data["wrenches"] = {
            row.name: {"at": row.point.path, "frame": row.frame} for row in model.wrenches.values()
        }
    if model.closures:
        data["closures"] = {row.name: _closure(row, spell) for row in model.closures.values()}
    if model.drives:
        data["drives"] = {row.coordinate: _drive(row, spell) for row in model.drives.values()}
    sections: dict[str, dict[str, Any]] = {
        "states": {row.name: _state(row, spell) for row in own_states(model)},
        "clocks": {row.name: row.data() for row in model.clocks.values()},
        "forces": {row.name: _force(row, spell) for row in model.forces.values()},
        "events": {name: _event(name, row, spell) for name, row in model.events.items()},
    }
    return data | {name: rows for name, rows in sections.items() if rows}


def _parameter(row: Parameter, spell: Speller) -> dict[str, Any]:
    """One named parameter without its name."""
    value, unit = spell.quantity(row.value, row.unit, row.written)
    return {"value": plain(value), **({"unit": unit} if unit else {})}


@while_unchanged
def content_hash(model: Mechanism) -> str:
    """SHA-256 of the canonical JSON of the mechanics, in hexadecimal.

    Equal mechanisms have equal hashes however they were written: expressions enter in the engine's
    normal form, joints by their motions, closures by their conditions, tables by their content.
    """
    spell = Speller({})
    data = _exact(_to_data(model, spell))
    for joint in model.joints.values():
        row = data["joints"][joint.name]
        for name in _arguments(joint):
            del row[name]
        row["motions"] = _exact([_motion(joint, motion, spell) for motion in joint.motions])
    for closure in model.closures.values():
        row = data["closures"][closure.name]
        for name in row.keys() & closure.arguments.keys() - closure.scalars.keys():
            del row[name]
        row["conditions"] = _exact([_condition(c) for c in closure.conditions])
    if spell.tables:
        data["tables"] = sorted((t.name, _rows(t)) for t in spell.tables.values())
    own = "" if model.equations is None else model.equations.digest
    found = _sha256(json.dumps(data, separators=(",", ":"), ensure_ascii=True) + own)
    placed = model.as_frames().matrices.items() if model.by_matrices else ()
    rows = [f"{name}:{','.join(text(x) for x in elements(T))}" for name, T in placed]
    return _sha256("\n".join([found, *rows])) if model.by_matrices else found


@while_unchanged
def derivation_hash(model: Mechanism) -> str:
    """SHA-256 of all that equations are derived from.

    Beside the mechanics these are the laws of outputs, which events may hear, and what may vary.
    """
    if not (model.outputs or model.varied):
        return content_hash(model)
    spell = Speller({})
    told = {row.name: row.data(spell.one) for row in model.outputs.values()}
    tables = sorted((t.name, _rows(t)) for t in spell.tables.values())
    rest = _exact([told, tables, sorted(model.varied)])
    return _sha256(content_hash(model) + json.dumps(rest, separators=(",", ":")))


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def elements(T: Transform) -> list[Node]:
    """The twelve elements of a matrix that are not constant: R row by row, then p."""
    return [as_node(x) for x in (*(x for row in T.R.rows for x in row), *T.p)]


def _exact(value: Any) -> Any:
    """The same data with every number as a float, so that 1 and 1.0 have one hash."""
    if isinstance(value, dict):
        return {key: _exact(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_exact(entry) for entry in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _body(body: Body, spell: Speller) -> dict[str, Any]:
    """One body without its name."""
    data: dict[str, Any] = {}
    if not _is_zero((body.mass,)):
        data["mass"] = spell.one(f"{body.name}.mass", body.mass)
    if not _is_zero(body.com):
        data["com"] = spell.all(f"{body.name}.com", body.com)
    if not _is_zero(body.inertia):
        ends = ("xx", "yy", "zz", "xy", "xz", "yz")
        entries = spell.all(f"{body.name}.inertia", body.inertia, ends)
        data["inertia"] = entries[:3] if _is_zero(body.inertia[3:]) else entries
    if not body.physical:
        data["physical"] = False
    if body.points:
        data["points"] = _points(body, spell)
    return data


def _is_zero(values: Iterable[Scalar]) -> bool:
    return all(not isinstance(value, Node) and value == 0 for value in values)


def _points(body: Body, spell: Speller) -> dict[str, Any]:
    """The points of a body; a bare list of three when the frame is parallel."""
    return {point.name: _point(point, spell) for point in body.points.values()}


def _point(point: Point, spell: Speller) -> Any:
    position = spell.all(point.path, point.position)
    if point.rotation == IDENTITY:
        return position
    return {"position": position, "rotation": [[plain(e) for e in row] for row in point.rotation]}


def _joint(joint: CoordinateGroup, spell: Speller) -> dict[str, Any]:
    """One joint without its name; coordinates of position matrices join nothing."""
    data: dict[str, Any] = {"kind": "coordinate", "parent": "ground", "child": "ground"}
    if isinstance(joint, Joint):
        data = {"kind": joint.kind, "parent": joint.parent.path, "child": joint.child.path}
    for name, value in _arguments(joint).items():
        data[name] = _argument(f"{joint.name}.{name}", value, spell)
    if joint.limits:
        given = asdict(joint.limits).items()
        data["limits"] = {name: plain(v) for name, v in given if v is not None}
    if joint.mimic:
        data["mimic"] = {
            key: v if isinstance(v, str) else plain(v) for key, v in asdict(joint.mimic).items()
        }
    if joint.initial:
        rows = enumerate(zip(joint.initial, joint.q_units, strict=True), 1)
        data["initial"] = [spell.start(f"{joint.name}.initial_{k}", *row) for k, row in rows]
    if isinstance(joint, Joint) and joint.renamed:
        data["coordinates"] = list(joint.coordinates)
    for name, number in (("damping", joint.damping), ("friction", joint.friction)):
        if number:
            data[name] = plain(number)
    if not _is_zero(joint.armature):
        data["armature"] = _armature(joint, spell)
    return data


def _arguments(joint: CoordinateGroup) -> Mapping[str, Any]:
    return joint.arguments if isinstance(joint, Joint) else {}


def _armature(joint: CoordinateGroup, spell: Speller) -> Any:
    """Rotor inertias: one scalar where all are the same, else one per velocity."""
    first, *others = joint.armature
    if all(x is first or x == first for x in others):
        return spell.one(f"{joint.name}.armature", first)
    return [spell.one(name, value) for name, value, _ in joint.armatures]


def _motion(joint: CoordinateGroup, motion: Motion, spell: Speller) -> list[Any]:
    """A motion as its name and its numbers."""
    row: list[Any] = [type(motion).__name__]
    if isinstance(motion, Turn | Shift | Twist):
        row.append(list(motion.axis))
    if isinstance(motion, Twist):
        row.append(spell.one(f"{joint.name}.pitch", motion.pitch))
    return row


def _closure(closure: Closure, spell: Speller) -> dict[str, Any]:
    """One closure without its name."""
    data: dict[str, Any] = {"kind": closure.kind}
    data |= dict(zip(("first", "second"), (end.path for end in closure.ends), strict=False))
    for name, value in closure.arguments.items():
        if isinstance(value, tuple) and value and isinstance(value[0], Node):
            laws = [spell.one(f"{closure.name}.{name}_{k}", x) for k, x in enumerate(value, 1)]
            data[name] = laws[0] if len(laws) == 1 else laws
        elif value is not None:
            data[name] = _argument(f"{closure.name}.{name}", value, spell)
    return data


def _drive(drive: Drive, spell: Speller) -> dict[str, Any]:
    """One drive without the name of its coordinate."""
    return {} if drive.law is None else {"law": spell.one(f"{drive.coordinate}.drive", drive.law)}


def _state(state: State, spell: Speller) -> dict[str, Any]:
    """One state without its name."""
    initial, unit = spell.quantity(state.initial, state.unit, state.written)
    known = not math.isnan(state.initial)
    data: dict[str, Any] = {"initial": plain(initial) if known else None} if initial else {}
    rate = None if state.held else state.rate
    laws = {"rate": rate, "sampled": state.sampled, "remembered": state.remembered}
    told = {key: law for key, law in laws.items() if law is not None}
    if state.clock:
        data["clock"] = state.clock
    elif state.held and not told:
        data["held"] = True
    data |= {key: spell.one(f"{state.name}.{key}", law) for key, law in told.items()}
    if unit:
        data["unit"] = unit
    return data


def _event(name: str, event: Event, spell: Speller) -> dict[str, Any]:
    """One event without its name; what is at its default is left out."""
    data: dict[str, Any] = {}
    if isinstance(event.when, Node):
        data |= {"when": spell.one(f"{name}.when", event.when)}
        data |= {} if event.direction == "rising" else {"direction": event.direction}
    if event.every is not None:
        data |= {"every": plain(event.every)}
        data |= {"offset": plain(event.offset)} if event.offset else {}
    if event.at:
        data["at"] = [plain(t) for t in event.at]
    if event.stops:
        data["stops"] = True
    if event.then:
        data["then"] = {key: spell.one(f"{name}.{key}", law) for key, law in event.then.items()}
    return data


def _force(force: Force, spell: Speller) -> dict[str, Any]:
    """One force without its name; arguments at their defaults are left out."""
    row = FORCES[force.kind]
    paths = dict(zip(force.labels, (point.path for point in force.points), strict=True))
    data: dict[str, Any] = {"kind": force.kind}
    data |= {"points": paths} if row.places == ANY else paths
    for key, value in force.arguments.items():
        if value is None or _equal(value, row.options[key]):
            continue
        name = f"{force.name}.{key}"
        if key in row.vectors:
            data[key] = spell.all(name, value)
        elif key in row.laws:
            data[key] = spell.one(name, value[0])
        elif key in row.vector_laws:
            data[key] = _vector_law(name, value, spell)
        else:
            data[key] = _argument(name, value, spell)
    return data


def _equal(value: Any, default: Any) -> bool:
    """Whether an argument is at its default; expressions never are."""
    if isinstance(value, Node) or not isinstance(default, int | float | str | tuple | dict):
        return False
    if isinstance(value, tuple) and any(isinstance(entry, Node) for entry in value):
        return False
    return bool(value == default)


def _vector_law(name: str, value: Any, spell: Speller) -> Any:
    """Three expressions, or three per label."""
    if isinstance(value, dict):
        return {label: _vector_law(f"{name}.{label}", law, spell) for label, law in value.items()}
    return spell.all(name, value)


def _condition(condition: Condition) -> list[Any]:
    """A condition as its name and what it holds; expressions in normal form."""
    held = [getattr(condition, row.name) for row in fields(condition)]
    plainly = [list(x) if isinstance(x, tuple) else x for x in held]
    return [type(condition).__name__, *(text(x) if isinstance(x, Node) else x for x in plainly)]


def _argument(name: str, value: Any, spell: Speller) -> Any:
    """An argument of a kind: a word, a scalar, a list or a mapping of them."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Node | int | float | Fraction):
        return spell.one(name, value)
    if isinstance(value, Mapping):
        return {key: _argument(f"{name}.{key}", entry, spell) for key, entry in value.items()}
    return [_argument(name, entry, spell) for entry in value]
