"""Connected components as a mechanism to be drawn: its joints, moved as a run of the whole says."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from kinetree.analysis.runs.manifest import parameters_of
from kinetree.arrays import Array
from kinetree.assembly.changed_values import change_values
from kinetree.engine import evaluate, symbols
from kinetree.errors import ModelError, UnsupportedError
from kinetree.model import Components, InnerMechanism, Mechanism

M = TypeVar("M", bound=Mechanism)


def drawn_mechanism(model: Mechanism | Components, run: Any) -> tuple[Mechanism, Any]:
    """What is drawn, and how it moves: a mechanism as it is, or that inside of components.

    It has the values of parameters with which the run was made.

    Args:
        model: either of both.
        run: of the model, or none.
    """
    if not hasattr(model, "as_mechanism"):
        return of_run_values(model, run), run
    whole = model.as_mechanism()
    inner = _only(whole)
    if run is None:
        return inner.model, None
    values = _values(whole, inner, run)
    q = [np.broadcast_to(np.asarray(x, dtype=float), len(run["time"])) for x in values]
    return inner.model, {"time": run["time"].values, "q": np.stack(q, axis=-1)}


def of_run_values(model: M, run: Any) -> M:
    """The mechanism with the parameters of a run; those of many runs are no single numbers."""
    given = parameters_of(run).items()
    values = {name: value for name, value in given if isinstance(value, int | float)}
    return change_values(model, values, untie=True) if values else model


def _only(whole: Mechanism) -> InnerMechanism:
    """The one mechanism inside of components."""
    inside = () if whole.equations is None else whole.equations.inside
    if len(inside) == 1:
        return inside[0]
    element = f"component '{whole.name}'"
    if not inside:
        raise ModelError(
            "nothing in it moves in space",
            element=element,
            cure="connect parts of kinetree.library.multibody, or plot its variables by kt.plot",
        )
    names = ", ".join(f"'{row.path}'" for row in inside)
    raise UnsupportedError(
        f"it has {len(inside)} mechanisms ({names})", element=element, cure="draw one at a time"
    )


def _values(whole: Mechanism, inner: InnerMechanism, run: Any) -> list[Array]:
    """The coordinates over the time of a run."""
    known: dict[Any, Any] = {}
    for s in symbols(inner.q):
        if s.name in whole.parameters:
            known[s] = whole.parameters[s.name].value
        elif s.name in run:
            known[s] = np.asarray(run[s.name], dtype=float)
        else:
            raise ModelError(
                f"it holds no '{s.name}'",
                element="run",
                cure=f"give a run of component '{whole.name}' with all its variables",
            )
    return [np.asarray(x) for x in evaluate(inner.q, known)]
