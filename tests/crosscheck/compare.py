"""One helper that says where two engines part: level, body or joint, component."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.approx import CROSS_ENGINE, relative_error

LEVELS = ("pose", "velocity", "Jacobian", "acceleration", "inverse", "c", "M", "qdd", "derivative")


def assert_same(
    ours: Any,
    theirs: Any,
    what: str,
    *,
    labels: Any = (),
    tolerance: float = CROSS_ENGINE,
    scale: float | None = None,
) -> None:
    """Fail with the worst component when two engines differ.

    Args:
        ours: our numbers.
        theirs: the other engine's numbers.
        what: level and body, such as "M" or "Jacobian of hand".
        labels: names of the rows and columns, the velocity names mostly; one list serves all axes.
        tolerance: relative to `scale`.
        scale: magnitude to measure errors against; by default that of the largest number.
    """
    a, b = np.asarray(ours), np.asarray(theirs)
    error = relative_error(a, b, scale)
    if error <= tolerance:
        return
    worst = np.unravel_index(int(np.argmax(np.nan_to_num(np.abs(a - b), nan=np.inf))), a.shape)
    names = [labels[k] if len(labels) == n else str(k) for k, n in zip(worst, a.shape, strict=True)]
    mine, other = float(a[worst]), float(b[worst])
    raise AssertionError(
        f"{what}: relative error {error:.2e} > {tolerance:.0e}; "
        f"component [{', '.join(names)}] is {mine!r}, the other engine has {other!r}"
    )
