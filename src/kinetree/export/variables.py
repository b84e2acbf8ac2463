"""The variables of a model as other programs see them: names, references, causality, start values.

| name | what |
|---|---|
| time | the independent variable |
| q_NAME, qd_NAME, x_NAME | states: coordinates, velocities, user states; modes are discrete |
| der(q_NAME), qdd_NAME, der(x_NAME) | their derivatives |
| tau_NAME, WRENCH_tx … WRENCH_fz, … | inputs: efforts, external wrenches, or those chosen |
| as in the model | parameters |
| lam_CLOSURE.COMPONENT | outputs: forces that close loops |
| POINT.x, POINT.y, POINT.z, strut.force, … | outputs that were asked for |
| event[1], … | event indicators |
| step | longest step of Co-Simulation |
| as in the model | clocks and other events at given times, in FMI 3.0 |

Characters that FMI refuses in names become underscores; a name that is taken gets _2, _3, …
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.export.units import per_second

if TYPE_CHECKING:
    from kinetree.export.equations import ModelPrograms

VariablePart = Callable[["ModelPrograms", "FmiNames", int], "Iterator[Variable]"]
"""(the Programs, names, first reference) -> variables of one sort."""
STEP = "step"
EFFORTS = ("N", "N.m")


@dataclass(frozen=True)
class Variable:
    """One variable.

    Attributes:
        name: unique.
        reference: its value reference; in rising order.
        causality: "independent", "output", "local", "input" or "parameter".
        variability: "continuous", "discrete" or "tunable".
        initial: "exact", "approx", "calculated", or empty where the causality says it.
        start: value before a run; none where it is calculated.
        unit: empty where unknown.
        derivative: reference of the state of which it is the derivative.
        indicator: whether it is an event indicator.
        clock: whether it is a clock, which FMI 2.0 does not know.
        clocks: references of the clocks at whose ticks it is found.
        description: for people.
    """

    name: str
    reference: int
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: float | None = None
    unit: str = ""
    derivative: int | None = None
    indicator: bool = False
    clock: bool = False
    clocks: tuple[int, ...] = ()
    description: str = ""

    @property
    def unknown_at_start(self) -> bool:
        """Whether its initial value is found and not given."""
        found = self.causality == "output" or self.derivative is not None
        return found and self.initial in ("approx", "calculated")


class FmiNames:
    """Names as FMI takes them, each given out once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, name: str) -> str:
        """The name without control characters; with a number where it is taken."""
        plain = "".join("_" if unicodedata.category(c)[0] == "C" else c for c in name).strip()
        plain = "_".join(plain.split()) or "v"
        candidate, number = plain, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{plain}_{number}"
        self._taken.add(candidate)
        return candidate


def variables(found: ModelPrograms, step: float) -> list[Variable]:
    """All variables in the order of their references."""
    names = FmiNames()
    names.fresh("time")
    rows = [Variable("time", 0, "independent", unit="s", description="time")]
    first = 1
    for part, size in _parts(found):
        rows += part(found, names, first)
        first += size
    text = "longest step of the fixed-step method of Co-Simulation"
    name = names.fresh(STEP)
    rows.append(Variable(name, first, "parameter", "tunable", "", step, "s", description=text))
    rows += _clocks(found, names, first + 1)
    return rows


def _parts(found: ModelPrograms) -> list[tuple[VariablePart, int]]:
    """The parts in order, each with the number of its references; modes have no derivatives."""
    n, inputs, parameters, outputs, events = (
        len(found.labels(name)) for name in ("y", "u", "p", "out", "g")
    )
    return [
        (_states, n),
        (_derivatives, n),
        (_inputs, inputs),
        (_parameters, parameters),
        (_outputs, outputs),
        (_events, events),
    ]


def derivative_name(label: str) -> str:
    """The name of the derivative of a state."""
    return f"qdd_{label[3:]}" if label.startswith("qd_") else f"der({label})"


def _units(found: ModelPrograms, name: str) -> tuple[str, ...]:
    row = found.row(name)
    assert row is not None
    return row.units or ("",) * len(row.symbols)


def _states(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    units, clocks = _units(found, "y"), _clock_references(found)
    for k, (label, value) in enumerate(zip(found.labels("y"), found.start, strict=True)):
        how = "approx" if label in found.tied else "exact"
        text = "follows from the loops" if how == "approx" else "state"
        held = label in found.held
        yield Variable(
            names.fresh(label), first + k, "output", "discrete" if held else "continuous",
            how, float(value), units[k], description="mode" if held else text,
            clocks=(clocks[found.sampled[label]],) if label in found.sampled else (),
        )  # fmt: skip


def _derivatives(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    labels, units = found.labels("y"), _units(found, "y")
    for k in found.moving:
        label, speed = labels[k], labels[k].startswith("qd_")
        yield Variable(
            names.fresh(derivative_name(label)), first + k, "output" if speed else "local",
            initial="calculated", unit=per_second(units[k]), derivative=1 + k,
            description=f"derivative of {label}",
        )  # fmt: skip


def _inputs(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    row = found.row("u")
    for k, label in enumerate(row.labels if row else ()):
        assert row is not None
        yield Variable(
            names.fresh(label), first + k, "input", start=found.inputs[k], unit=row.units[k],
            description="effort from outside" if row.units[k] in EFFORTS else "input",
        )  # fmt: skip


def _parameters(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    row = found.row("p")
    if row is None:
        return
    assert row.default is not None
    for k, (label, value) in enumerate(zip(row.labels, row.default, strict=True)):
        yield Variable(
            names.fresh(label), first + k, "parameter", "tunable", "", float(value),
            row.units[k] if row.units else "", description="parameter of the model",
        )  # fmt: skip


def _outputs(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    for k, label in enumerate(found.labels("out")):
        text = "force that closes a loop" if label.startswith("lam_") else "output"
        yield Variable(
            names.fresh(label), first + k, "output", initial="calculated",
            unit=found.units[k], description=text,
        )  # fmt: skip


def _events(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    branches = len(found.labels("g")) - len(found.conditions)
    for k, label in enumerate(found.labels("g")):
        what = "a branch of the equations changes" if k < branches else "an event happens"
        yield Variable(
            names.fresh(label), first + k, "local", initial="calculated", indicator=True,
            description=f"{what} where it is zero",
        )  # fmt: skip


def _clocks(found: ModelPrograms, names: FmiNames, first: int) -> Iterator[Variable]:
    for k, row in enumerate(found.clocks):
        every, first_tick = row.event.every, row.event.offset
        when = f"every {every:g} s from {first_tick:g} s on" if every else "at given times"
        yield Variable(
            names.fresh(row.watch.name), first + k, "output", "discrete", "calculated",
            clock=True, description=f"ticks {when}",
        )  # fmt: skip


def _clock_references(found: ModelPrograms) -> dict[str, int]:
    """References of the clocks by name: they stand behind time, all parts and the step."""
    first = 2 + sum(size for _, size in _parts(found))
    return {row.watch.name: first + k for k, row in enumerate(found.clocks)}
