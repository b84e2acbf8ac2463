"""N four-bar mechanisms side by side through their singular positions, hybrid formulation.

Every 2.2 s or so all bars align and each loop might go on in two ways.  For several steps: whether
the run of 10 s ends, its largest change of energy over the largest kinetic energy, its distance
from the run with the shortest step, Newton's iterations and the time.

    python -m benchmarks.four_bars [N]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from tests import mechanisms

import kinetree as kt
from kinetree.integrate import Stepper

STEPS = (0.001, 0.002, 0.0025, 0.004, 0.005, 0.008, 0.01)
DURATION = 10.0


def main(count: int = 40) -> bool:
    """Run and print; whether all steps passed."""
    model = mechanisms.n_four_bar(count)
    began = time.process_time()
    stepper = Stepper(model, "hybrid")
    print(f"N = {count}: derived and compiled in {time.process_time() - began:.1f} s")
    energy = kt.derive(model, "energy").compile()
    qd = [-1.0 if name.startswith("u") else 1.0 for name in model.velocities]
    passed, fine = True, None
    for step in STEPS:
        run = stepper.run(DURATION, step, qd=qd)
        assert not isinstance(run.report, tuple)
        passed &= run.report.end == "finished"
        found = energy(q=run.q, qd=run.qd)
        total = found["kinetic"] + found["potential"]
        drift = np.abs(total - total[0]).max() / np.abs(found["kinetic"]).max()
        fine = run if fine is None else fine
        ends = np.abs(run.q[-1] - fine.q[-1]).max()
        print(
            f"{step:7.4f} s  {run.report.end:8s} energy {drift:.1e}  distance {ends:.1e}  "
            f"iterations {run.report.iterations:.2f} (most {run.report.most})  "
            f"{run.report.wall:.2f} s"
        )
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*map(int, sys.argv[1:])) else 1)
