"""What a compiled function refuses with check=True, and lets through without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analysis import systems

import kinetree as kt
from kinetree.errors import KinetreeError


def inverse(model: kt.Model) -> Any:
    return kt.derive(model, "inverse").compile()


def state(model: kt.Model, count: int = 0) -> dict[str, np.ndarray]:
    lead = (count,) if count else ()
    zero = np.zeros((*lead, model.nv))
    return {
        "q": np.broadcast_to(model.neutral(), (*lead, model.nq)).copy(),
        "qd": zero,
        "qdd": zero,
    }


@pytest.mark.parametrize("count", [0, 3, 100])
def test_quaternions_must_have_unit_length(count: int) -> None:
    model = systems.thrown()
    function, given = inverse(model), state(model, count)
    function(**given)
    given["q"][..., :4] *= 1 + 4e-4
    function(**given)
    given["q"].reshape(-1, model.nq)[-1, :4] = (2.0, 3.0, 4.0, 1.0)
    with pytest.raises(KinetreeError, match="length 5") as refused:
        function(**given)
    assert ("sample" in str(refused.value)) == (count == 100)  # few are done one by one
    out = function(check=False, **given)["tau"]
    assert np.isfinite(out).all()


def test_every_quaternion_is_looked_at() -> None:
    model = kt.Model("two")
    first, second = (model.body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("first", "second"))
    model.prismatic("slide", model.ground, first)
    model.spherical("ball", first, model.body("third", mass=1.0, inertia=(1, 1, 1)))
    model.spherical("socket", "third", second)
    function, given = inverse(model), state(model)
    for k, name in ((1, "ball_w"), (5, "socket_w")):
        bent = given["q"].copy()
        bent[k] = 1.5
        with pytest.raises(KinetreeError, match=name):
            function(**{**given, "q": bent})


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_not_a_number_is_refused_before_lengths(wrong: float) -> None:
    model = systems.thrown()
    function, given = inverse(model), state(model, 20)
    given["q"][7, 2] = wrong
    with pytest.raises(KinetreeError, match=r"sample \[7\] is"):
        function(**given)
