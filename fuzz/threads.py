"""Random models derived in eight threads at once, and derivations interrupted at random lines.

Threads are switched every 10 µs; equations, code and names must be, byte for byte, those of one
thread alone.  After an interrupt nothing is broken and nothing stays behind.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from tests import concurrency

from fuzz.campaign import Campaign
from fuzz.plans import Rng, draw_plan
from fuzz.tally import Tally

MODELS = 16
INTERRUPTS = 16
THREADS = 8
QUANTITIES = ("inverse", "mass_bias", "energy", "kinematics", "regressor", "inverse_derivatives")


def try_race(rng: Rng, tally: Tally) -> None:
    """Random models, one after the other and then all at once."""
    plans = [draw_plan(rng, 3) for _ in range(MODELS)]
    cases = [(plan.build, str(rng.choice(QUANTITIES))) for plan in plans]
    alone = [concurrency.answer(case) for case in cases]
    before = sys.getswitchinterval()
    sys.setswitchinterval(concurrency.SWITCH)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            together = list(pool.map(concurrency.answer, cases))
    finally:
        sys.setswitchinterval(before)
    for k, (one, other) in enumerate(zip(alone, together, strict=True)):
        tally.expect("bytes of one thread", one == other, f"model {k}, {cases[k][1]}")
    concurrency.sound()


def try_interrupts(rng: Rng, tally: Tally) -> None:
    """Interrupts at random lines."""
    count = concurrency.interrupt(INTERRUPTS, int(rng.integers(2**31)))
    for _ in range(count):
        tally.expect("whole after an interrupt", True)


def attempt(rng: Rng, tally: Tally) -> None:
    """Some models and some interrupts."""
    try_race(rng, tally)
    try_interrupts(rng, tally)


CAMPAIGN = Campaign(
    "threads",
    "models derived in eight threads, and interrupts at random lines",
    attempt,
    short=MODELS + INTERRUPTS,
    long=4_000,
    size=MODELS + INTERRUPTS,
    slices=20,
)
