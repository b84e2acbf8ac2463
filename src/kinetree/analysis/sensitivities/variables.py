"""What may vary: parameters, start values, constant loads and the duration, by name.

| name | what |
|---|---|
| as in the model | a parameter; exact zeros and ones are kept open |
| q0.NAME, qd0.NAME, x0.NAME | the start value of a coordinate, a velocity, a user state |
| tau.NAME | a constant effort along a velocity |
| WRENCH.tx … WRENCH.fz | a component of a constant external wrench |
| method.rho_inf, method.delta_f, method.xi | the parameter of a method of equal steps |
| duration | the length of the run |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kinetree.analysis.given.batches import RunGiven
from kinetree.engine import Node
from kinetree.errors import DuplicateNameError, ModelError, UnsupportedError, unknown
from kinetree.model import Mechanism
from kinetree.model.parameters import scalars
from kinetree.program import Program
from kinetree.results.dataset import PARTS
from kinetree.steppers.families import FAMILIES

DURATION = "duration"
METHOD = "method"
BASICS = tuple(row.basic.name for row in FAMILIES.values() if row.basic is not None)
"""Names of the parameters of methods of equal steps."""
PART_UNITS = ("N.m",) * 3 + ("N",) * 3
"""Units of the components of a wrench."""
START = {"q0": "q", "qd0": "qd", "x0": "x"}
"""Start of a name -> what it is a value of."""


@dataclass(frozen=True)
class DesignVariable:
    """One scalar that may vary.

    Attributes:
        name: whole name.
        kind: "parameter", "q", "qd", "x" (start values), "tau", "wrench", "method" or "duration".
        label: of the scalar in its kind: a parameter, coordinate, velocity, state or wrench.
        part: number of the component of a wrench.
    """

    name: str
    kind: str
    label: str
    part: int = 0

    @property
    def starts(self) -> bool:
        """Whether it is a start value."""
        return self.kind in START.values()

    def symbol(self, forward: Program) -> Node | None:
        """What stands for it in forward dynamics; none where these do not depend on it."""
        name = {"parameter": "p", "tau": "tau", "wrench": self.label, METHOD: self.label}.get(
            self.kind
        )
        if name is None or not forward.takes(name):
            return None
        row = forward.input(name)
        if self.kind == "wrench":
            return row.symbols[self.part]
        return row.symbols[row.labels.index(self.label)] if self.label in row.labels else None


def read_variables(
    model: Mechanism, by: Sequence[str], element: str = "by"
) -> tuple[DesignVariable, ...]:
    """The scalars of those names; unknown ones are refused with the nearest known.

    Args:
        model: the mechanism.
        by: names.
        element: what gives them, as the user calls it.
    """
    names = dict.fromkeys([*model.parameters, *(row[0] for row in scalars(model))])
    found = tuple(_variable(model, name, names, element) for name in by)
    for name, count in Counter(row.name for row in found).items():
        if count > 1:
            raise DuplicateNameError(
                f"'{name}' is named twice", element=element, cure="name it once"
            )
    return found


def _variable(
    model: Mechanism, name: str, names: Mapping[str, None], element: str
) -> DesignVariable:
    head, _, tail = name.partition(".")
    known = {"q": model.coordinates, "qd": model.velocities, "x": model.states, "tau":
             model.velocities}  # fmt: skip
    kind = START.get(head, head)
    if (head in START or head == "tau") and tail:
        if tail not in known[kind]:
            listed = [f"{head}.{label}" for label in known[kind]]
            raise unknown("start value" if head in START else "effort", name, listed, element)
        return DesignVariable(name, kind, tail)
    if head == METHOD and tail:
        if tail not in BASICS:
            known_here = [f"{METHOD}.{row}" for row in BASICS]
            raise unknown("parameter of a method", name, known_here, element)
        return DesignVariable(name, METHOD, tail)
    if name == DURATION:
        return DesignVariable(name, name, name)
    if head in model.wrenches and tail in PARTS:
        return DesignVariable(name, "wrench", head, PARTS.index(tail))
    if name not in names:
        starts = [f"{a}.{label}" for a, b in START.items() for label in known[b]]
        raise unknown("parameter or start value", name, [*names, *starts, DURATION], element)
    return DesignVariable(name, "parameter", name)


def open_parameters(model: Mechanism, variables: Sequence[DesignVariable]) -> Mechanism:
    """The model in which all parameters that vary are open, whatever their values are."""
    return model.with_varied([row.label for row in variables if row.kind == "parameter"], "by")


def keep_starts(model: Mechanism, given: RunGiven, variables: Sequence[DesignVariable]) -> RunGiven:
    """What is given, with start values that vary given by name: loops are closed by others."""
    found: dict[str, Any] = {}
    first = dict(zip(model.coordinates, model.initial().tolist(), strict=True))
    for kind, default in (("q", first), ("qd", {}), ("x", {})):
        names = [row.label for row in variables if row.kind == kind]
        value = getattr(given, kind)
        if names and kind != "x" and (value is None or isinstance(value, Mapping)):
            found[kind] = {name: default.get(name, 0.0) for name in names} | dict(value or {})
    return replace(given, **found)


def variable_units(
    model: Mechanism, forward: Program, variables: Sequence[DesignVariable]
) -> list[str]:
    """SI units of what varies, one each; empty where unknown.

    Args:
        model: the mechanism.
        forward: its forward dynamics, whose inputs have units.
        variables: what varies.
    """
    known: dict[tuple[str, str], str] = {
        ("parameter", row[0]): row[2] for row in scalars(model)
    } | {("parameter", row.name): row.unit for row in model.parameters.values()}
    for kind in START.values():
        if forward.takes(kind):
            row = forward.input(kind)
            known |= {(kind, a): u for a, u in zip(row.labels, row.units, strict=False)}
    for name in model.velocities:
        known["tau", name] = "N.m" if known.get(("qd", name), "").startswith("rad") else "N"
    known[DURATION, DURATION] = "s"
    known |= {(METHOD, name): "1" for name in BASICS}
    return [
        PART_UNITS[row.part] if row.kind == "wrench" else known.get((row.kind, row.label), "")
        for row in variables
    ]


def refuse_functions(given: RunGiven) -> None:
    """Refuse efforts that Python functions give: nobody knows their slopes."""
    wrenches = given.wrenches or {}
    tau = given.tau if isinstance(given.tau, Mapping) else {"tau": given.tau}
    for name, value in {**tau, **wrenches}.items():
        if callable(value):
            raise UnsupportedError(
                "a Python function gives it, whose slopes are not known",
                element=f"effort '{name}'",
                cure="add a force with this law to the model",
            )


def enter_values(
    variables: Sequence[DesignVariable], values: Mapping[str, float], run: Mapping[str, Any]
) -> dict[str, Any]:
    """Options of a run with values of what varies in their places.

    Args:
        variables: what varies.
        values: by name, in SI units.
        run: options: duration, q, qd, x, tau, wrenches, parameters, …
    """
    given = dict(run)
    for row in variables:
        value = values[row.name]
        if row.kind in (DURATION, METHOD):
            given[row.label] = value
        elif row.kind == "wrench":
            old = given.get("wrenches") or {}
            six = list(old.get(row.label, (0.0,) * 6))
            six[row.part] = value
            given["wrenches"] = {**old, row.label: six}
        else:
            key = "parameters" if row.kind == "parameter" else row.kind
            given[key] = {**_by_name(key, given.get(key), row.label), row.label: value}
    return given


def _by_name(key: str, old: Any, name: str) -> Mapping[str, float]:
    """Values by name; an array, in which one of them varies, is refused."""
    if old is not None and not isinstance(old, Mapping):
        raise ModelError(
            f"'{name}' varies, but the values are not given by name",
            element=key,
            cure=f"give {key} as a mapping by name",
        )
    found: Mapping[str, float] = old or {}
    return found
