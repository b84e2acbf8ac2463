"""Condensation: operation counts beside those of Dymola and ROBOTRAN, as one table.

Total = ROBOTRAN's convention: binary additions, subtractions and multiplications, sign changes,
sines and cosines; M's upper triangle only. Content is equal: ROBOTRAN's nine files carry an
external force and torque on every body, so do these Programs; driven joints keep q, qd, qdd on
both sides.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

from benchmarks import report
from benchmarks.models import ROOT

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.reference import counts, jacobian31, robotran

LIMITS = {  # most multiplications, most additions
    "r3 no load, inverse": (167, 114),
    "r3 rigid load, inverse": (210, 150),
    "r3 no load (five joints), forward": (644, 455),
    "r3 no load (rotor on link 6), forward": (644, 455),
}
SMALL = ("suspension_6a", "suspension_6b")
RATIOS = ("ratio", "bare_ratio")
FUNCTIONS = {"inverse": ("invdyna", 0.75, 0.85), "mass_bias": ("dirdyna", 0.36, 0.42)}


def r3_table() -> list[dict[str, Any]]:
    """The Manutec r3 against the limits."""
    rows = []
    for row in counts.R3:
        count = counts.program(row).count()
        mul, add = LIMITS.get(row.key, (None, None))
        rows.append(
            {"case": row.key, "mul": count.mul + count.div, "add": count.add, "neg": count.neg,
             "sincos": count.call, "most_mul": mul, "most_add": add}
        )  # fmt: skip
    report.show(
        "Manutec r3 of 1993 (divisions counted as multiplications)",
        ("case", "mul", "add", "neg", "sin/cos", "mul at most", "add at most", ""),
        [[*row.values(), reached(row)] for row in rows],
    )
    return rows


def reached(row: dict[str, Any]) -> str:
    """Whether the limits are kept."""
    if row["most_mul"] is None:
        return ""
    return "ok" if row["mul"] <= row["most_mul"] and row["add"] <= row["most_add"] else "over"


def robotran_row(name: str, quantity: str) -> dict[str, Any]:
    """Our total and ROBOTRAN's; `bare` is ours without wrenches, which is less content."""
    program = counts.program(counts.robotran_row(name, quantity))
    ours = counts.robotran_total(program.count())
    theirs = robotran.published_counts()[name, FUNCTIONS[quantity][0]]
    before = counts.robotran_total(program.preamble_count())
    bare = counts.robotran_total(counts.program(counts.bare_row(name, quantity)).count())
    return {"model": name, "ours": ours, "preamble": before, "robotran": theirs,
            "ratio": ours / theirs, "bare": bare, "bare_ratio": bare / theirs}  # fmt: skip


def summary(rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Label -> ratio with wrenches, ratio without."""
    large = [row for row in rows if row["model"] not in SMALL]
    return {
        f"{word} of {label}": [measure_of([row[key] for row in some]) for key in RATIOS]
        for label, some in (("all", rows), ("those with more than 6 joints", large))
        for word, measure_of in (("average", statistics.mean), ("worst", max))
    }


def robotran_table(quantity: str) -> dict[str, Any]:
    """Our total over ROBOTRAN's, model by model."""
    _, mean_limit, worst_limit = FUNCTIONS[quantity]
    rows = [robotran_row(name, quantity) for name in robotran.GOLDEN]
    digest = summary(rows)
    report.show(
        f"{quantity}, wrenches on every body; limits: average {mean_limit}, worst {worst_limit}",
        ("model", "ours", "preamble", "ROBOTRAN", "ratio", "ours without wrenches", "ratio"),
        [
            *(list(row.values()) for row in rows),
            *([label, None, None, None, x, None, y] for label, (x, y) in digest.items()),
        ],
    )
    return {"rows": rows, "summary": digest}


def jacobian_table() -> dict[str, Any]:
    """The element J(3,1) of Docquier2013 eq. 47."""
    count = jacobian31.count()
    total = count.add + count.mul + count.neg
    report.show(
        "J(3,1) of Docquier2013 eq. 47; limit 44 binary operations, paper 62, classical 220",
        ("", "mul", "add", "neg", "sin/cos", "mul + add", "with neg"),
        [["J(3,1)", count.mul, count.add, count.neg, count.call, count.add + count.mul, total]],
    )
    return {"mul": count.mul, "add": count.add, "neg": count.neg, "sincos": count.call}


def measure() -> dict[str, Any]:
    """All tables."""
    return {
        "r3": r3_table(),
        **{quantity: robotran_table(quantity) for quantity in FUNCTIONS},
        "jacobian31": jacobian_table(),
    }


if __name__ == "__main__":
    measure()
