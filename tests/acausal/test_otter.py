"""What sorting makes of the two libraries of Otter, Elmqvist, Cellier 1996 (`otter.py`).

Must come out (sec. 5 and 6): the inverse problem of the first has no loops, the direct one a single
linear system that is torn to as many unknowns as there are joints; the second has none.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.acausal.otter import MbsR3, SimR3
from tests.acausal.test_multibody import known_values
from tests.reference import manutec

import kinetree as kt
from approx import CROSS_ENGINE, assert_close
from kinetree.acausal.sort import sort_component

CASE = manutec.golden_cases()[1]
"""The state with a load of 15 kg."""
TAU, M, C = (np.array(CASE[name]) for name in ("tau", "M", "c"))
ANGLES = [f"r[{k}].q" for k in range(6)]
TORQUES = [f"u{k}" for k in range(1, 7)]
GIVEN = dict(zip(TORQUES, CASE["tau"], strict=True))


@cache
def direct(kind: Any, *, lockable: bool) -> kt.Program:
    return kt.derive(kind(lockable=lockable), wanted=[f"r[{k}].qdd" for k in range(6)])


def accelerations(kind: Any, locked: Any = ()) -> Any:
    program = direct(kind, lockable=bool(locked))
    rows = {f"r[{k}].q": q for k, q in enumerate(CASE["q"])}
    rows |= {f"r[{k}].qd": qd for k, qd in enumerate(CASE["qd"])}
    rows |= {f"r[{k}].lock.L": float(k in locked) for k in range(6)}
    x = np.array([rows[label] for label in program.input("x").labels])
    return program.evaluate(t=0.0, known=known_values(program, **GIVEN), x=x)["wanted"]


def test_the_direct_problem_is_one_linear_block_torn_to_six() -> None:
    report = MbsR3().report()
    assert len(report.states) == 12
    ((size, torn, linear, _),) = report.blocks
    assert (size, torn, linear) == (136, 6, True)
    assert_close(accelerations(MbsR3), CASE["qdd"], CROSS_ENGINE)


def test_the_inverse_problem_has_no_loops() -> None:
    found = sort_component(MbsR3(), ANGLES)
    assert not found.report().blocks
    program = kt.derive(MbsR3(), known=ANGLES, wanted=TORQUES)
    rows = {f"r[{k}].q": q for k, q in enumerate(CASE["q"])}
    rows |= {f"der(r[{k}].q)": qd for k, qd in enumerate(CASE["qd"])}
    rows |= {f"der(der(r[{k}].q))": qdd for k, qdd in enumerate(CASE["qdd"])}
    out = program.evaluate(t=0.0, known=known_values(program, **rows))
    assert_close(out["wanted"], TAU, CROSS_ENGINE)


def test_the_second_library_solves_the_direct_problem_without_loops() -> None:
    assert not SimR3().report().blocks
    assert_close(accelerations(SimR3), CASE["qdd"], CROSS_ENGINE)


@pytest.mark.parametrize("locked", [(0,), (1, 3), (0, 2, 4, 5), range(6)])
@pytest.mark.parametrize("kind", [MbsR3, SimR3])
def test_joints_may_be_locked_in_both(kind: Any, locked: Any) -> None:
    """Eqs. 8 and 9, and 16 to 19: the rows of locked joints are left out of M and c."""
    free = [k for k in range(6) if k not in locked]
    exact = np.zeros(6)
    if free:
        exact[free] = np.linalg.solve(M[np.ix_(free, free)], (TAU - C)[free])
    assert_close(accelerations(kind, locked), exact, CROSS_ENGINE)


def test_lockable_joints_have_the_forces_of_their_locks_in_the_block() -> None:
    """Eq. 12: at most twelve unknowns, accelerations and forces of locks."""
    ((_, torn, linear, _),) = MbsR3(lockable=True).report().blocks
    assert linear
    assert torn <= 12


OPERATIONS = {
    "inverse": (MbsR3, ANGLES, TORQUES, (455, 422)),
    "direct": (MbsR3, None, [f"r[{k}].qdd" for k in range(6)], (1105, 976)),
    "second": (SimR3, None, [f"r[{k}].qdd" for k in range(6)], (1466, 1347)),
}
"""Component, what is known and wanted, operations (*, /) and (+, -) as the page on them says."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_are_those_of_the_page(name: str) -> None:
    kind, known, wanted, most = OPERATIONS[name]
    found = kt.derive(kind(), known=known, wanted=wanted).count()
    assert (found.mul + found.div, found.add) == most
