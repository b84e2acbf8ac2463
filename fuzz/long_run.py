"""The long run: campaigns cut into slices, each in a process of its own, several at a time.

A slice that dies (a crash of native code, a kill) is a failure of that slice and no more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from fuzz.campaign import Campaign
from fuzz.report import ROOT
from fuzz.tally import Tally

PATIENCE = 4.0
"""Times the limit of one attempt that a slice may outlive the end of its run."""
LONGEST = 6 * 3600.0
"""Seconds that a slice may take at most."""


@dataclass(frozen=True)
class Slice:
    """The attempts first … last - 1 of a campaign."""

    campaign: Campaign
    seed: int
    first: int
    last: int

    @property
    def text(self) -> str:
        """As on the command line."""
        return f"{self.first}:{self.last}"


def slices(campaign: Campaign, cases: int, seed: int) -> Iterator[Slice]:
    """A campaign in pieces."""
    count, step = campaign.attempts(cases), campaign.slices
    for first in range(0, count, step):
        yield Slice(campaign, seed, first, min(first + step, count))


def run_slice(part: Slice, until: float) -> Tally:
    """One piece in a process of its own; nothing once the time is up."""
    if time.time() > until:
        return Tally(part.campaign.name, part.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tally.json"
        command = [sys.executable, "-m", "fuzz", part.campaign.name, "--seed", str(part.seed)]
        command += ["--range", part.text, "--until", str(until), "--json", str(path)]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=min(max(until - time.time(), 0.0), LONGEST)
                + PATIENCE * part.campaign.limit,
            )
            reason = f"ended with {done.returncode}: {done.stderr[-500:]}"
        except subprocess.TimeoutExpired:
            reason = "did not end"
        if path.exists():
            return Tally.from_data(json.loads(path.read_text())["campaigns"][0])
    lost = Tally(part.campaign.name, part.seed, case=part.first)
    lost.fail(f"process of attempts {part.text}", reason)
    return lost


def interleaved(rows: Sequence[list[Slice]]) -> list[Slice]:
    """Slices of all campaigns so that each has run in part whenever the time is up."""
    places = [((k + 0.5) / len(row), part) for row in rows for k, part in enumerate(row)]
    return [part for _, part in sorted(places, key=lambda place: place[0])]


def run(rows: Sequence[list[Slice]], jobs: int, until: float) -> dict[str, Tally]:
    """All slices, `jobs` at a time, with a line of progress after each."""
    parts = interleaved(rows)
    found: dict[str, Tally] = {}
    begin = time.time()
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(run_slice, part, until): part for part in parts}
        for k, future in enumerate(as_completed(waiting), 1):
            part, tally = waiting[future], future.result()
            whole = found.setdefault(part.campaign.name, Tally(part.campaign.name, part.seed))
            whole.add(tally)
            where = f"{k}/{len(parts)} {part.campaign.name} {part.text}"
            counts = f"{whole.made} cases, {whole.failed} failures"
            print(f"[{time.time() - begin:6.0f} s] {where}: {counts}", flush=True)
            for failure in tally.failures:
                print(f"    FAILED {failure}", flush=True)
    return found
