"""What is found of some runs of a sweep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinetree.arrays import Array


@dataclass(frozen=True)
class PartRows:
    """Some runs.

    Attributes:
        values: measure -> one value per run; not a number where it failed.
        reasons: why runs failed; empty where they did not.
    """

    values: dict[str, Array]
    reasons: list[str]

    @classmethod
    def of(cls, names: Iterable[str], count: int) -> PartRows:
        """Runs of which nothing is known yet."""
        return cls({name: np.full(count, np.nan) for name in names}, [""] * count)
