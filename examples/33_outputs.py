"""Outputs: forces, reactions, energies and motions of points of a run, and of its linear model.

A quarter car drives over a bump.  Its strut and tyre tell their forces by name, the user adds the
comfort and the suspension travel; the same names are the rows of C and D.
"""

import numpy as np

import kinetree as kt
from kinetree.functions import exp

model = kt.Model("quarter_car", gravity=(0, 0, -9.81))
body, wheel = model.body("chassis", mass=300.0), model.body("wheel", mass=30.0)
model.prismatic("heave", model.ground, body, axis="z", initial=0.62)
model.prismatic("travel", body, wheel, axis="z", initial=-0.335)
model.spring("strut", body, wheel, 2e4, 0.5, 1500.0)
model.tyre(
    "tyre", wheel, model.ground, radius=0.3, stiffness=2e5, spin=False,
    height=lambda t: 0.05 * exp(-(((t - 0.5) / 0.05) ** 2)),
)  # fmt: skip
model.output("comfort", lambda outputs: outputs["chassis.acceleration.z"] / 9.81)
model.output("bump", point="wheel", relative_to="chassis", frame="chassis")

run = kt.simulate(model, 2.0, outputs=["comfort", "bump.z", "strut.force", "tyre.Fz"])
print(f"largest load of the tyre  {float(run['tyre.Fz'].max()):8.1f} N")
print(f"largest acceleration      {float(abs(run['comfort']).max()):8.3f} g")
print(f"spring travel             {float(np.ptp(run['bump.z'].values)):8.4f} m")

run = kt.outputs(model, run, ["strut.power", "tyre.power", "energy.kinetic"])  # afterwards
print(f"work of the strut         {float(run['strut.power'].integrate('time')):8.2f} J")

rest = kt.equilibrium(model)
plant = kt.linearise(model, rest, outputs=["comfort", "tyre.Fz"], inputs=["tau_heave"])
static = plant.D - plant.C @ np.linalg.solve(plant.A, plant.B)
print(f"a newton lifts the body:  {static[1, 0]:8.4f} N on the road")
assert abs(static[1, 0] + 1) < 1e-9
