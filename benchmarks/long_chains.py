"""Long chains: rings that swing, chains that hang, and cars that come to rest from bad starts.

Every case runs in a fresh process with an empty cache.  Times are processor times: of the first
call, deriving and compiling included, and of the same call again.  `drift` is the change of the
energy over the largest kinetic energy, `gap` the largest opening of the loop.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.models import ROOT

SWING, DRIFT, AGAIN = 20.0, 1e-6, 1.0
"""Most seconds of a ring of 60 links for 10 s, its most drift; most seconds of a known rest."""
ON_ROAD = {"z": 0.9, "roll": 0.3, "pitch": -0.2}
LINKS = (20, 60)
HANGING = (25, 50, 100)


def swing(n: int) -> dict[str, float]:
    """A ring of n links, 10 s."""
    from tests import mechanisms

    model = mechanisms.ring(n)
    began = time.process_time()
    run = kt.simulate(model, 10.0)
    seconds = time.process_time() - began
    state = {"q": run.q.values, "qd": run.qd.values}
    energy = kt.derive(model, "energy").evaluate(**state)
    gaps = kt.derive(model, "constraints").evaluate(**state)["h"]
    drift = np.ptp(energy["kinetic"] + energy["potential"]) / energy["kinetic"].max()
    return {"first": seconds, "drift": float(drift), "gap": float(np.abs(gaps).max())}


def _twice(rest: Callable[[], Any]) -> dict[str, float]:
    """Seconds of a state of rest, the first time and again."""
    found = {}
    for name in ("first", "again"):
        began = time.process_time()
        rest()
        found[name] = time.process_time() - began
    return found


def hang(n: int) -> dict[str, float]:
    """A chain of n links that hangs from one point."""
    from tests import mechanisms

    model = mechanisms.hanging(n)
    return _twice(lambda: kt.equilibrium(model))


def stand(name: str, q: dict[str, float]) -> dict[str, float]:
    """A car of the examples that comes to rest from some place above the road."""
    model = kt.load(ROOT / "examples" / "models" / f"{name}.yaml")
    locked = ["x", "y", "yaw"] if "yaw" in model.velocities else ["spin"]
    return _twice(lambda: kt.equilibrium(model, q=q, locked=locked))


CASES: dict[str, tuple[Callable[..., dict[str, float]], tuple[Any, ...]]] = {
    **{f"ring of {n} links, 10 s": (swing, (n,)) for n in LINKS},
    **{f"hanging chain of {n} links at rest": (hang, (n,)) for n in HANGING},
    "quarter car at rest": (stand, ("quarter_car", {"heave": 0.2})),
    "Iltis at rest": (stand, ("iltis", ON_ROAD)),
    "Limousine at rest": (stand, ("limousine", ON_ROAD)),
}


def measure(quick: bool = False) -> dict[str, Any]:
    """All cases, each in a process of its own."""
    rows = []
    for name in list(CASES)[:: 3 if quick else 1]:
        with tempfile.TemporaryDirectory() as folder:
            found = _in_a_child(name, folder)
        ring = "drift" in found
        rows.append(
            [name, found["first"], SWING if ring else None, found.get("again"),
             None if ring else AGAIN, found.get("drift"), found.get("gap")]
        )  # fmt: skip
    columns = ("case", "first s", "at most", "again s", "at most", f"drift (< {DRIFT:g})", "gap m")
    report.show("long chains", columns, rows)
    return {"rows": rows}


def _in_a_child(name: str, cache: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.long_chains", name],
        env={**os.environ, "KINETREE_CACHE": cache, "OPENBLAS_NUM_THREADS": "1"},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    make, given = CASES[sys.argv[1]]
    print(json.dumps(make(*given)))
