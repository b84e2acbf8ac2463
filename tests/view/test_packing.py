"""Tables come back from a page as they went in, and smooth ones are short."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import IDENTITY

from kinetree.view.packing import STEPS, pack, unpack

t = np.linspace(0, 10, 1000)
TABLES = {
    "smooth": np.stack([np.sin(3 * t), 1e6 + t**2, -1e-9 * np.cos(t)], axis=1),
    "jumps": np.stack([np.sign(np.sin(9 * t)), np.floor(t)], axis=1),
    "noise": np.random.default_rng(1).normal(size=(300, 4)),
    "constant": np.full((5, 2), 3.25),
    "one row": np.array([[1.0, -2.0, 1e300]]),
    "no columns": np.zeros((4, 0)),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_value_returns_within_half_a_step(name: str) -> None:
    table = TABLES[name]
    back = unpack(pack(table))
    assert back.shape == table.shape
    step = np.ptp(table, axis=0) / STEPS
    assert (np.abs(back - table) <= 0.51 * step + IDENTITY * np.abs(table)).all()


def test_smooth_columns_cost_less_than_two_bytes_a_value() -> None:
    table = np.sin(t[:, None] * np.linspace(0.3, 3, 60))
    assert len(pack(table)["data"]) < 2 * table.size


def test_rounding_errors_are_not_kept() -> None:
    noise = 1e-16 * np.random.default_rng(2).normal(size=(1000, 20))
    assert len(pack(noise, finest=1e-9)["data"]) < 200
