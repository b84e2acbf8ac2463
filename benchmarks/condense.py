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


def robotran_table(quantity: str) -> dict[str, Any]:
    """Our total over ROBOTRAN's, model by model."""
    function, mean_limit, worst_limit = FUNCTIONS[quantity]
    rows = []
    for name in robotran.GOLDEN:
        row = counts.robotran_row(name, quantity)
        program = counts.program(row)
        ours = counts.robotran_total(program.count())
        theirs = robotran.published_counts()[name, function]
        before = counts.robotran_total(program.preamble_count())
        rows.append({"model": name, "ours": ours, "preamble": before, "robotran": theirs,
                     "ratio": ours / theirs})  # fmt: skip
    large = [row["ratio"] for row in rows if row["model"] not in SMALL]
    ratios = [row["ratio"] for row in rows]
    report.show(
        f"{quantity}, wrenches on every body; limits: average {mean_limit}, worst {worst_limit}",
        ("model", "ours", "preamble", "ROBOTRAN", "ratio"),
        [
            *(row.values() for row in rows),
            ["average of all", None, None, None, statistics.mean(ratios)],
            ["worst of all", None, None, None, max(ratios)],
            ["average without the two 6-joint ones", None, None, None, statistics.mean(large)],
            ["worst without the two 6-joint ones", None, None, None, max(large)],
        ],
    )
    return {"rows": rows, "average": statistics.mean(ratios), "worst": max(ratios),
            "average_large": statistics.mean(large), "worst_large": max(large)}  # fmt: skip


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
