"""Derivations side by side, inside one another and cut short: same bytes, nothing left."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import concurrency
import kinetree as kt
import zoo
from kinetree import engine as en
from kinetree.errors import KinetreeError

INTERRUPTS = 200


def settled() -> int:
    """Nodes that somebody holds."""
    gc.collect()
    en.current().release()
    return len(en.current())


def test_twenty_models_in_eight_threads_give_the_bytes_of_one() -> None:
    assert concurrency.race(1) == 20


def test_one_model_in_many_threads() -> None:
    model = concurrency.sprung()
    alone = kt.derive(model, "forward").show()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: kt.derive(model, "forward").show(), range(8)))
    assert found == [alone] * 8


def test_expressions_of_other_threads_stay_themselves_while_models_are_derived() -> None:
    stop, failures = threading.Event(), list[str]()
    before = sys.getswitchinterval()
    sys.setswitchinterval(concurrency.SWITCH)
    makers = [
        threading.Thread(target=concurrency.arithmetic, args=(stop, failures, f"maker{k}"))
        for k in range(3)
    ]
    try:
        for maker in makers:
            maker.start()
        for _ in range(6):
            kt.derive(zoo.planar_pendulum(3), "inverse")
            en.current().release()
    finally:
        stop.set()
        for maker in makers:
            maker.join()
        sys.setswitchinterval(before)
    assert not failures
    concurrency.sound()


def test_a_law_may_derive() -> None:
    number = kt.derive(zoo.planar_pendulum(3), "inverse").count().mul
    plain, other = concurrency.nested(), concurrency.nested()
    other.forces.clear()
    other.joint_law("spring", "turn", lambda q, qd: -number * q["turn"] - 0.25 * qd["turn"])
    assert kt.derive(plain, "forward").show() == kt.derive(other, "forward").show()


def test_interrupts_at_any_line_break_nothing_and_leave_nothing() -> None:
    assert concurrency.interrupt(INTERRUPTS) == INTERRUPTS


def test_signals_at_any_time_break_nothing_and_leave_nothing() -> None:
    assert concurrency.strike(INTERRUPTS) == INTERRUPTS


def test_an_exception_in_a_derivation_inside_a_derivation_leaves_nothing() -> None:
    model = zoo.tree(4)
    kt.derive(model, "inverse")  # names of its values are kept as long as it is there
    before = settled()

    @en.derivation()
    def outer(depth: int) -> kt.Program:
        made = [en.symbol(f"outer{depth}") + k for k in range(50)]
        if depth:
            return outer(depth - 1)
        kt.derive(model, "inverse")
        return kt.derive(model, "kinematics", points=[str(made[0])])

    for _ in range(3):
        with pytest.raises(KinetreeError, match="outer0"):
            outer(3)
    concurrency.sound()
    assert settled() == before


def test_what_is_made_outside_a_derivation_inside_it_stays() -> None:
    a = en.symbol("kept_a")
    kept = [a]
    with en.derivation():
        kept.append(en.sin(a) + 1)
        with en.derivation():
            kept.append(en.cos(a) + 2)
        assert en.cos(a) + 2 is kept[2]
    assert en.sin(a) + 1 is kept[1]
    assert en.cos(a) + 2 is kept[2]


def test_derivations_that_fail_leave_nothing() -> None:
    model = zoo.tree(5)
    kt.derive(model, "kinematics")
    before = settled()
    for _ in range(30):
        with pytest.raises(KinetreeError, match="point"):
            kt.derive(model, "kinematics", points=["nowhere"])
    kt.derive(zoo.planar_pendulum(1), "energy")
    assert settled() == before


def test_models_that_are_dropped_leave_nothing() -> None:
    before = settled()
    lengths = []
    for k in range(20):
        model = zoo.chain(2, seed=k)
        kt.derive(model, "inverse").compile()
        lengths.append(len(en.current()) - before)
    assert max(lengths[10:]) < 2 * max(lengths[:5])
    del model
    assert settled() == before


def test_the_collector_stays_off_where_it_was_off() -> None:
    gc.disable()
    try:
        kt.derive(zoo.planar_pendulum(1), "energy")
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_child_forked_inside_a_derivation_can_derive() -> None:
    code = """
import gc, os, threading
import concurrency, kinetree as kt, zoo
model = concurrency.sprung()
expected = kt.derive(model, "forward").show()
busy = threading.Event()
def work():
    while not busy.is_set():
        kt.derive(zoo.chain(3), "inverse")
thread = threading.Thread(target=work)
thread.start()
def in_child():
    assert kt.derive(model, "forward").show() == expected
    assert gc.isenabled()
    concurrency.sound()
for _ in range(10):
    child = os.fork()
    if not child:
        try:
            in_child()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
busy.set()
thread.join()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env=_environment())


def test_python_without_its_lock_is_refused() -> None:
    code = "import sys; sys._is_gil_enabled = lambda: False; from kinetree import Model"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env=_environment(),
    )  # fmt: skip
    assert done.returncode == 1
    assert "ImportError: kinetree tells by reference counts" in done.stderr
    assert "PYTHON_GIL=1" in done.stderr


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
