"""Units of single columns, and recordings with long gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, assert_close

import kinetree as kt


def lift() -> kt.Model:
    """An arm that turns, with a slide on it."""
    model = kt.Model("lift", gravity=(0, 0, -9.81))
    arm = model.body("arm", 2.0, (0.15, 0.01, 0), (0.01, 0.02, 0.02))
    slide = model.body("slide", 0.5, (0.02, 0, 0), (0.001, 0.001, 0.001))
    model.revolute("turn", model.ground, arm, axis="z")
    model.prismatic("lift", arm.point("end", (0.3, 0, 0)), slide, axis="z")
    return model


def recorded() -> dict[str, Any]:
    t = np.linspace(0, 8, 801)
    q = np.column_stack([np.sin(t) + 0.4 * np.cos(2.3 * t), 0.05 * np.sin(3.1 * t)])
    return {"time": t, "q": q, "tau": kt.inverse(lift(), {"time": t, "q": q}).tau.values}


def test_angles_and_lengths_have_units_of_their_own() -> None:
    data = recorded()
    usual = kt.identify(lift(), data)
    given = {**data, "q": data["q"] * [180 / np.pi, 1000.0]}
    found = kt.identify(lift(), given, units={"q": "deg", "q.lift": "mm"})
    for name, value in usual.parameters.items():
        assert_close(found.parameters[name], value, IDENTITY, name, scale=1.0)
    with pytest.raises(kt.errors.ModelError, match=r"'deg' is not a unit .* in m; .*q\.lift"):
        kt.identify(lift(), given, units={"q": "deg"})


@pytest.mark.parametrize("method", ["least_squares", "output_error"])
def test_a_gap_of_a_week_costs_nothing(method: str) -> None:
    data = recorded()
    data["time"] = np.append(data["time"][:500], data["time"][500:] + 7 * 86400.0)
    found = kt.identify(lift(), data, method, friction=())
    assert found.data.rms_held.max() < 1e-2 * np.abs(data["tau"]).max()
