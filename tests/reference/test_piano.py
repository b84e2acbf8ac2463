"""A grand piano action against motions computed by an independent program from the same data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import FOUR_DIGITS, HALF_PERCENT, PERCENT

import kinetree as kt

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "applications"
ANGLES = ("key", "whippen", "jack", "lever", "hammer")
FINGER = 0.245
"""From the balance point of the key to the finger [m]."""


def action() -> kt.Model:
    """The action as it is shipped."""
    return kt.load(ROOT / "examples" / "models" / "piano_action.yaml")


@cache
def rest() -> tuple[float, ...]:
    """Coordinates of the action at rest."""
    run = kt.simulate(action(), 1.0, parameters={"force": 0.0}, method="cvode_bdf")
    return tuple(run.q.values[-1].tolist())


def stroke(force: float, duration: float, step: float) -> Any:
    """The key pressed by a finger."""
    return kt.simulate(
        action(), duration, q=list(rest()), parameters={"force": force}, step=step,
        method="cvode_bdf", rtol=1e-8, outputs=["blow.gap"],
    )  # fmt: skip


def read(name: str) -> Any:
    """Columns of a file of motions."""
    return np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True)


def test_the_action_comes_to_rest_where_it_must() -> None:
    expected = (-0.000833, 0.003057, -0.002640, -0.002934, -0.334892)
    assert np.abs(np.array(rest()[:5]) - expected).max() < PERCENT * FOUR_DIGITS


def test_a_stroke_of_four_newtons_moves_all_parts_as_computed_independently() -> None:
    expected = read("piano_stroke_4N")
    run = stroke(4.0, 0.398, 2e-3)
    assert run.time.values == pytest.approx(expected["t"])
    for name in ANGLES:
        wanted = expected[f"{name}_rad"]
        found = run.q.sel(coordinate=name).values
        assert np.abs(found - wanted).max() < PERCENT * np.ptp(wanted), name


BLOWS = {0.6: (0.2177, 0.271), 1.0: (0.1051, 0.753), 4.0: (0.0421, 2.1283), 40.0: (0.0144, 6.936)}
"""Force of the finger [N] -> time of the blow [s], speed of the hammer [m/s]."""


@pytest.mark.parametrize("force", BLOWS)
def test_one_blow_at_the_speed_that_the_force_gives(force: float) -> None:
    when, speed = BLOWS[force]
    run = stroke(force, 0.3, 2e-5)
    t, gap = run.time.values, run["blow.gap"].values
    hits = np.flatnonzero((gap[1:] < 0) & (gap[:-1] >= 0))
    assert len(hits) == 1, "one blow, exactly"
    k = hits[0]
    q, qd = run.q.sel(coordinate="hammer").values[k], run.qd.sel(velocity="hammer").values[k]
    within = HALF_PERCENT if force >= 1 else PERCENT  # which only just escapes below that
    assert t[k] == pytest.approx(when, rel=within, abs=FOUR_DIGITS)
    assert qd * (0.130 * np.cos(q) - 0.050 * np.sin(q)) == pytest.approx(speed, rel=within)


def test_a_slow_press_lets_off_and_drops_as_computed_independently() -> None:
    expected = read("piano_slow_press")
    model = action()
    way = model.table("way", expected["t"], expected["key_front_m"] / FINGER)
    model.drive("key", lambda t: kt.functions.table(t, way))
    start = dict(zip(model.coordinates, rest(), strict=True)) | {"key": 0.0}
    t = expected["t"].tolist()
    run = kt.simulate(model, t[-1], q=start, parameters={"force": 0.0}, step=t[1],
                      method="cvode_bdf", outputs=["blow.gap"])  # fmt: skip
    for name in ANGLES[1:]:
        wanted = expected[f"{name}_rad"]
        found = run.q.sel(coordinate=name).values[: len(wanted)]
        assert np.abs(found - wanted).max() < PERCENT * np.ptp(wanted), name
    nearest = run["blow.gap"].values.min()
    assert nearest == pytest.approx(0.00157, rel=PERCENT)  # let-off
