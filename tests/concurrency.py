"""Derivations in many threads and derivations that are interrupted: what must come out of them.

`race`, `interrupt` and `strike` take a number of rounds and a seed, so that short runs stand in the
suite and long ones in campaigns; they return how many cases they tried and raise where one goes
wrong.
"""

from __future__ import annotations

import gc
import hashlib
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tests import mechanisms, zoo

import kinetree as kt
from kinetree import engine as en
from kinetree.functions import maximum, table
from kinetree.targets.c.source import sources
from kinetree.targets.digest import digest

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

SWITCH = 1e-5
"""Seconds after which Python turns to another thread: its own value is 5e-3."""


def sprung(stiffness: float = 100.0) -> kt.Model:
    """A pendulum with a law in which a table, a branch and a rational number meet."""
    model = kt.Model("sprung", gravity=(0, 0, -9.81))
    bar = model.body("bar", mass=1.5, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    model.revolute("turn", model.ground, bar, axis="y")
    curve = kt.Table.monotone([0, 1, 2, 4], [0, 0.1, 0.8, 1], name="curve")

    def law(q: Any, qd: Any) -> Any:
        turn = q["turn"]
        return -stiffness * table(turn, curve) - 0.5 * maximum(qd["turn"], turn / 3)

    model.joint_law("spring", "turn", law)
    return model


def nested() -> kt.Model:
    """A pendulum with a law that derives another model and takes a number from it."""
    model = kt.Model("nested", gravity=(0, 0, -9.81))
    bar = model.body("bar", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    model.revolute("turn", model.ground, bar, axis="y")

    def law(q: Any, qd: Any) -> Any:
        inner = kt.derive(zoo.planar_pendulum(3), "inverse")
        return -inner.count().mul * q["turn"] - 0.25 * qd["turn"]

    model.joint_law("spring", "turn", law)
    return model


Case = tuple["Callable[[], kt.Model]", str]
CASES: tuple[Case, ...] = (
    (sprung, "forward"),
    (lambda: sprung(250.0), "inverse"),
    (nested, "forward"),
    (lambda: zoo.chain(2), "forward"),
    (lambda: zoo.chain(3), "inverse"),
    (lambda: zoo.chain(3, 1), "energy"),
    (lambda: zoo.chain(4), "mass_bias"),
    (lambda: zoo.tree(4), "inverse"),
    (lambda: zoo.tree(5), "kinematics"),
    (lambda: zoo.planar_pendulum(2), "forward"),
    (lambda: zoo.planar_pendulum(3), "inverse"),
    (lambda: zoo.planar_pendulum(4), "mass_bias"),
    (lambda: zoo.one_joint("free"), "forward"),
    (lambda: zoo.one_joint("spherical"), "inverse"),
    (lambda: zoo.one_joint("universal"), "forward_derivatives"),
    (lambda: zoo.one_joint("screw"), "regressor"),
    (lambda: zoo.one_joint("planar"), "forward"),
    (mechanisms.slider_crank, "forward"),
    (mechanisms.four_bar, "constraints"),
    (lambda: mechanisms.n_four_bar(1), "forward"),
)


def answer(case: Case) -> str:
    """A digest of all that comes of a model: equations, code, names, notes."""
    build, quantity = case
    program = kt.derive(build(), quantity)
    texts = [digest(program), program.show(), *sources(program).values()]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def race(rounds: int, seed: int = 0, threads: int = 8) -> int:
    """Derive all cases in threads, in a new order each round; as by one thread alone."""
    rng = random.Random(seed)
    expected = [answer(case) for case in CASES]
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        for _ in range(rounds):
            order = rng.sample(range(len(CASES)), len(CASES))
            with ThreadPoolExecutor(threads) as pool:
                found = dict(zip(order, pool.map(answer, [CASES[k] for k in order]), strict=True))
            assert [found[k] for k in range(len(CASES))] == expected
            sound()
    finally:
        sys.setswitchinterval(before)
    return rounds * len(CASES)


def arithmetic(stop: threading.Event, failures: list[str], name: str) -> None:
    """Make and hold expressions until told to stop; equal ones are one object."""
    a, b = en.symbol(f"{name}_a"), en.symbol("shared_b")
    held: list[tuple[en.Node, ...]] = []
    k = 0
    while not stop.is_set():
        k += 1
        row = (a * b, en.sin(a + k % 7) * b, 0.5 - b, en.number(k % 50) + b, b**2 / 3)
        again = (b * a, en.sin(k % 7 + a) * b, 0.5 - b, b + k % 50, b * b / 3)
        if any(x is not y for x, y in zip(row, again, strict=True)):
            failures.append(f"{name}, round {k}: equal expressions are two")
        held.append(row)
        del held[:-5]


def sound() -> None:
    """What holds whenever nothing is under way."""
    arena = en.current()
    assert en.number(0) is en.ZERO
    assert en.number(1) is en.ONE
    assert en.number(-1) is en.node.MINUS_ONE
    assert gc.isenabled()
    assert not arena._turn
    assert not arena._open
    nodes = list(arena.table.values())
    assert len({id(node) for node in nodes}) == len(nodes)
    known = set(map(id, nodes))
    assert all(id(arg) in known for node in nodes for arg in node.args)


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line from now on, in files whose path has that part."""

    def __init__(self, line: int, where: str) -> None:
        self.left = line
        self.where = where

    def __call__(self, frame: FrameType, event: str, arg: object) -> Interrupter | None:
        del arg
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self if self.where in frame.f_code.co_filename else None


WHERE = ("kinetree", "engine/arena", "engine/collector", "engine/node")
"""Files in which derivations are interrupted: all, and those that keep the table in order."""


def interrupt(rounds: int, seed: int = 0) -> int:
    """Interrupt derivations at random lines; nothing is broken, nothing stays behind."""
    rng = random.Random(seed)
    cases = CASES[:3]
    lengths = {(case, where): _lines(case, where) for case in cases for where in WHERE}
    with unharmed(cases):
        for k in range(rounds):
            case, where = rng.choice(cases), WHERE[k % len(WHERE)]
            line = rng.randrange(1, lengths[case, where] + 1)
            with suppress(KeyboardInterrupt):
                _traced(Interrupter(line, where), case)
            assert en.number(0) is en.ZERO, f"{where}, line {line}"
            assert gc.isenabled(), f"{where}, line {line}"
    return rounds


def strike(rounds: int, seed: int = 0) -> int:
    """Interrupt derivations by signals at random times, as Ctrl-C does; main thread only."""
    rng = random.Random(seed)
    cases = CASES[:6]
    build, quantity = cases[-1]
    with unharmed(cases):
        begin = time.perf_counter()
        kt.derive(build(), quantity)
        span = time.perf_counter() - begin
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        hook = sys.unraisablehook
        # An interrupt in somebody's callback of the collector is lost to Python, not to kinetree.
        sys.unraisablehook = lambda lost: _pass_on(hook, lost)
        try:
            for k in range(rounds):
                build, quantity = cases[k % len(cases)]
                _struck(build(), quantity, rng.uniform(1e-4, span))
                assert en.number(0) is en.ZERO
                assert gc.isenabled()
        finally:
            signal.signal(signal.SIGALRM, before)
            sys.unraisablehook = hook
    return rounds


def _pass_on(hook: Callable[[Any], Any], lost: Any) -> None:
    """Report what could not be raised, unless it is an interrupt."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        hook(lost)


def _struck(model: kt.Model, quantity: str, after: float) -> None:
    with suppress(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, after)
        kt.derive(model, quantity)
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def unharmed(cases: Sequence[Case]) -> Iterator[None]:
    """What comes of these models afterwards is what came of them before, and no Node is left."""
    expected = [answer(case) for case in cases]
    gc.collect()
    en.current().release()
    before = len(en.current())
    yield
    sound()
    assert [answer(case) for case in cases] == expected
    gc.collect()
    en.current().release()
    assert len(en.current()) <= before


def _lines(case: Case, where: str) -> int:
    """Lines that a derivation runs there."""
    counter = Interrupter(-1, where)
    _traced(counter, case)
    return -1 - counter.left


def _traced(tracer: Interrupter, case: Case) -> None:
    build, quantity = case
    model = build()
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        kt.derive(model, quantity)
    finally:
        sys.settrace(before)
