"""A block of a crash attenuator: 600 kg at 7 m/s crush it, modelled as 1, 3 and 10 bodies.

With a folder as argument it writes there the decelerations (PNG) and the crash (HTML).
"""

import sys
from typing import Any

from matplotlib.figure import Figure

import kinetree as kt
from kinetree.functions import maximum, select
from kinetree.results.severity import severity_index

SIDE, MASS, AREA = 0.40, 20.0, 0.16  # m, kg, m2
YIELD, FULL = 0.025, 0.85  # strains at which it yields and is dense


def stress(e: Any) -> Any:
    """Envelope of the stress over the compressive strain [Pa]; assumed, with 19 g in mind."""
    plastic = 0.3e6 + 0.4e6 * (e - YIELD) + 1.5e6 * (e - YIELD) ** 3
    return select(YIELD - e, 12e6 * e, plastic + 200e6 * maximum(0, e - FULL))


def modulus(e: Any) -> Any:
    """Modulus along which the stress falls from the largest strain e [Pa]."""
    return select(YIELD - e, 12e6, select(FULL - e, 60e6, 240e6))


def bench(bodies: int) -> kt.Model:
    """The mass, and the block as bodies in the middle of their slices before a wall."""
    model = kt.Model(f"block_{bodies}", gravity=(0, 0, 0))
    slice_ = SIDE / bodies
    layers = [slice_ / 2, *[slice_] * (bodies - 1), slice_ / 2]
    last: Any = model.body("impactor", mass=600.0)
    model.prismatic("impactor", model.ground, last, axis="x")
    at = 0.0
    for k, thick in enumerate(layers):
        at += thick
        place = model.ground.point(f"place{k}", (at, 0, 0))
        following = place if k == bodies else model.body(f"slice{k}", mass=MASS / bodies)
        if k < bodies:
            model.prismatic(f"slice{k}", place, following, axis="x")
        model.crushable(f"layer{k}", last, following, thick,
                        lambda crush, t=thick: AREA * stress(crush / t),
                        lambda crush, t=thick: AREA / t * modulus(crush / t))  # fmt: skip
        last = following
    return model


figure = Figure(figsize=(6.4, 3.4), layout="constrained")
axes = figure.subplots()
axes.set(xlabel="time [ms]", ylabel="deceleration of the mass [g]", xlim=(0, 75))
print("bodies   peak g   ASI 1998   ASI 2010")
for bodies, expected in ((1, 1.2542), (3, 1.2534), (10, 1.2520)):
    model = bench(bodies)
    run = kt.simulate(model, 0.2, qd={"impactor": 7.0}, step=1e-4)
    a = run.qdd.sel(velocity="impactor").values
    asi = [severity_index(run.time, a, standard) for standard in ("1998", "2010")]
    print(f"{bodies:6d} {-a.min() / 9.81:8.3f} {asi[0]:10.4f} {asi[1]:10.4f}")
    axes.plot(
        1e3 * run.time, -a / 9.81, label=f"{bodies} {'body' if bodies == 1 else 'bodies'}", lw=1.2
    )
    assert abs(asi[1] - expected) < 3e-4  # as an independent program has it

for folder in sys.argv[1:]:
    axes.legend(frameon=False)
    figure.savefig(f"{folder}/attenuator.png", dpi=100)
    kt.animate(model, run, f"{folder}/attenuator.html", title="Attenuator block")
