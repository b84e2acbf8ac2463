"""Curves that are sent to the page: few points, and no peak is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.analysis import systems

import kinetree as kt
from kinetree.studio.jobs import MOST_POINTS, Job, curves


def test_thin_curves_keep_their_peaks_and_ends(tmp_path: Path) -> None:
    run = kt.simulate(systems.double_pendulum(), 2.0, step=1e-4, q=[0.3, 0.4])
    run["q"][5003, 0], run["q"][7777, 1] = 9.0, -9.0
    kt.save_run(run, tmp_path / "run.nc")
    found = curves(Job(1, tmp_path), ["q.a", "q.b"])
    assert len(found["time"]) <= 2 * MOST_POINTS
    assert (max(found["q.a"]), min(found["q.b"])) == (9.0, -9.0)
    assert found["time"][0] == run.time.values[0]
    assert found["time"][-1] == run.time.values[-1]
    assert np.all(np.diff(found["time"]) > 0)
