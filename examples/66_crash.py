"""A truck-mounted attenuator: severity of crashes over the friction of the truck's wheels.

Two fronts of a car at 90 km/h and of a bus at 70 km/h, along x alone, by one sweep on all cores.
With a folder as argument it also writes there the whole crash of a car, 356 freedoms (HTML).
"""

import sys
from pathlib import Path

import numpy as np

import kinetree as kt

MODELS = Path(__file__).parent / "models"
FRONTS = {
    "car 1": (1.5e6, 180e3, 300e3, 15e6), "car 2": (2.5e6, 300e3, 500e3, 25e6),
    "bus 1": (4e6, 400e3, 500e3, 40e6), "bus 2": (8e6, 800e3, 1e6, 80e6),
}  # fmt: skip
NAMES = ("front_k", "front_yield", "front_h", "front_unloading")
FRICTIONS = (0.0, 0.25, 0.5, 0.75, 1.0, 50.0)  # the last one: locked
LIKE = 1 + 1e-4 * np.arange(-4, 4)  # crashes nearly alike, see docs/theory/attenuator.md

cases = [(name, f, v) for name in FRONTS for f in FRICTIONS for v in LIKE]
cars = np.array([name.startswith("car") for name, _, _ in cases])
fronts = np.array([FRONTS[name] for name, _, _ in cases]).T
plan = kt.run_list({
    **dict(zip(NAMES, fronts, strict=True)), "friction": [f for _, f, _ in cases],
    "vehicle_mass": np.where(cars, 1300.0, 13000.0),
    "qd0.vehicle": np.where(cars, 25.0, 19.444) * [v for *_, v in cases],
})  # fmt: skip
model = kt.load(MODELS / "attenuator_longitudinal.yaml")
asi = {year: kt.severity("qdd_vehicle", year) for year in ("1998", "2010")}
many = kt.sweep(model, 0.4, plan, asi, integrator="rk4", step=5e-4, max_step=2.5e-5)
found = {year: many[year].values.reshape(4, len(FRICTIONS), -1).mean(axis=2) for year in asi}

print("friction      ", *(f"{f:8.2f}" for f in FRICTIONS[:-1]), "  locked")
for year, rows in found.items():
    for name, row in zip(FRONTS, rows, strict=True):
        print(f"{name}, {year}   ", *(f"{value:8.3f}" for value in row))
    assert rows[:2].min() > rows[2:].max()  # the car suffers more than the bus
    assert (rows[[1, 3]] > rows[[0, 2]]).all()  # and behind the stiff front more
    assert (rows[:, -1] > rows[:, :-1].max(axis=1)).all()  # the locked truck is the worst
    assert (rows[:, -2] / rows[:, 0] - 1 < 0.15).all()  # friction matters little

for folder in sys.argv[1:]:
    whole = kt.load(MODELS / "attenuator_car.yaml")
    run = kt.simulate(whole, 0.6, qd={"vehicle_1": 25.0}, method="dopri5", rtol=1e-4, step=5e-3)
    kt.animate(whole, run, f"{folder}/crash.html", title="Truck-mounted attenuator")
