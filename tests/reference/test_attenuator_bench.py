"""The block of the attenuator on its test bench, as 1, 3 and 10 bodies, against a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import READ_OFF, TRAJECTORY

import kinetree as kt
from kinetree.functions import maximum, select
from kinetree.results.severity import severity_index

RECORD = Path(__file__).parents[1] / "data" / "applications" / "attenuator_bench_7mps.csv"
AREA, SIDE = 0.16, 0.40
# bodies: peak [g], ASI 1998, ASI 2010, of chains of masses in equal steps of 2e-6 s
EXPECTED = {
    1: (18.894, 1.2119, 1.2542), 3: (19.070, 1.2112, 1.2534), 10: (19.041, 1.2110, 1.2520),
}  # fmt: skip
SPREAD = 0.004


def envelope(e: Any) -> Any:
    """Force over strain [N]."""
    plastic = 0.3e6 + 0.4e6 * (e - 0.025) + 1.5e6 * (e - 0.025) ** 3 + 200e6 * maximum(0, e - 0.85)
    return AREA * select(0.025 - e, 12e6 * e, plastic)


def modulus(e: Any) -> Any:
    """Stiffness of unloading, times the length [N]."""
    return AREA * select(0.025 - e, 12e6, select(0.85 - e, 60e6, 240e6))


def bench(bodies: int) -> kt.Model:
    """600 kg, and a block of 20 kg as bodies in the middle of their slices before a wall."""
    model = kt.Model(f"bench{bodies}", gravity=(0, 0, 0))
    part = SIDE / bodies
    last: Any = model.body("mass", mass=600.0)
    model.prismatic("mass", model.ground, last, axis="x")
    for k in range(bodies + 1):
        length = part if 0 < k < bodies else part / 2
        place = model.ground.point(f"at{k}", (part * (k + 0.5) if k < bodies else SIDE, 0, 0))
        after: Any = place
        if k < bodies:
            after = model.body(f"slice{k}", mass=20.0 / bodies)
            model.prismatic(f"slice{k}", place, after, axis="x")
        model.crushable(f"layer{k}", last, after, length,
                        lambda crush, h=length: envelope(crush / h),
                        lambda crush, h=length: modulus(crush / h) / h)  # fmt: skip
        last = after
    return model


@pytest.fixture(scope="module")
def runs() -> dict[int, Any]:
    return {n: kt.simulate(bench(n), 0.2, qd={"mass": 7.0}, step=2e-5) for n in EXPECTED}


def numbers(run: Any) -> tuple[float, float, float]:
    """Peak [g] and both indices."""
    a = run.qdd.sel(velocity="mass").values
    return (-a.min() / 9.81, *(severity_index(run.time, a, year) for year in ("1998", "2010")))


@pytest.mark.parametrize("bodies", EXPECTED)
def test_peak_and_indices_are_those_of_the_record(bodies: int, runs: Any) -> None:
    assert numbers(runs[bodies]) == pytest.approx(EXPECTED[bodies], abs=READ_OFF)


def test_the_index_hardly_depends_on_the_number_of_bodies(runs: Any) -> None:
    for k in (1, 2):
        found = [numbers(run)[k] for run in runs.values()]
        assert max(found) / min(found) - 1 < SPREAD


@pytest.mark.parametrize("bodies", EXPECTED)
def test_the_travel_is_that_of_the_record(bodies: int, runs: Any) -> None:
    head = RECORD.read_text().splitlines()[0].split(",")
    rows = np.loadtxt(RECORD, delimiter=",", skiprows=1)
    column = head.index(f"x_{bodies}bod{'y' if bodies == 1 else 'ies'}")
    run = runs[bodies]
    x = np.interp(rows[:, 0], run.time, run.q.sel(coordinate="mass").values)
    assert np.abs(x - rows[:, column]).max() < READ_OFF * rows[:, column].max()


def test_the_whole_bench_keeps_its_energy() -> None:
    """Motion, and in every layer the area below its path, by its closed form."""
    run = kt.simulate(bench(3), 0.2, qd={"mass": 7.0}, step=1e-3, rtol=1e-10, atol=1e-12)
    q, v = run.q.values, run.qd.values
    motion = 300.0 * v[:, 0] ** 2 + (20.0 / 3 / 2) * (v[:, 1:] ** 2).sum(axis=1)
    taken: Any = 0.0
    for k, length in enumerate((SIDE / 6, SIDE / 3, SIDE / 3, SIDE / 6)):
        after = q[:, k + 1] if k < 3 else 0.0
        e = (q[:, k] - after) / length
        m = run.x.sel(state=f"layer{k}_set").values / length
        p = np.maximum(m - 0.025, 0)
        top = np.where(m < 0.025, 12e6 * m, 0.3e6 + 0.4e6 * p + 1.5e6 * p**3)
        area = np.where(m < 0.025, 6e6 * m**2, 3750 + 0.3e6 * p + 0.2e6 * p**2 + 0.375e6 * p**4)
        E = np.where(m < 0.025, 12e6, 60e6)
        stress = np.maximum(top - E * (m - e), 0)
        taken = taken + AREA * length * (area - (top**2 - stress**2) / (2 * E))
    assert motion + taken == pytest.approx(motion[0], rel=TRAJECTORY)
