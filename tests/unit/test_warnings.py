"""Warnings stand at the line of the user who made the call, and once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import lengths, mechanisms

import kinetree as kt

PACKAGE = Path(kt.__file__).parent


def doubtful() -> kt.Model:
    """A slider-crank that carries a body with an inertia that no body has."""
    model = mechanisms.slider_crank()
    model.revolute("odd", model.ground, model.body("odd", mass=1.0, inertia=(0, 0, 1.0)))
    return model


def left_out(folder: Path) -> object:
    """A robot with an actuator, which models have no word for."""
    path = folder / "robot.xml"
    path.write_text("<mujoco><actuator><motor joint='a'/></actuator><worldbody/></mujoco>")
    return kt.load(path)


CALLS: dict[str, Callable[[Path], Any]] = {
    "derive": lambda _: kt.derive(doubtful(), "forward"),
    "simulate": lambda _: kt.simulate(doubtful(), 0.01),
    "equal steps": lambda _: kt.simulate(doubtful(), 0.01, formulation="hybrid", step=1e-3),
    "start": lambda _: kt.simulate(
        mechanisms.slider_crank(), 0.01, q={"q1": 1.0, "q2": 2.0}, formulation="hybrid", step=1e-3
    ),
    "locked": lambda _: kt.simulate(mechanisms.tilted(0.01), 0.01),
    "modes": lambda _: kt.modes(mechanisms.slider_crank()),
    "load": left_out,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_stands_at_the_line_of_the_call(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        CALLS[name](tmp_path)
    assert {row.filename for row in caught} == {__file__}
    texts = [str(row.message) for row in caught]
    assert texts
    assert sorted(set(texts)) == sorted(texts)


def test_every_warning_is_given_by_one_function() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    users = {path.name for path, text in sources.items() if re.search(r"warnings\.warn\(", text)}
    assert users == {"errors.py"}


def test_a_mechanism_that_stands_is_on_no_other_branch() -> None:
    with pytest.warns() as caught:
        run = kt.simulate(
            lengths.three_cranks(), 0.01, parameters={"L3": 1.2}, formulation="hybrid", step=1e-3
        )
    assert any("mobility 0" in str(row.message) for row in caught)
    assert "discontinuities" not in run.attrs
