"""Damaged files: model files, robots and runs changed as bytes, as words and as data.

Each loads, or is refused in a sentence of kinetree's own; none takes long, none makes the process
start another, open a connection or run a string (`tests.mutations` draws the changes).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from tests import mutations

from fuzz.campaign import Campaign
from fuzz.plans import Rng
from fuzz.tally import Tally

SIZE = 100
BARRED = ("os.system", "os.exec", "os.fork", "os.posix_spawn", "subprocess.Popen", "socket.connect")
"""Events that no file may cause."""


class Watch:
    """Notes events of the interpreter while it looks."""

    def __init__(self) -> None:
        self.looking = False
        self.seen: list[str] = []
        sys.addaudithook(self.note)

    def note(self, event: str, args: tuple[Any, ...]) -> None:
        """Remember a barred event."""
        if self.looking and event in BARRED:
            self.seen.append(f"{event}{args}")


WATCH: list[Watch] = []
"""The one hook of this process: hooks cannot be taken away again."""


def attempt(rng: Rng, tally: Tally) -> None:
    """Some files."""
    if not WATCH:
        WATCH.append(Watch())
    chance = random.Random(int(rng.integers(2**31)))
    mutations.sources()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(SIZE):
            source = chance.choice(mutations.sources())
            path = Path(folder) / f"damaged{source.suffix}"
            path.write_bytes(mutations.mutated(source, chance))
            try_file(tally, path, f"file {k}, {source.name}", derive=k % 20 == 0)


def try_file(tally: Tally, path: Path, what: str, *, derive: bool) -> None:
    """Load one file and look at what happens."""
    watch = WATCH[0]
    watch.seen.clear()
    begin = time.process_time()
    watch.looking = True
    try:
        outcome = mutations.attempt(path, derive=derive)
    except Exception as error:
        outcome = f"raw {type(error).__name__}"
        last = traceback.extract_tb(error.__traceback__)[-1]
        detail = f"{error} at {last.filename.rpartition('/')[2]}:{last.lineno}"
        tally.fail(outcome, f"{what}: {detail} for {path.read_bytes()[:90]!r}")
    finally:
        watch.looking = False
    took = time.process_time() - begin
    tally.expect(f"{path.suffix}: {outcome}", True)
    told = f"{what}: {path.read_bytes()[:90]!r}"
    tally.expect("in time", took < mutations.LONGEST, f"{took:.1f} s, {told}")
    tally.expect("nothing started", not watch.seen, f"{watch.seen[:3]}, {told}")


CAMPAIGN = Campaign(
    "files",
    "damaged model files, robots and runs",
    attempt,
    short=300,
    long=100_000,
    size=SIZE,
    slices=50,
)
