"""A small run, and the viewer where it is built."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.view.page import BUNDLE


@pytest.fixture(scope="session")
def pendulum() -> kt.Model:
    return kt.load("examples/models/double_pendulum.yaml")


@pytest.fixture(scope="session")
def run(pendulum: kt.Model) -> Any:
    """Coordinates of two sines, with their rates."""
    from kinetree.view.signals import as_run

    t = np.linspace(0, 2, 81)
    q = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
    qd = np.stack([3 * np.cos(3 * t), -2 * np.sin(2 * t)], axis=1)
    return as_run(pendulum, {"time": t, "q": q, "qd": qd})


@pytest.fixture
def viewer() -> str:
    """The text of the built viewer."""
    if not BUNDLE.is_file():
        pytest.skip("the viewer is not built: run 'make web', which needs node")
    return BUNDLE.read_text(encoding="utf-8")
