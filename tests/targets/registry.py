"""Which case of the corpus runs on which target: tests go by it, the documentation shows it."""

from __future__ import annotations

from kinetree.program import Newton, Program
from targets.cases import ROWS

EVERYTHING = tuple(ROWS)
ITERATED = (
    "kepler", "coupled_6", "sequence", "early", "directed", "far", "four_bar", "cranks",
    "limousine", "crank_step", "iltis_step",
)  # fmt: skip
"""Cases with Newton blocks."""
LARGE = ("limousine", "talos", "iltis_step")
"""Cases of ten thousand operations and more."""
RUNS: dict[str, tuple[str, ...]] = {
    "native": EVERYTHING,
    "c": EVERYTHING,
    "cpp": EVERYTHING,
    "cuda": EVERYTHING,
    "fortran": EVERYTHING,
    "matlab": EVERYTHING,
    "simulink": (
        "pendulum_inverse",
        "pendulum_forward",
        "forced",
        "touching",
        "crank",
        "four_bar",
        "limousine",
        "talos",
    ),
    "python": EVERYTHING,
    "jax": EVERYTHING,
    "torch": EVERYTHING,
    "casadi": EVERYTHING,
    "sympy": tuple(name for name in EVERYTHING if name not in (*ITERATED, "outside")),
    "javascript": EVERYTHING,
}
"""Target -> the cases that its tests run."""
HANDED = ("fmu",)
"""Targets that hand over a whole motion; tests/export runs them."""
READ = ("latex", "html")
"""Targets for people: they are read, not run."""
REFUSED = {"sympy": ITERATED}
"""Target -> the cases that it refuses with a sentence."""
SINGLE = {"c": 1e-5, "cpp": 1e-5, "cuda": 1e-5, "fortran": 1e-5}
"""Targets that offer single precision, with the relative error that is allowed."""


def iterates(program: Program) -> bool:
    return any(isinstance(block, Newton) for block in (*program.preamble, *program.blocks))


def table() -> str:
    """Kinds of cases against targets, as Markdown."""
    kinds: dict[str, list[str]] = {}
    for name, (kind, *_) in ROWS.items():
        kinds.setdefault(kind, []).append(name)
    lines = [f"| | {' | '.join(RUNS)} |", f"|---|{'---|' * len(RUNS)}"]
    for kind, names in kinds.items():
        cells = [_cell(target, names) for target in RUNS]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    cells = ["yes" if target in SINGLE else "" for target in RUNS]
    return "\n".join([*lines, f"| single precision | {' | '.join(cells)} |"])


def _cell(target: str, names: list[str]) -> str:
    if any(name in RUNS[target] for name in names):
        return "yes"
    return "refused" if any(name in REFUSED.get(target, ()) for name in names) else ""
