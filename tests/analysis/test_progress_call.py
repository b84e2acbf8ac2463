"""A function for progress is told how far a run is, and ends it; what was computed stays."""

from __future__ import annotations

import pytest
from tests.analysis import systems

import kinetree as kt


@pytest.mark.parametrize("method", ["auto", "rk4", "BDF", "trapezoidal"])
def test_a_function_is_told_and_may_end_the_run(method: str) -> None:
    told: list[float] = []

    def stop(t: float) -> bool:
        told.append(t)
        return t > 1.0

    run = kt.simulate(systems.double_pendulum(), 2000.0, method=method, step=0.01, q=[0.3, 0.4],
                      progress=stop)  # fmt: skip
    assert told == sorted(told)
    assert 1.0 < told[-1] < 2000.0
    assert run.attrs["termination"].startswith("interrupted")
    assert 0.9 < float(run.time[-1]) < 2000.0
    same = kt.simulate(systems.double_pendulum(), 0.5, method=method, step=0.01, q=[0.3, 0.4],
                       progress=lambda t: None)  # fmt: skip
    assert same.attrs["termination"] == "finished"
