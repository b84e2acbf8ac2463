"""Large cases of the corpus, one by one: a humanoid, and a time step of a car with loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from approx import IDENTITY, assert_close, scale_of
from targets.cases import case, expected
from targets.registry import LARGE
from targets.test_texts import c_like, split, stacked

PAIRS = [(name, target) for name, targets in LARGE.items() for target in targets]


def found(name: str, target: str, folder: Path) -> list[dict[str, Any]]:
    if target == "native":
        return split(name, case(name).program.compile()(**stacked(name)))
    rows: list[dict[str, Any]] = c_like(target, (name,), folder, "double")[name]
    return rows


def scale(name: str, state: dict[str, Any], reference: dict[str, Any]) -> float:
    """What an output is measured by: its largest value.

    Accelerations at the end of a step are a quotient: they are known as well as velocities over h.
    """
    own = scale_of(reference[name])
    if name != "qdd_next":
        return own
    return max(own, scale_of(reference["qd_next"]) / float(state["h"]))


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_large(name: str, target: str, tmp_path: Path) -> None:
    rows = found(name, target, tmp_path)
    for values, state, reference in zip(rows, case(name).states, expected(name), strict=True):
        for out, value in reference.items():
            assert np.isfinite(value).all()
            size = scale(out, state, reference)
            assert_close(np.array(values[out], float), value, IDENTITY, f"{name}: {out}", size)
