"""The whole Manutec r3 from components: planning, controllers, circuits, gears, dry friction, arm.

Printed, in processor seconds of one thread: components to the first derivative, in processes of
their own with an empty cache and with a filled one (imports apart); the rates by one native call;
the run of 1.856 s (the least of several, with all results), and its steps alone.  Figures of other
tools are their own: Dymola 2020x by its log, Multibody.jl by its page (no dry friction), rumoca
0.10.2 measured here (it fails to initialise).

    python -m benchmarks.component_r3
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

REPEATS = 7
HOW = {"rtol": 1e-6, "atol": 1e-8, "step": 0.01}
END = 2.0  # it stops by itself at 1.856045 s
FIRST = """
import json, time
began = time.process_time()
import kinetree as kt
import numpy as np
from kinetree.library import r3
imported = time.process_time()
robot = r3.Robot()
program = kt.derive(robot)
derived = time.process_time()
given = {row.name: np.zeros(row.shape) for row in program.inputs}
given["p"] = np.array(program.input("p").default)
given["x"] = np.array([row.initial for row in robot.as_mechanism().states.values()])
program.compile()(**given)
found = [imported - began, derived - imported, time.process_time() - derived]
print(json.dumps(found))
"""


def first_derivative(folder: str) -> tuple[float, float, float]:
    """Seconds of imports, of sorting and deriving, of compiling with the first call."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST], check=True, capture_output=True, text=True,
        env={**os.environ, "KINETREE_CACHE": folder},
    )  # fmt: skip
    found: list[float] = json.loads(done.stdout)
    return found[0], found[1], found[2]


def one_call() -> tuple[float, str]:
    """Nanoseconds of the rates of all states, and their operations."""
    import kinetree as kt
    from benchmarks.kinetree_side import Timed
    from kinetree.library import r3
    from kinetree.program.restrict import restrict

    robot = r3.Robot()
    program = restrict(kt.derive(robot), ["xd"])
    start = np.array([row.initial for row in robot.as_mechanism().states.values()])
    rows = {row.name: np.zeros((64, *row.shape)) for row in program.inputs}
    rows = {name: row.reshape(64, -1) for name, row in rows.items()}
    rows["x"] = np.tile(start, (64, 1))
    timed = Timed(program, rows)
    return timed.time(20, 0.05), str(program.count())


def run() -> tuple[float, float, int, int]:
    """Least processor seconds of a run and of its steps, numbers of steps and of events."""
    import kinetree as kt
    from kinetree.library import r3

    robot, whole, inside = r3.Robot(), [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stiff forces hold the steps
        kt.simulate(robot, END, **HOW)
        for _ in range(REPEATS):
            began = time.process_time()
            made = kt.simulate(robot, END, **HOW)
            whole.append(time.process_time() - began)
            inside.append(made.attrs["wall_time_s"])
    assert abs(made.attrs["end_time"] - 1.856045002) < 1e-8
    return min(whole), min(inside), made.attrs["steps"], made.sizes["event"]


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        for what, wanted in (("empty cache", "4"), ("filled cache", "0.5")):
            took = first_derivative(folder)
            print(
                f"components to first derivative, {what}: {sum(took[1:]):.2f} s (sorting and "
                f"deriving {took[1]:.2f}, compiling {took[2]:.2f}), imports {took[0]:.2f} s; "
                f"{wanted} s wanted, rumoca 64 s"
            )
    ns, count = one_call()
    print(f"rates by one native call: {ns / 1000:.2f} µs; 1 µs wanted; {count}")
    whole, inside, steps, events = run()
    print(
        f"run of 1.856 s: {whole:.3f} s, its {steps} steps {inside:.3f} s, {events} events; 0.05 s "
        "wanted, Dymola 0.50 s, Multibody.jl 0.11 s"
    )


if __name__ == "__main__":
    main()
