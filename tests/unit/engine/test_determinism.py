"""Same model, same bytes: whatever the seed of Python's hashes and whatever was derived before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import sys
import kinetree as kt
from tests import zoo
if sys.argv[1] == "busy":
    kt.derive(zoo.chain(4), "mass_bias")
for model in (zoo.every_kind(), zoo.planar_pendulum(3)):
    for quantity in ("inverse", "mass_bias", "forward"):
        print(kt.derive(model, quantity).show())
"""


def listing(seed: int, before: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": str(seed)}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "src"), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, before],
        env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_two_processes_write_the_same_program() -> None:
    first = listing(1, "idle")
    assert first.count("\n") > 1000
    assert listing(2, "busy") == first
