"""A hydraulic jack pushes a mass against a spring: pressures as states beside the motion.

Data and equations 23 to 28 of Verlinden, Kouroussis, Datoussaid and Conti (EasyDyn).
"""

import kinetree as kt
from kinetree.algebra import disp
from kinetree.functions import minimum, sqrt

S1, S2, V1, V2 = 1e-3, 5e-4, 1e-4, 3e-4  # areas [m2] and volumes at x = 0 [m3]
K, rho, Cd, Se = 2e8, 860.0, 0.611, 1e-5  # fluid [Pa, kg/m3], orifices [m2]
bar = 1e5

model = kt.FrameModel("hydraulic_jack", gravity=(0, 0, 0))
x = model.coordinate("x", "m")
mass = model.frame("mass", disp(x, 0, 0), mass=10.0)
p1 = model.state("p1", 10 * bar, unit="Pa")
p2 = model.state("p2", 10 * bar, unit="Pa")
model.joint_spring("spring", "x", stiffness=1e5)
model.external("fluid", mass, force=(p1 * S1 - p2 * S2, 0, 0))


def flow(drop: kt.Node) -> kt.Node:
    """Volume per second through an orifice with a pressure drop [Pa].

    Eq. 23, Cd Se sqrt(2 |drop| / rho) sign(drop), has an infinite slope at zero; here it is
    smooth within 1 Pa, so that methods with Jacobians can be used as well.
    """
    through: kt.Node = Cd * Se * sqrt(2 / rho) * drop / sqrt(sqrt(drop**2 + 1.0))
    return through


supply = 10 * bar + 90 * bar * minimum(model.t / 0.01, 1)
model.state_rate("p1", lambda qd: K / (V1 + S1 * x) * (flow(supply - p1) - S1 * qd["x"]))
model.state_rate("p2", lambda qd: K / (V2 - S2 * x) * (flow(10 * bar - p2) + S2 * qd["x"]))

if __name__ == "__main__":
    run = kt.simulate(model, 0.3, step=0.0005)
    print(f"{run.attrs['method']}, {run.attrs['steps']} steps")
    for t in (0.0, 0.01, 0.05, 0.1, 0.3):
        row = run.sel(time=t, method="nearest")
        print(f"t = {t:4.2f} s   x = {1e3 * float(row.q[0]):7.3f} mm   p1, p2 =", end=" ")
        print(", ".join(f"{float(p) / bar:.2f}" for p in row.x.values), "bar")
    print("pictures:", kt.plot(run, ["x.p1", "x.p2"], "pressures.svg"), end=", ")
    print(kt.plot(run, ["qd"], "velocity.svg"))
    assert abs(float(run.q[-1, 0]) - 0.095) < 5e-4
