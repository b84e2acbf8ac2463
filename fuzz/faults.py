"""Faults while files are written: SIGKILL at random moments, full disks, folders read-only.

What is found afterwards is the old file or the new one, byte for byte (`tests.faults`).
"""

from __future__ import annotations

from tests import faults

from fuzz.campaign import Campaign
from fuzz.plans import Rng
from fuzz.tally import Tally

KILLS = 7
OTHERS = len(faults.SHARES) + 1
"""Full disks and the read-only folder that come with every attempt."""
KINDS = ("model", "netcdf", "csv", "plot", "page", "fmu", "package", "c", "python", "run")


def attempt(rng: Rng, tally: Tally) -> None:
    """One kind of file, disturbed many times."""
    kind = str(rng.choice(KINDS))
    try:
        outcomes = faults.disturbed(KILLS, int(rng.integers(2**31)), kind)[kind]
    except AssertionError as error:
        tally.fail(f"fault while writing {kind}", str(error)[-800:])
        return
    for outcome, count in outcomes.items():
        for _ in range(count):
            tally.expect(f"{kind}: {outcome}", True)


CAMPAIGN = Campaign(
    "faults",
    "SIGKILL, full disks and read-only folders while files are written",
    attempt,
    short=KILLS + OTHERS,
    long=1_000,
    size=KILLS + OTHERS,
    slices=4,
)
