"""The equations of a closed system as functions of numbers, and the names of their rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly.overrides import Parameters, with_values
from kinetree.engine import ZERO, derivation
from kinetree.errors import AssemblyError, ModelError, ShapeError
from kinetree.formalism import QUANTITIES
from kinetree.formalism.links.linkage import Linkage, linkage
from kinetree.model import Angle, Closure, Mechanism
from kinetree.program import Program, Scheme
from kinetree.program.parameters import used_parameters
from kinetree.program.passes import condense
from kinetree.program.restrict import restrict
from kinetree.solve.pivots import TOLERANCE
from kinetree.targets.kept import DerivedProgram, remember
from kinetree.targets.native.function import Function

REMEMBERED = 16
"""Results at configurations that are kept."""
ROUNDINGS = 4
"""Roundings of coordinates that a closed loop may show."""
T = TypeVar("T")


@dataclass(frozen=True)
class Loops:
    """h and J of a model.

    Attributes:
        model: the mechanism.
        program: gives h and J.
        labels: "closure.component" of every row.
        rates: numbers of the rows that only velocities have to satisfy.
        driven: numbers of the velocities whose motion is given.
        dropped: labels of trivial rows.
        guards: tells parallel directions from opposite ones; none where no closure has any.
        drives: gives the values of driven coordinates; none where no drive has a law.
        written: gives h, J, ht, Jdqd, not yet condensed.
        native: gives h and J too, where native code of them is at hand; else they are interpreted.
    """

    model: Mechanism
    program: Program
    labels: tuple[str, ...]
    rates: tuple[int, ...]
    driven: tuple[int, ...]
    dropped: tuple[str, ...]
    written: Program
    guards: Program | None = None
    drives: Program | None = None
    native: Function | None = None

    def at(self, parameters: Parameters) -> Loops:
        """The same with other values of parameters, by name."""
        if not parameters:
            return self
        name = self.model.name
        written = with_values(self.written, parameters, name)  # which knows all of them
        program, guards, drives = (
            None if made is None else with_values(made, _parameters_of(made, parameters), name)
            for made in (self.program, self.guards, self.drives)
        )
        assert program is not None
        native = (
            None
            if self.native is None
            else self.native.with_values(_parameters_of(self.program, parameters))
        )
        return replace(
            self, program=program, written=written, guards=guards, drives=drives, native=native
        )

    @cached_property
    def whole(self) -> Program:
        """Gives h, J, ht and Jdqd; all analyses of a run take what they need from it."""
        made = remember(lambda: condense(self.written), "whole loops", self.model)
        own = {row.name: row for row in self.written.inputs}  # with the values of parameters
        return replace(made, inputs=tuple(own[row.name] for row in made.inputs))

    @cached_property
    def function(self) -> Function:
        """h and J as native code, for many evaluations one after the other."""
        made = remember(lambda: DerivedProgram.of(self.program), "loop function", self.model)
        row = next((row for row in self.program.inputs if row.name == "p"), None)
        values = dict(zip(row.labels, row.default or (), strict=True)) if row is not None else {}
        return made.quick_function.with_values(values)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters on whose values an equation depends, also one that is left out.

        Those left out stand in the first row of the others, for which they tell whether they hold.
        """
        return used_parameters(self.written)

    @property
    def share(self) -> float:
        """Share of the largest pivot below which equations count as repeated."""
        return max(TOLERANCE, self.model.loop_tolerance)

    def allowance(self, q: Array, t: float) -> float:
        """Largest gap that is left at coordinates about q: that of the model, or mere rounding."""
        J = self.evaluate(q, t)[1][self.positions()]
        return float(allowed_gaps(self.model, q, J))

    def evaluate(self, q: Any, t: float) -> tuple[Array, Array]:
        """(h, J) at coordinates q and time t."""
        code = self.program if self.native is None else self.native
        return self.once(("h, J", t), q, lambda: _values(code, self.model, q, t))

    @cached_property
    def _memory(self) -> dict[tuple[Hashable, bytes], Any]:
        """What was found last: a start asks for the same configuration again and again."""
        return {}

    def once(self, what: Hashable, q: Any, make: Callable[[], T]) -> T:
        """What was found before at coordinates q, or is made now; nobody may change it."""
        key = (what, np.asarray(q, dtype=float).tobytes())
        known = self._memory
        if key not in known:
            if len(known) >= REMEMBERED:
                known.clear()
            known[key] = make()
        found: T = known[key]
        return found

    def start(self, q: Sequence[float] | None, t: float) -> Array:
        """Coordinates to begin with: given ones or the model's, driven ones at their laws."""
        model = self.model
        out = model.initial() if q is None else np.array(q, dtype=float)
        if out.shape != (model.nq,) or not np.isfinite(out).all():
            raise ShapeError(
                f"it must be {model.nq} finite numbers, but has shape {out.shape}", element="q"
            )
        for name, value in self._driven_values("q", out, t).items():
            out[list(model.coordinates).index(name)] = value
        return out

    def _driven_values(self, what: str, q: Array, t: float) -> dict[str, float]:
        """Coordinates ("q") or velocities ("qd") that drives with a law give, by name."""
        if self.drives is None:
            return {}
        values = self.drives.evaluate_some(q=q, t=np.asarray(t))[what]
        return dict(zip(self.drives.output(what).labels, values.tolist(), strict=True))

    def driven_rates(self, q: Array, t: float) -> dict[int, float]:
        """Velocities that drives with a law give, by number."""
        at = self.model.velocities.index
        return {at(name): rate for name, rate in self._driven_values("qd", q, t).items()}

    def slopes(self, q: Array, t: float) -> tuple[Array, Array]:
        """(J, ht) at coordinates q and time t: J qd + ht = 0."""

        def make() -> tuple[Array, Array]:
            found = self.whole.evaluate_some(q=q, qd=np.zeros(self.model.nv), t=np.asarray(t))
            return _frozen(found["J"]), _frozen(found["ht"])

        return self.once(("J, ht", t), q, make)

    def guard(self, q: Any, t: float) -> tuple[Array, Array]:
        """(a·b - 1, its Jacobian) for directions a, b of two ends that are meant to be parallel.

        Equations of direction say that axes are perpendicular to others, which opposite axes are
        too; these values are 0 where the frames agree and -2 where they are opposite.
        """
        if self.guards is None:
            return np.zeros(0), np.zeros((0, self.model.nv))
        return _values(self.guards, self.model, q, t)

    def opposite(self, q: Any, t: float) -> str:
        """Name of a closure whose frames stand opposite each other; empty where none does."""
        value, _ = self.guard(q, t)
        if self.guards is None or not (value < -1).any():
            return ""
        return self.guards.output("h").labels[int(np.argmin(value))].partition(".")[0]

    def uses(self) -> dict[str, frozenset[str]]:
        """Equation -> the velocities that change it."""
        names = self.model.velocities
        J = self.program.output("J").nodes
        rows = (J[i * len(names) : (i + 1) * len(names)] for i in range(len(self.labels)))
        return {
            label: frozenset(n for n, x in zip(names, row, strict=True) if x is not ZERO)
            for label, row in zip(self.labels, rows, strict=True)
        }

    def positions(self) -> list[int]:
        """Numbers of the rows that positions have to satisfy."""
        return [i for i in range(len(self.labels)) if i not in self.rates]

    def unit(self, row: int) -> str:
        """Unit of a row of h; empty where the law does not tell."""
        name, _, component = self.labels[row].partition(".")
        conditions = self.model.closures[name].conditions
        return next((c.unit for c in conditions if c.label == component), "")


def allowed_gaps(model: Mechanism, q: Array, J: Array) -> Array:
    """Largest gaps that are left, of one configuration or of many.

    A coordinate is rounded, and moves the loops by that times the largest slope there is: an angle
    of 1e6 rad leaves 1e-10 m of a loop of a metre.

    Args:
        model: its `loop_tolerance` is the least.
        q: coordinates.
        J: Jacobian of the equations between positions there.
    """
    slope = np.abs(J).max(axis=(-2, -1), initial=0.0)
    rounding = ROUNDINGS * np.finfo(float).eps * slope * np.abs(q).sum(axis=-1)
    return np.maximum(model.loop_tolerance, np.where(np.isfinite(rounding), rounding, 0.0))


def _values(code: Program | Function, model: Mechanism, q: Any, t: float) -> tuple[Array, Array]:
    """(h, J) that a Program or its native code gives at coordinates q and time t."""
    given: dict[str, Any] = {
        "q": np.asarray(q, dtype=float), "qd": np.zeros(model.nv), "t": np.asarray(t),
    }  # fmt: skip
    if isinstance(code, Function):
        known = {port.name for port in code.inputs}
        out = code(check=False, **{name: x for name, x in given.items() if name in known})
        return _frozen(out["h"]), _frozen(out["J"])
    with np.errstate(all="ignore"):  # a law without a value is told by its name
        out = code.evaluate_some(**given)
    return _frozen(out["h"]), _frozen(out["J"])


def _frozen(values: Array) -> Array:
    """The same array, which nobody may change from now on."""
    values.flags.writeable = False
    return values


def _parameters_of(program: Program, parameters: Mapping[str, float]) -> Mapping[str, float]:
    """Those of the values that a Program speaks of."""
    known = {label for row in program.inputs if row.name == "p" for label in row.labels}
    return {name: value for name, value in parameters.items() if name in known}


def _guards(model: Mechanism, parameters: Parameters) -> Program | None:
    """h = a·b - 1 for every pair of directions that is meant to be parallel, and its Jacobian."""
    guarded: dict[str, Closure] = {}
    for closure in model.closures.values():
        axes = [c.a for c in closure.conditions if isinstance(c, Angle) and c.guarded]
        rows = tuple(Angle(f"{k}", a, a, 1) for k, a in enumerate(dict.fromkeys(axes)))
        if rows:
            guarded[closure.name] = replace(closure, conditions=rows)
    if not guarded:
        return None
    twin = copy(model)
    twin.closures = guarded
    try:
        return restrict(_write(twin, "constraints", parameters), ("h", "J"))
    except ModelError as error:  # a value that no coordinate changes: always opposite
        raise opposite_frames(error.element) from error


def _write(
    model: Mechanism, quantity: str, parameters: Parameters, system: Linkage | None = None
) -> Program:
    """The Program of a quantity that speaks of closures and drives alone, not yet condensed."""
    model.check(invertible=False)
    links = linkage(model) if system is None else system
    made = QUANTITIES[quantity].derive(links, "recursive", values=parameters)
    return with_values(made, parameters, model.name)


def closure_equations(model: Mechanism, parameters: Parameters = None) -> Program:
    """h, J, Jdqd and ht of the closures of a model, with values of parameters in place of its own.

    Raises:
        ModelError: where a component that no coordinate changes is open for these values.
    """
    return condense(_write(model, "constraints", parameters))


def opposite_frames(element: str) -> AssemblyError:
    """The sentence for a closure that only closes with a frame the wrong way round."""
    return AssemblyError(
        "the loop closes with its two frames opposite each other",
        element=element,
        cure="start nearer to the closed configuration, or turn the frame of one end",
    )


@derivation()
def loops(model: Mechanism, parameters: Parameters = None, system: Linkage | None = None) -> Loops:
    """The equations of the closures of a model, with values of parameters in place of its own.

    Args:
        model: the mechanism.
        parameters: values by name.
        system: the links of the model, where somebody has them already.
    """
    model = model.with_varied(parameters or ())
    if model.by_matrices:
        model.check(invertible=False)
        none = _no_equations(model)
        return Loops(model, none, (), (), (), (), none)
    if parameters:
        written, *programs = _programs(model, parameters)
    else:
        written, *programs = remember(
            lambda: _programs(model, None, system), "loops", model,
            known=lambda: model.check(invertible=False),
        )  # fmt: skip
    labels = written.output("h").labels
    rates = _split_names(written.info["rates"])
    at = {name: k for k, name in enumerate(model.velocities)}
    return Loops(
        model,
        programs[0],
        labels,
        tuple(i for i, label in enumerate(labels) if label in rates),
        tuple(at[name] for name in model.velocities if name in model.drives),
        tuple(_split_names(written.info["dropped"])),
        written,
        *programs[1:],
    )


def _programs(
    model: Mechanism, parameters: Parameters, system: Linkage | None = None
) -> tuple[Any, ...]:
    """What gives h, J, ht and Jdqd, as written; h and J; guards; drives."""
    written = _write(model, "constraints", parameters, system)
    driven = any(drive.law is not None for drive in model.drives.values())
    return (
        written,
        restrict(written, ("h", "J")),
        _guards(model, parameters),
        condense(_write(model, "drives", parameters, system)) if driven else None,
    )


def _no_equations(model: Mechanism) -> Program:
    """h and J of a model whose position matrices satisfy all conditions by themselves."""
    scheme = Scheme(f"{model.name}_constraints")
    scheme.output("h", (), (0,), ())
    scheme.output("J", (), (0, model.nv), ())
    return scheme.program()


def _split_names(text: str) -> list[str]:
    return text.split(", ") if text else []
