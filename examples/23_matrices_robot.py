"""The spatial robot of the Multibody Systems Handbook: matrices, efforts as vectors, a C program.

The torque about z in the first phase is 673 t - 508 in the listing of Verlinden et al. and
637 t - 508 in their table; the former leaves less speed at the end, as the benchmark wants.
With a folder as argument it writes there an animation, the curves and the C program.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from kinetree.algebra import disp, rotx, roty, rotz
from kinetree.functions import exp, select

STEEL = {"colour": "#8b95a1"}


def robot(slope: float = 673.0) -> kt.FrameModel:
    """The robot with the actuator laws of the benchmark."""
    model = kt.FrameModel("handbook_robot")
    z, theta = model.coordinate("z0", "m", 2.25), model.coordinate("theta", "rad", -0.5236)
    y, beta = model.coordinate("y2", "m", 0.75), model.coordinate("beta")
    alpha = model.coordinate("alpha")
    reach, t = model.parameter("L", 0.5, "m"), model.t
    offset = model.parameter("C", 0.05, "m")

    place = rotz(theta) @ disp(0, 0, z)
    along = place @ roty(beta) @ disp(0, y, 0)
    end = place @ roty(beta) @ disp(0, y + reach, 0) @ rotx(alpha) @ disp(0, offset, 0)
    column = model.frame("column", place, 250.0, (90, 10, 90))
    arm = model.frame("arm", along, 150.0, (13, 0.75, 13))
    hand = model.frame("hand", end, 100.0, (4, 1, 4.3))

    def phases(first: Any, second: Any, third: Any) -> Any:
        return select(0.5 - t, first, select(1.5 - t, second, third))

    lift = phases(6348, 4905, 3462) * place.R.uz
    turn = phases(slope * t - 508, 148 * exp(-5.5 * (t - 0.5)) - 8, 240) * place.R.uz
    push = phases(36 * t + 986, -2, -1019) * along.R.uy
    roll = phases(63.5, 49.05, 34.6) * along.R.ux
    model.external("on_column", column, force=lift - push, torque=turn)
    model.external("on_arm", arm, force=push, torque=-roll)
    model.external("on_hand", hand, torque=roll)
    model.shapes = {
        "ground": {"kind": "box", "size": [0.3, 0.3, 5.2], "position": [0, 0, 2.6]} | STEEL,
        "column": {"kind": "box", "size": [0.5, 2.0, 0.5]},
        "arm": {"kind": "box", "size": [0.22, 4.2, 0.22], "position": [0, -1.6, 0]},
        "hand": [
            {"kind": "box", "size": [0.36, 0.3, 0.2], "position": [0, 0.05, 0]},
            {"kind": "box", "size": [0.06, 0.5, 0.14], "position": [0.14, 0.4, 0]},
            {"kind": "box", "size": [0.06, 0.5, 0.14], "position": [-0.14, 0.4, 0]},
        ],
    }
    return model


if __name__ == "__main__":
    model = robot()
    kt.derive(model, "forward")
    begin = time.perf_counter()
    forward = kt.derive(model, "forward")
    print(f"equations in {1e3 * (time.perf_counter() - begin):.0f} ms: {forward.count()}")
    run = kt.simulate(model, 2.0, step=0.05, rtol=1e-10, atol=1e-12, max_step=0.01)
    print("q at 2 s: ", run.q.values[-1].round(6))
    print("qd at 2 s:", run.qd.values[-1].round(6))
    for folder in map(Path, sys.argv[1:]):
        kt.animate(model, run, folder / "robot.html", title="Handbook robot")
        kt.plot(run, ["q"], folder / "robot.png")
        files = kt.write_simulation(model, folder / "robot_c", duration=2.0, step=1e-3, every=50)
        print("C program:", ", ".join(path.name for path in files))
        if shutil.which("gcc"):
            program = (folder / "robot_c" / "run").resolve()
            sources = [str(path) for path in files if path.suffix == ".c"]
            subprocess.run(["gcc", "-O2", *sources, "-o", str(program), "-lm"], check=True)
            table = subprocess.run([program], capture_output=True, check=True)
            rows = np.loadtxt(table.stdout.decode().splitlines(), delimiter=",", skiprows=1)
            print(f"it differs by {np.abs(rows[:, 1:6] - run.q.values).max():.1e} from the run")
            assert np.abs(rows[:, 1:6] - run.q.values).max() < 1e-6
