"""A double pendulum with a spring from components (Otter1996 fig. 4): direct, linear, in motion.

With a folder as argument it writes there an animation and curves.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.acausal import Component, connect, part
from kinetree.library import multibody as mb


class DoublePendulum(Component):
    """Two bars hang along z; a spring holds the end of the second."""

    world = part(mb.World, n=(0, 0, 1))
    r1, r2 = part(mb.Revolute, n="y", phi=1.0), part(mb.Revolute, n="y", phi=0.0)
    b1, b2, b3 = (part(mb.FixedTranslation, r=(0, 0, length)) for length in (0.5, 0.4, 1.3))
    m1, m2 = (part(mb.Body, m=1.0, r_CM=(0, 0, middle)) for middle in (0.25, 0.2))
    spring = part(mb.SpringDamperParallel, c=1.0, s_unstretched=0.5)

    def equations(self) -> Iterator[Any]:
        """World to r1 to b1 to r2 to b2, world to b3, r1 to m1, r2 to m2, spring at b3 and b2."""
        yield connect(self.world.frame_b, self.r1.frame_a, self.b3.frame_a)
        yield connect(self.r1.frame_b, self.b1.frame_a, self.m1.frame_a)
        yield connect(self.b1.frame_b, self.r2.frame_a)
        yield connect(self.r2.frame_b, self.b2.frame_a, self.m2.frame_a)
        yield connect(self.b3.frame_b, self.spring.frame_a)
        yield connect(self.b2.frame_b, self.spring.frame_b)


pendulum = DoublePendulum()
print(pendulum.report())

hanging = kt.linearise(DoublePendulum(r1={"phi": 0.0}))
found = np.sort(np.abs(np.linalg.eigvals(hanging.A).imag))[::2]
print("frequencies rad/s:", ", ".join(f"{omega:.8f}" for omega in found))
assert np.allclose(found, [4.01016849, 18.41435713], rtol=1e-9)

run = kt.simulate(pendulum, 5.0, step=0.01, rtol=1e-9, atol=1e-11)
print("time s   r1.phi rad   r2.phi rad   spring from b3 to b2 m")
for k in (0, 100, 200, 300, 400, 500):
    a, b = float(run["r1.phi"][k]), float(run["r2.phi"][k])
    x = 0.5 * np.sin(a) + 0.4 * np.sin(a + b)
    z = 0.5 * np.cos(a) + 0.4 * np.cos(a + b)
    print(f"{0.01 * k:6.2f} {a:12.6f} {b:12.6f} {np.hypot(x, 1.3 - z):14.6f}")
assert len(pendulum.report().states) == 4

for folder in sys.argv[1:]:
    kt.animate(pendulum, run, f"{folder}/components_double_pendulum.html")
    kt.plot(run, ["r1.phi", "r2.phi"], f"{folder}/components_double_pendulum.png")
