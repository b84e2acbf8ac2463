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
from kinetree.model.parameters import scalar_units
from kinetree.model.unchanged import while_unchanged
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
STARTS = frozenset(START.values())
WORDS = {"tau": "effort", METHOD: "parameter of a method"}
"""Start of a name -> what it is called, where it is no start value."""


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
        return self.kind in STARTS


def symbols_of(program: Program, variables: Sequence[DesignVariable]) -> list[Node | None]:
    """What stands for variables in forward dynamics; none where these do not depend on one."""
    inputs = {row.name: row for row in program.inputs}
    known = {
        (row.name, label): own
        for row in program.inputs
        for label, own in zip(row.labels, row.symbols, strict=False)
    }
    found = []
    for row in variables:
        name = {"parameter": "p", "wrench": row.label, METHOD: row.label}.get(row.kind, row.kind)
        if row.kind == "wrench":
            found.append(inputs[name].symbols[row.part] if name in inputs else None)
        else:
            found.append(None if row.starts else known.get((name, row.label)))
    return found


def read_variables(
    model: Mechanism, by: Sequence[str], element: str = "by"
) -> tuple[DesignVariable, ...]:
    """The scalars of those names; unknown ones are refused with the nearest known.

    Args:
        model: the mechanism.
        by: names.
        element: what gives them, as the user calls it.
    """
    return _read(model, tuple(by), element)


@while_unchanged
def _read(model: Mechanism, by: tuple[str, ...], element: str) -> tuple[DesignVariable, ...]:
    """The scalars of those names."""
    names = _Names(model, element)
    found = tuple(names.find(name) for name in by)
    for name, count in Counter(row.name for row in found).items():
        if count > 1:
            raise DuplicateNameError(
                f"'{name}' is named twice", element=element, cure="name it once"
            )
    return found


class _Names:
    """The names of what may vary in a model."""

    def __init__(self, model: Mechanism, element: str) -> None:
        self.element, self.wrenches = element, model.wrenches
        self.parameters = scalar_units(model)
        q, qd, x = list(model.coordinates), list(model.velocities), list(model.states)
        self.known = {"q": q, "qd": qd, "x": x, "tau": qd, METHOD: BASICS}

    def find(self, name: str) -> DesignVariable:
        """What a name stands for."""
        head, _, tail = name.partition(".")
        kind = START.get(head, head)
        if (head in START or head in ("tau", METHOD)) and tail:
            if tail not in self.known[kind]:
                listed = [f"{head}.{label}" for label in self.known[kind]]
                raise unknown(WORDS.get(head, "start value"), name, listed, self.element)
            return DesignVariable(name, kind, tail)
        if name == DURATION:
            return DesignVariable(name, name, name)
        if head in self.wrenches and tail in PARTS:
            return DesignVariable(name, "wrench", head, PARTS.index(tail))
        if name not in self.parameters:
            starts = [f"{a}.{label}" for a, b in START.items() for label in self.known[b]]
            listed = [*self.parameters, *starts, DURATION]
            raise unknown("parameter or start value", name, listed, self.element)
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
    known: dict[tuple[str, str], str] = {}
    for kind in START.values():
        if forward.takes(kind):
            row = forward.input(kind)
            known |= {(kind, a): u for a, u in zip(row.labels, row.units, strict=False)}
    for name in model.velocities:
        known["tau", name] = "N.m" if known.get(("qd", name), "").startswith("rad") else "N"
    known[DURATION, DURATION] = "s"
    known |= {(METHOD, name): "1" for name in BASICS}
    of_parameters = scalar_units(model)
    return [
        of_parameters.get(row.label, "") if row.kind == "parameter"
        else PART_UNITS[row.part] if row.kind == "wrench"
        else known.get((row.kind, row.label), "")
        for row in variables
    ]  # fmt: skip


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
