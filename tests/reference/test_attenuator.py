"""The truck-mounted attenuator: a crash along x against an independent program; 356 freedoms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import READ_OFF, TRAJECTORY

import kinetree as kt
from kinetree.functions import minimum, select, sqrt
from kinetree.results.severity import severity_index

MODELS = Path(__file__).parents[2] / "examples" / "models"
WITHIN = 0.01
BALANCE = 1e-6
LOCKED = 50.0
WEIGHT = 8600 * 9.81
"""Of the truck [N]."""
NUDGE = 2.5e-9
"""Difference in the speed [m/s]."""
FAR = 3.0
"""Standard deviations of the ensemble within which a chaotic crash of another program is."""
STRENGTH = (0.25, 0.25, 0.40, 0.40, 0.80, 0.80, 1.60, 1.60)
FRONTS: dict[str, tuple[float, float, float, float]] = {
    "car1": (1.5e6, 180e3, 300e3, 15e6), "car2": (2.5e6, 300e3, 500e3, 25e6),
    "bus1": (4e6, 400e3, 500e3, 40e6), "bus2": (8e6, 800e3, 1e6, 80e6),
}  # fmt: skip
NAMES = ("front_k", "front_yield", "front_h", "front_unloading")
FRICTIONS = (0.0, 0.3, 0.6, 1.0, LOCKED)
# peak [g], ASI 1998, ASI 2010, crush of the attenuator and of the front [m], by FRICTIONS, of a
# program of its own for chains of masses, steps of 5e-6 s
ROWS: dict[str, tuple[tuple[float, ...], ...]] = {
    "car1": ((19.2, 1.468, 1.491, 1.87, 0.34), (19.4, 1.485, 1.508, 1.88, 0.35),
             (19.6, 1.499, 1.524, 1.89, 0.35), (19.9, 1.518, 1.545, 1.90, 0.37),
             (20.9, 1.587, 1.638, 1.95, 0.41)),
    "car2": ((24.2, 1.612, 1.663, 1.97, 0.14), (24.4, 1.603, 1.641, 1.98, 0.14),
             (24.6, 1.608, 1.665, 1.99, 0.15), (24.7, 1.665, 1.709, 2.01, 0.15),
             (25.9, 1.744, 1.758, 2.06, 0.18)),
    "bus1": ((5.9, 0.477, 0.492, 2.47, 0.81), (6.1, 0.489, 0.504, 2.49, 0.85),
             (6.2, 0.500, 0.517, 2.51, 0.89), (6.4, 0.518, 0.536, 2.54, 0.94),
             (10.3, 0.851, 0.873, 2.73, 1.94)),
    "bus2": ((8.2, 0.643, 0.668, 2.66, 0.34), (8.4, 0.666, 0.689, 2.67, 0.37),
             (8.6, 0.686, 0.709, 2.68, 0.40), (8.9, 0.708, 0.733, 2.69, 0.44),
             (14.8, 1.197, 1.235, 2.80, 1.19)),
}  # fmt: skip
EXPECTED = {(front, f): row for front, rows in ROWS.items()
            for f, row in zip(FRICTIONS, rows, strict=True)}  # fmt: skip
TENTH, HUNDREDTH = 0.06, 0.006
"""Peaks are given in tenths [g], crushes in hundredths [m]."""
ASI = {"1998": kt.severity("qdd_vehicle", "1998"), "2010": kt.severity("qdd_vehicle")}
MEASURES = {
    "peak": kt.peak("-qdd_vehicle/9.81"), **ASI, "crush": kt.peak("q_plate0 - q_truck"),
    "front": kt.peak("q_vehicle - q_plate0"),
}  # fmt: skip
STEPS: dict[str, Any] = {"step": 5e-4, "max_step": 2.5e-5, "integrator": "rk4"}
TOGETHER = 32
"""Crashes with speeds that differ by 1e-5 of them, of which the spread is known."""


def plan(cases: list[tuple[str, float, float]]) -> Any:
    """A crash along x per front, friction and factor of the speed."""
    fronts = np.array([FRONTS[front] for front, _, _ in cases]).T
    cars = np.array([front.startswith("car") for front, _, _ in cases])
    return kt.run_list({
        **dict(zip(NAMES, fronts, strict=True)), "friction": [f for _, f, _ in cases],
        "vehicle_mass": np.where(cars, 1300.0, 13000.0),
        "qd0.vehicle": np.where(cars, 25.0, 19.444) * [factor for *_, factor in cases],
    })  # fmt: skip


@pytest.fixture(scope="module")
def model() -> kt.Model:
    return kt.load(MODELS / "attenuator_longitudinal.yaml")


@pytest.fixture(scope="module")
def found(model: kt.Model) -> dict[tuple[str, float], list[float]]:
    """Of every case that is not chaotic what is measured."""
    cases = [case for case in EXPECTED if case[0] != "car2"]
    many = kt.sweep(model, 0.4, plan([(*case, 1.0) for case in cases]), MEASURES, **STEPS)
    return {case: [many[name][k].item() for name in MEASURES] for k, case in enumerate(cases)}


@pytest.fixture(scope="module")
def chaotic(model: kt.Model) -> dict[tuple[str, float], Any]:
    """Both ASI of many crashes of the car with the stiff front, nearly alike, by friction."""
    spread = 1 + 1e-5 * np.arange(-TOGETHER // 2, TOGETHER // 2)
    cases = [("car2", f, factor) for f in FRICTIONS for factor in spread.tolist()]
    many = kt.sweep(model, 0.25, plan(cases), ASI, **STEPS)
    rows = np.array([many[name].values for name in ASI]).reshape(2, len(FRICTIONS), -1)
    return {("car2", f): rows[:, k] for k, f in enumerate(FRICTIONS)}


@pytest.mark.parametrize("case", [case for case in EXPECTED if case[0] != "car2"])
def test_a_crash_along_x_is_that_of_an_independent_program(case: Any, found: Any) -> None:
    assert found[case][:3] == pytest.approx(EXPECTED[case][:3], rel=WITHIN)
    assert found[case][3:] == pytest.approx(EXPECTED[case][3:], rel=WITHIN, abs=2 * HUNDREDTH)


@pytest.mark.parametrize("friction", FRICTIONS)
def test_a_chaotic_crash_of_an_independent_program_is_one_of_many(
    friction: float, chaotic: Any
) -> None:
    """Their mean is known to half a hundredth; a single one to some hundredths."""
    rows = chaotic["car2", friction]
    expected = EXPECTED["car2", friction][1:3]
    for values, value in zip(rows, expected, strict=True):
        assert 0.01 < values.std() / values.mean() < 0.03
        assert abs(value - values.mean()) < FAR * values.std()
        assert abs(value / values.mean() - 1) < 0.03


def sticking(model: kt.Model) -> kt.Model:
    """The truck's wheels by Coulomb: they hold it while what pushes is less, and rub when it moves.

    The law sees the force of the layer that the truck stands behind.
    """
    del model.forces["road"]
    rub = model.parameters["friction"].symbol * WEIGHT
    model.joint_law("road", "truck", lambda qd, outputs: -select(
        qd["truck"], rub, minimum(rub, -outputs["layer71.force"])))  # fmt: skip
    return model


@pytest.fixture(scope="module")
def rough() -> kt.Model:
    return sticking(kt.load(MODELS / "attenuator_longitudinal.yaml"))


def in_the_same_steps(model: kt.Model, front: str, friction: float) -> list[float]:
    """A row of the table by the steps of the other program: semi-implicit Euler's, 5e-6 s."""
    mass, speed = (1300.0, 25.0) if front.startswith("car") else (13000.0, 19.444)
    values = {**dict(zip(NAMES, FRONTS[front], strict=True)), "vehicle_mass": mass}
    run = kt.simulate(model, 0.4, qd={"vehicle": speed}, parameters=values | {"friction": friction},
                      method="semi_implicit_euler", step=5e-6)  # fmt: skip
    a = run.qdd.sel(velocity="vehicle").values
    asi = [severity_index(run.time.values, a, year) for year in ("1998", "2010")]
    sets = run.x.isel(time=-1)
    soft = sets.sel(state="front_set").item()
    return [-a.min() / 9.81, *asi, sets.sum().item() - soft, soft]


@pytest.mark.parametrize("friction", FRICTIONS)
def test_a_chaotic_crash_is_the_expected_one_in_the_same_steps(
    friction: float, rough: kt.Model
) -> None:
    """Every digit of the table."""
    found, expected = in_the_same_steps(rough, "car2", friction), EXPECTED["car2", friction]
    assert found[0] == pytest.approx(expected[0], abs=TENTH)
    assert found[1:3] == pytest.approx(expected[1:3], abs=READ_OFF)
    assert found[3:] == pytest.approx(expected[3:], abs=HUNDREDTH)


@pytest.mark.parametrize(("front", "growth"), [("car1", (0, 1e2)), ("car2", (1e6, 1e12))])
def test_the_stiff_front_makes_small_differences_grow(
    model: kt.Model, front: str, growth: tuple[float, float]
) -> None:
    """A small difference in the speed, after 0.15 s: plates bounce between dense layers."""
    values = {**dict(zip(NAMES, FRONTS[front], strict=True)), "friction": 0.0}
    one, two = (
        kt.simulate(model, 0.15, qd={"vehicle": v}, parameters=values, method="rk4",
                    step=0.01, max_step=5e-6).qd.values[-1]
        for v in (25.0, 25.0 + NUDGE)
    )  # fmt: skip
    assert growth[0] < np.abs(one - two).max() / NUDGE < growth[1]


@pytest.mark.parametrize("index", [0, 1])
def test_cars_suffer_more_than_buses_stiff_fronts_and_locked_trucks_are_worse(
    index: int, found: Any, chaotic: Any
) -> None:
    asi = {case: row[1 + index] for case, row in found.items()}
    asi |= {case: rows[index].mean() for case, rows in chaotic.items()}
    for friction in FRICTIONS:
        car1, car2, bus1, bus2 = (asi[front, friction] for front in FRONTS)
        assert min(car1, car2) > max(bus1, bus2)
        assert car2 > car1
        assert bus2 > bus1
    for front in FRONTS:
        *rubbing, locked = (asi[front, f] for f in FRICTIONS)
        assert locked > max(rubbing)
        assert max(rubbing) / min(rubbing) - 1 < 0.15


def taken_up(run: Any) -> Any:
    """Energy in the layers by the closed form of their law: stored and dissipated [J]."""
    q = {str(name): run.q.sel(coordinate=name).values for name in run.coordinate.values}
    kept = {str(name): run.x.sel(state=name).values for name in run.state.values}
    total: Any = 0.0
    for row, strength in enumerate(STRENGTH):
        ends = (f"plate{row}", f"block{row}", f"plate{row + 1}" if row < 7 else "truck")
        for k in (0, 1):
            e, m = (q[ends[k]] - q[ends[k + 1]]) / 0.2, kept[f"layer{row}{k}_set"] / 0.2
            p = np.maximum(m - 0.025, 0)
            top = np.where(m < 0.025, 12e6 * m, 0.3e6 + 0.4e6 * p + 1.5e6 * p**3)
            area = np.where(m < 0.025, 6e6 * m**2, 3750 + 0.3e6 * p + 0.2e6 * p**2 + 0.375e6 * p**4)
            dense = np.maximum(m - 0.85, 0)
            top, area = top + 200e6 * dense, area + 100e6 * dense**2
            E = np.where(m < 0.025, 12e6, np.where(m < 0.85, 60e6, 240e6))
            stress = np.maximum(top - E * (m - e), 0)
            total = total + 0.64 * strength * 0.2 * (area - (top**2 - stress**2) / (2 * E))
    c, m, y = q["vehicle"] - q["plate0"], kept["front_set"], 0.12
    top = np.where(m < y, 1.5e6 * m, 180e3 + 300e3 * (m - y))
    area = np.where(m < y, 0.75e6 * m**2, 10800 + 180e3 * (m - y) + 150e3 * (m - y) ** 2)
    k = np.where(m < y, 1.5e6, 15e6)
    return total + area - (top**2 - np.maximum(top - k * (m - c), 0) ** 2) / (2 * k)


def test_energy_is_kept_to_a_millionth() -> None:
    """Motion, layers and road together; the memories change at accepted steps alone."""
    model = kt.load(MODELS / "attenuator_longitudinal.yaml")

    def power(qd: Any) -> Any:
        return 0.6 * 84366 * qd["truck"] ** 2 / sqrt(qd["truck"] ** 2 + 1e-4)

    model.state("rubbed", 0.0, power)
    run = kt.simulate(model, 0.4, qd={"vehicle": 25.0}, rtol=1e-9, step=1e-3)
    masses = [1300.0 if name == "vehicle" else float(model.bodies[name].mass)
              for name in map(str, run.velocity.values)]  # fmt: skip
    motion = (run.qd.values**2 / 2) @ np.array(masses)
    rubbed = run.x.sel(state="rubbed").values
    assert motion + taken_up(run) + rubbed == pytest.approx(motion[0], rel=BALANCE)
    assert motion[-1] < 0.3 * motion[0]
    assert rubbed[-1] > 0.05 * motion[0]


@pytest.mark.parametrize("kind", ["car", "bus"])
def test_the_whole_crash_has_356_freedoms_and_stands_still_without_one(kind: str) -> None:
    whole = kt.load(MODELS / f"attenuator_{kind}.yaml")
    assert whole.nv == 356
    if kind == "bus":
        return
    program = kt.derive(whole, "forward")
    call = program.compile(tier="quick")
    rest = call(q=whole.initial(), qd=np.zeros(356), tau=np.zeros(356),
                x=np.zeros(len(whole.states)))["qdd"]  # fmt: skip
    assert np.abs(rest).max() < TRAJECTORY  # springs carry what stands on them


def test_energy_of_the_whole_crash_is_kept() -> None:
    """Motion and weight of all 356 freedoms lose what layers, springs, tyres and the road take."""
    whole = kt.load(MODELS / "attenuator_car.yaml")
    names = [f"{name}.power" for name in whole.forces]
    whole.state("taken", 0.0, lambda outputs: -sum(outputs[name] for name in names), unit="J")
    springs = [f"{name}.energy" for name, row in whole.forces.items() if row.kind == "joint_spring"]
    run = kt.simulate(
        whole, 0.1, qd={"vehicle_1": 25.0}, method="dopri5", rtol=3e-7, atol=1e-9, step=0.05,
        outputs=["energy.kinetic", "energy.potential", *springs],
    )  # fmt: skip
    motion, taken = run["energy.kinetic"].values, run.x.sel(state="taken").values
    weight = run["energy.potential"].values - sum(run[name].values for name in springs)
    begin = motion[0] + weight[0]
    assert np.abs(motion + weight + taken - begin).max() < BALANCE * motion[0]
    assert taken[-1] > 0.6 * motion[0]
