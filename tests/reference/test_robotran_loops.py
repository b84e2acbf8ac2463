"""h, J and Jdqd of every model with loops against the code ROBOTRAN itself generated."""

from __future__ import annotations

from functools import cache

import pytest
from tests.approx import GOLDEN, assert_close
from tests.reference import counts, robotran

import kinetree as kt

pytestmark = pytest.mark.golden


@cache
def program(name: str) -> kt.Program:
    return kt.derive(robotran.model(name, wrenches=False, cuts=True), "constraints")


def test_there_are_seven_models_with_loops() -> None:
    assert len(robotran.CLOSED) == 7


@pytest.mark.parametrize("name", robotran.CLOSED)
def test_constraints(name: str) -> None:
    golden = robotran.golden_loops(name)
    out = program(name).evaluate(q=golden.q, qd=golden.qd)
    assert_close(out["h"], golden.h, GOLDEN, f"{name} h")
    assert_close(out["J"], golden.J, GOLDEN, f"{name} J")
    assert_close(out["Jdqd"], golden.Jdqd, GOLDEN, f"{name} Jdqd")


@pytest.mark.parametrize("row", counts.LOOPS, ids=lambda row: row.key)
def test_no_more_operations_than_robotran(row: counts.Row) -> None:
    name, function = row.key.split(" ")
    ours = counts.robotran_total(counts.program(row).count())
    assert ours <= robotran.published_counts()[name, function]


def test_trivial_components_are_dropped_by_name() -> None:
    prog = program("suspension_6b")
    assert prog.info["dropped"] == "Cut_0.x"
    assert prog.output("h").labels == ("Cut_0.y", "Cut_0.z")
