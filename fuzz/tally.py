"""What a campaign counts: cases, checks, worst errors, what was set aside, failures to repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

NOTED = 50
"""Failures kept with their details; further ones are only counted."""


@dataclass(frozen=True)
class Failure:
    """One wrong thing, and the seed and case number that bring it back alone."""

    campaign: str
    seed: int
    case: int
    what: str
    detail: str

    def __str__(self) -> str:
        again = f"python -m fuzz {self.campaign} --seed {self.seed} --only {self.case}"
        return f"{self.what}: {self.detail}\n    again: {again}"


@dataclass
class Checks:
    """How often a quantity was compared, and the largest relative error met."""

    count: int = 0
    worst: float = 0.0


@dataclass
class Tally:
    """The counts of a campaign, and where they stand while it runs.

    Attributes:
        campaign: its name.
        seed: of all its cases.
        made: cases drawn.
        compared: cases in which something was compared.
        checks: quantity -> how often compared, worst error.
        aside: reason -> how often something was not compared.
        failed: number of failures.
        failures: the first of them.
        seconds: of work.
    """

    campaign: str
    seed: int
    made: int = 0
    compared: int = 0
    checks: dict[str, Checks] = field(default_factory=dict)
    aside: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    case: int = 0

    @property
    def total(self) -> int:
        """Number of comparisons of all quantities."""
        return sum(row.count for row in self.checks.values())

    def compare(
        self,
        what: str,
        actual: Any,
        expected: Any,
        tolerance: float,
        scale: float | None = None,
    ) -> bool:
        """Count one comparison of arrays; a failure where they differ.

        Args:
            what: name of the quantity.
            actual: what kinetree gave.
            expected: what the reference gave.
            tolerance: of the error relative to `scale`.
            scale: size of the numbers that were added up; by default the largest expected one.

        Returns:
            Whether they agree.
        """
        a, e = np.asarray(actual), np.asarray(expected)
        if a.shape != e.shape:
            self.fail(what, f"shape {a.shape} instead of {e.shape}")
            return False
        size = float(np.abs(e).max(initial=0.0)) if scale is None else scale
        error = float(np.abs(a - e).max(initial=0.0)) / (size or 1.0)
        return self.measure(what, error, tolerance, lambda: f"{_worst(a, e)}")

    def measure(self, what: str, error: float, tolerance: float, detail: Any = None) -> bool:
        """Count one error; a failure where it is above the tolerance or not a number."""
        fine = error <= tolerance
        row = self.checks.setdefault(what, Checks())
        row.count += 1
        if fine:
            row.worst = max(row.worst, error)
        else:
            more = "" if detail is None else f"; {detail()}"
            self.fail(what, f"error {error:.2e} > {tolerance:.0e}{more}")
        return fine

    def expect(self, what: str, fine: bool, detail: str = "") -> bool:
        """Count one yes or no; a failure where it is no."""
        self.checks.setdefault(what, Checks()).count += 1
        if not fine:
            self.fail(what, detail)
        return fine

    def fail(self, what: str, detail: str) -> None:
        """Note a failure of the case at hand."""
        self.failed += 1
        if len(self.failures) < NOTED:
            self.failures.append(Failure(self.campaign, self.seed, self.case, what, detail))

    def set_aside(self, reason: str, count: int = 1) -> None:
        """Count something that was not compared."""
        self.aside[reason] = self.aside.get(reason, 0) + count

    def add(self, other: Tally) -> None:
        """Take over the counts of further cases."""
        self.made += other.made
        self.compared += other.compared
        self.failed += other.failed
        self.failures += other.failures[: NOTED - len(self.failures)]
        self.seconds += other.seconds
        for reason, count in other.aside.items():
            self.set_aside(reason, count)
        for what, row in other.checks.items():
            own = self.checks.setdefault(what, Checks())
            own.count, own.worst = own.count + row.count, max(own.worst, row.worst)

    def as_data(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Tally:
        """What `as_data` gave, back again."""
        rows = {what: Checks(**row) for what, row in data["checks"].items()}
        failures = [Failure(**row) for row in data["failures"]]
        return cls(**{**data, "checks": rows, "failures": failures})


def _worst(a: Any, e: Any) -> str:
    """The component that differs most."""
    gap = np.nan_to_num(np.abs(a - e), nan=np.inf)
    at = np.unravel_index(int(np.argmax(gap)), gap.shape)
    return f"component {[int(k) for k in at]} is {a[at]!r} instead of {e[at]!r}"
