"""Models without a coordinate, and all that is driven: every analysis answers or says why not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import kinetree as kt
from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.integrate.methods import METHODS
from kinetree.steppers.families import FAMILIES


def still() -> kt.Model:
    """A body that is fixed to the ground."""
    model = kt.Model("still")
    model.fixed("weld", model.ground, model.body("b", mass=1.5, com=(1, 0, 0), inertia=(1, 1, 1)))
    return model


def driven() -> kt.Model:
    """A body whose only joint follows a law."""
    model = kt.Model("driven")
    model.revolute("turn", model.ground, model.body("b", mass=1.5, inertia=(1, 1, 1)))
    model.drive("turn", lambda t: 2 * t)
    return model


REFUSED = {
    **dict.fromkeys((name for name in FAMILIES if name != "rk4"), "nothing in it can move"),
    **dict.fromkeys(("cvode_bdf", "cvode_adams"), "there is nothing to integrate"),
}
"""Methods that need a state, and what they say without one."""


@pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")
@pytest.mark.parametrize("method", [name for name, row in METHODS.items() if row.ready()])
def test_nothing_to_integrate_is_integrated_or_refused(method: str) -> None:
    if method in REFUSED:
        with pytest.raises(UnsupportedError, match=REFUSED[method]):
            kt.simulate(still(), 0.1, method=method, step=0.01)
    else:
        run = kt.simulate(still(), 0.1, method=method, step=0.01)
        assert run.attrs["termination"] == "finished"
        assert run.q.shape == (11, 0)
    run = kt.simulate(driven(), 0.1, method=method, step=0.01)
    assert float(run.q[-1, 0]) == pytest.approx(0.2)


ANALYSES: dict[str, Callable[[kt.Model, Path], Any]] = {
    "equilibrium": lambda m, _: kt.equilibrium(m),
    "linearise": lambda m, _: kt.linearise(m),
    "modes": lambda m, _: kt.modes(m),
    "partition": lambda m, _: kt.partition(m),
    "assemble": lambda m, _: kt.assemble(m),
    "kinematics": lambda m, _: kt.kinematics(m, 0.1),
    "inverse": lambda m, _: kt.inverse(m, kt.simulate(m, 0.1)),
    "reactions": lambda m, _: kt.reactions(m, kt.simulate(m, 0.1)),
    "discretise": lambda m, _: kt.discretise(m),
    "plot": lambda m, folder: kt.plot(kt.simulate(m, 0.1), "q", folder / "a.svg"),
    "animate": lambda m, folder: kt.animate(m, path=folder / "a.html"),
    "diagram": lambda m, folder: kt.diagram(m, folder / "a.svg"),
    "export_c": lambda m, folder: kt.export_c(m, folder / "c"),
    "batch": lambda m, _: kt.simulate(m, 0.1, parameters={"b.mass": [1.2, 2.0]}),
}


@pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")
@pytest.mark.parametrize("make", [still, driven])
@pytest.mark.parametrize("name", ANALYSES)
def test_analyses_answer_or_say_why_not(
    name: str, make: Callable[[], kt.Model], tmp_path: Path
) -> None:
    with suppress(KinetreeError):
        assert ANALYSES[name](make(), tmp_path) is not None
