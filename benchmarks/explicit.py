"""Forward dynamics of large closed systems as one explicit function: the Limousine, the Iltis.

Derivation, compilation and reload in seconds; microseconds of processor time per call, single and
in a batch, beside the system's own inverse dynamics plus M, c (what the loops come on top of), and
operations.  States are near the closed configuration; Newton's method starts 1e-6 aside, as it does
in a simulation, so it takes one or two iterations.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.batch import SIZE, kernel_ns
from benchmarks.kinetree_side import Timed
from benchmarks.models import ROOT
from kinetree.program.restrict import restrict

MODELS = {"limousine": 15.0, "iltis": 8.0}
"""Model file -> microseconds per call that are promised."""
STATES = 64
ASIDE = 1e-6


@dataclass
class Row:
    """One model.

    Attributes:
        derive, compile, reload: seconds of processor time: equations, first and cached compilation.
        single, batch: microseconds of a call, and per state of a batch: accelerations and the
            closed state.
        whole: microseconds of a call with the multipliers.
        tree: microseconds of inverse dynamics plus M, c.
    """

    model: str
    derive: float = 0.0
    compile: float = 0.0
    reload: float = 0.0
    single: float = 0.0
    whole: float = 0.0
    batch: float = 0.0
    tree: float = 0.0
    wanted: float = 0.0
    operations: int = 0


def states(model: kt.Model, found: kt.Partition) -> dict[str, np.ndarray]:
    """States near the closed configuration."""
    rng = np.random.default_rng(0)
    q = np.repeat(found.q[None], STATES, axis=0)
    at = [model.coordinates.index(name) for name in found.dependent]
    q[:, at] += ASIDE * rng.normal(size=(STATES, len(at)))
    rest = {name: 0.1 * rng.normal(size=(STATES, model.nv)) for name in ("qd", "tau", "qdd")}
    return {"q": q, "t": np.zeros((STATES, 1)), **rest}


def microseconds(program: kt.Program, rows: dict[str, Any], repeats: int) -> tuple[float, Timed]:
    """Time per call, and the compiled function."""
    timed = Timed(program, rows)
    return timed.time(repeats, 1e-3) / 1e3, timed


def measure(name: str, wanted: float, repeats: int = 30) -> Row:
    """All figures of one model file."""
    model = kt.load(ROOT / "examples" / "models" / f"{name}.yaml")
    found = kt.partition(model)
    row = Row(name, wanted=wanted)
    start = time.process_time()
    whole = kt.derive(model, "forward", partition=found)
    row.derive = time.process_time() - start
    program = restrict(whole, ("qdd", "q_closed", "qd_closed"))
    rows = states(model, found)
    row.compile = _compiled(program)
    row.reload = _compiled(program)
    row.single, timed = microseconds(program, rows, repeats)
    row.operations = timed.operations
    copies = SIZE // STATES
    wide = {key: np.tile(rows[key], (copies, 1)) for key in timed.first}
    row.batch = kernel_ns(timed, wide, max(3, repeats // 10)) / 1e3
    row.whole, _ = microseconds(whole, rows, repeats)
    tree = [kt.derive(model, quantity) for quantity in ("inverse", "mass_bias")]
    row.tree = sum(microseconds(part, rows, repeats)[0] for part in tree)
    return row


def _compiled(program: kt.Program) -> float:
    start = time.process_time()
    program.compile()
    return time.process_time() - start


def measure_all(repeats: int) -> list[dict[str, Any]]:
    """Measure and print all models."""
    rows = [measure(name, wanted, repeats) for name, wanted in MODELS.items()]
    report.show(
        "explicit forward dynamics of closed systems",
        ("model", "derive s", "compile s", "reload s", "µs", "wanted µs", "with λ", "batch µs",
         "inverse + M, c", "ratio", "operations"),
        [
            (r.model, r.derive, r.compile, r.reload, r.single, r.wanted, r.whole, r.batch, r.tree,
             r.single / r.tree, r.operations)
            for r in rows
        ],
    )  # fmt: skip
    return [asdict(row) for row in rows]
