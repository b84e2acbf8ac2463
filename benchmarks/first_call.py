"""Patience: seconds from a URDF file to the first forward dynamics, imports apart.

Each run is a fresh process; the first finds an empty cache of object code, the second a full one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks import report
from benchmarks.models import ROOT, urdf_path

CHILD = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import kinetree as kt
import llvmlite.binding
clock = time.perf_counter
start = clock()
model = kt.load(sys.argv[1])
loaded = clock()
program = kt.derive(model, "forward")
derived = clock()
function = program.compile()
compiled = clock()
zero = np.zeros(model.nv)
function(q=zero, qd=zero, tau=zero)
end = clock()
out = {"load_s": loaded - start, "derive_s": derived - loaded, "compile_s": compiled - derived}
print(json.dumps({**out, "call_s": end - compiled, "total_s": end - start}))
"""
LIMITS = {"arm7": (1.0, 0.1), "chain100": (8.0, None)}  # cold, cached


def arm_path() -> str:
    """The seven-joint arm: the Panda without its two fingers."""
    text = urdf_path("panda").read_text()
    for finger in ("panda_finger_joint1", "panda_finger_joint2"):
        text = text.replace(f'name="{finger}" type="prismatic"', f'name="{finger}" type="fixed"')
    path = urdf_path("panda").with_name("arm7.urdf")
    path.write_text(text)
    return str(path)


def run_once(path: str, cache: str) -> dict[str, float]:
    """One fresh process with the given cache folder."""
    search = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", CHILD, path],
        env={**os.environ, "PYTHONPATH": search, "KINETREE_CACHE": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(quick: bool = False) -> dict[str, Any]:
    """Cold and cached, the better of a few tries each."""
    paths = {"arm7": arm_path()}
    if not quick:
        paths["chain100"] = str(urdf_path("chain100"))
    rows = []
    for name, path in paths.items():
        tries = []
        for _ in range(1 if quick else 3):
            with tempfile.TemporaryDirectory() as folder:
                tries.append([run_once(path, folder), run_once(path, folder)])
        for k, word in enumerate(("cold", "cached")):
            best = min((pair[k] for pair in tries), key=lambda run: run["total_s"])
            rows.append({"model": name, "cache": word, **best, "limit_s": LIMITS[name][k]})
    report.show(
        "URDF to first forward dynamics, imports apart",
        ("model", "cache", "load s", "derive s", "compile s", "first call s", "total s", "at most"),
        [list(row.values()) for row in rows],
    )
    return {"rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
