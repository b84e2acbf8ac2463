"""Methods in machine code: steps, error control, dense output and events without Python between."""

from __future__ import annotations

import time
from collections.abc import Callable

from kinetree.errors import UnsupportedError
from kinetree.integrate.drive import MOST_BUDGET, drive
from kinetree.integrate.loops.cvode import Cvode
from kinetree.integrate.loops.explicit import ExplicitLoop
from kinetree.integrate.loops.slices import Slices
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.problem import Path, Problem, Settings

GIVE_EVERY = 0.2
"""Time between two moments at which rows are handed over on the way [s]."""
JUDGED = 512
"""Steps between two moments at which these are judged, at most."""
FAMILIES = {"cvode_adams": "adams", "cvode_bdf": "bdf"}
"""Method -> CVODE's family of multistep methods."""


def native_method(name: str, problem: Problem, settings: Settings) -> Path:
    """Integrate a problem whose rates are machine code; Ctrl-C ends it without an error."""
    run = prepare(name, problem, settings)
    judged, sink = settings.judged, settings.sink
    give = None if sink is None else _giving(run, sink, 0.0 if judged else GIVE_EVERY)
    drive(run, settings.report, most=JUDGED if judged else MOST_BUDGET, pause=give)
    return run.path()


def _giving(run: Slices, sink: Callable[[Path], bool], pause: float) -> Callable[[], bool]:
    """Hands rows over, with a pause between [s]; whether the run shall stop."""
    due = 0.0

    def give() -> bool:
        nonlocal due
        if run.finished or (time.perf_counter() < due and not run.rows.many):
            return False
        wanted = sink(run.read_new())
        due = time.perf_counter() + pause
        return not wanted

    return give


def prepare(name: str, problem: Problem, settings: Settings) -> Slices:
    """A run that has not begun."""
    if problem.native is None:
        raise UnsupportedError("its rates are a Python function", element=f"method '{name}'")
    if name in FAMILIES:
        return Cvode(FAMILIES[name], problem, problem.native, settings)
    return ExplicitLoop(TABLEAUS[name], problem, problem.native, settings)
