"""The Programs whose operations are counted: one row each, shared by test and report.

Counts are of one evaluation, the parameter preamble apart, with run-time parameters. M is counted
once per pair of symmetric entries, since both are the same Node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests import zoo
from tests.reference import manutec, robotran

import kinetree as kt
from kinetree.program.restrict import restrict

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Row:
    """A Program to count; `build` gives the model."""

    key: str
    build: Callable[[], kt.Model]
    quantity: str
    formalism: str | None = None
    outputs: tuple[str, ...] = ()


def robotran_row(name: str, quantity: str) -> Row:
    """ROBOTRAN's content: every body carries an external wrench, as in its own files."""
    return Row(f"{name} {quantity}", lambda: robotran.model(name), quantity)


def bare_row(name: str, quantity: str) -> Row:
    """The same mechanism without external wrenches, for comparison."""
    return Row(f"{name} {quantity} bare", lambda: robotran.model(name, wrenches=False), quantity)


R3 = (
    Row("r3 no load, inverse", lambda: manutec.r3("none"), "inverse"),
    Row("r3 rigid load, inverse", lambda: manutec.r3("rigid"), "inverse"),
    Row("r3 no load (five joints), forward", lambda: manutec.r3("none", joints=5), "forward"),
    Row("r3 no load (rotor on link 6), forward", lambda: manutec.r3("rotor"), "forward"),
    Row("r3 rigid load, forward", lambda: manutec.r3("rigid"), "forward"),
    Row("r3 rigid load, mixed", lambda: manutec.r3("rigid"), "mixed"),
    Row("r3 rigid load, mixed by order N", lambda: manutec.r3("rigid"), "mixed", "order_n"),
    Row("r3 rigid load, friction", lambda: manutec.r3("rigid"), "friction", "order_n"),
)
ROBOTRAN = tuple(
    robotran_row(name, quantity)
    for quantity in ("inverse", "mass_bias")
    for name in robotran.GOLDEN
)
LOOPS = tuple(
    Row(
        f"{name} {function}",
        lambda name=name: robotran.model(name, wrenches=False, cuts=True),
        "constraints",
        outputs=outputs,
    )
    for name in robotran.CLOSED
    for function, outputs in (("cons_hJ", ("h", "J")), ("cons_jdqd", ("Jdqd",)))
)
ZOO = (
    Row("chain10 inverse", lambda: zoo.chain(10), "inverse"),
    Row("chain10 forward", lambda: zoo.chain(10), "forward", "order_n"),
    Row("chain10 mixed", lambda: zoo.chain(10), "mixed", "order_n"),
    Row("chain30 mixed", lambda: zoo.chain(30), "mixed", "order_n"),
    Row("every_kind inverse", zoo.every_kind, "inverse"),
    Row("every_kind forward", zoo.every_kind, "forward", "order_n"),
)
ALL = (*R3, *ROBOTRAN, *LOOPS, *ZOO)


DERIVED: dict[str, kt.Program] = {}
"""Programs derived so far in this process, by key."""


def program(row: Row) -> kt.Program:
    """The Program of a row, derived once per process."""
    if row.key not in DERIVED:
        whole = kt.derive(row.build(), row.quantity, formalism=row.formalism)
        DERIVED[row.key] = restrict(whole, row.outputs) if row.outputs else whole
    return DERIVED[row.key]


def robotran_total(count: kt.OperationCount) -> int:
    """ROBOTRAN's own measure: binary operations, sign changes, sines and cosines."""
    return int(count.add + count.mul + count.div + count.neg + count.call)
