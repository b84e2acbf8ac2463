"""The equations of the loops of a model are derived once per analysis, whoever asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests import mechanisms

import kinetree as kt
from kinetree.assembly import loops
from kinetree.targets.kept import forget

if TYPE_CHECKING:
    from collections.abc import Callable


def driven_crank() -> kt.Model:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + 2 * t)
    return model


ANALYSES: dict[str, Callable[[], Any]] = {
    "derive": lambda: kt.derive(mechanisms.slider_crank()),
    "simulate": lambda: kt.simulate(mechanisms.slider_crank(), 0.05, step=0.01),
    "kinematics": lambda: kt.kinematics(driven_crank(), 0.05, step=0.01),
    "partition": lambda: kt.partition(mechanisms.slider_crank()),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_the_equations_of_the_loops_are_derived_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    write = loops._write

    def count(model: Any, quantity: str, *given: Any) -> Any:
        written.append(quantity)
        return write(model, quantity, *given)

    monkeypatch.setattr(loops, "_write", count)
    forget()
    ANALYSES[name]()
    assert written.count("constraints") == 1
    ANALYSES[name]()
    assert written.count("constraints") == 1
