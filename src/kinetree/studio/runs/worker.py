"""A process that makes one run, with a limit of its memory.

It is started as `python -m kinetree.studio.runs.worker LIMIT MODULE WORDS…`: it limits itself and
then is that module with these words, such as `kinetree.cli simulate model.yaml`.  Nobody writes to
its standard input, which ends with the studio; then the run ends, too, with what it has.
"""

from __future__ import annotations

import _thread
import contextlib
import json
import os
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from kinetree.files import write_file
from kinetree.work import hearing

SHARE = 0.5
"""Share of the machine's memory that a worker may take."""
LEAST = 1 << 30
"""Least memory of a worker [B]."""
POLITE = 5
"""How far workers stand back, as nice counts it."""
LIMIT = "KINETREE_WORKER_MEMORY"
"""Variable of the environment with the most memory of a worker [B]."""
CANCELLED = "cancelled"
"""File in the folder of a run that was told to end."""
PROGRESS = "progress.json"
"""File with the share of an analysis that is done."""
DOING = "doing.json"
"""File with what is derived or compiled for an analysis."""
PARTIAL = "partial.json"
"""File with what an analysis has found so far."""
PAUSE = 0.1
"""Least time between two writings of what is made [s]."""
LAST_WORDS = 5.0
"""Time that a run whose studio is gone may take to end [s]."""


def memory_limit() -> int:
    """Most memory of a worker [B]; 0 where the machine does not say how much it has."""
    given = os.environ.get(LIMIT, "")
    if given.isdecimal():
        return int(given)
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0
    return max(LEAST, int(SHARE * whole))


def start_worker(folder: Path, line: list[str]) -> subprocess.Popen[bytes]:
    """Start a module with words in a folder; what it says is kept there.

    Args:
        folder: in which it works; said.json gets what it prints, log what it complains about.
        line: the module, and its words.
    """
    whole = [sys.executable, "-m", "kinetree.studio.runs.worker", str(memory_limit()), *line]
    with (folder / "said.json").open("wb") as out, (folder / "log").open("wb") as log:
        return subprocess.Popen(whole, cwd=folder, stdout=out, stderr=log, stdin=subprocess.PIPE)


def limit_memory(most: int) -> None:
    """Refuse this process more memory than that [B]; 0, or a machine without limits: nothing."""
    if most <= 0:
        return
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  not on every system

        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def step_back() -> None:
    """Let the studio and the browser go first where processors are scarce."""
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        os.nice(POLITE)


def end_with_studio() -> None:
    """Interrupt this process once its studio is gone, and end it where that does not help."""

    def watch() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 1):
                pass
        Path(CANCELLED).touch()
        _thread.interrupt_main()
        time.sleep(LAST_WORDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def tell_work(folder: Path) -> Callable[[object], None]:
    """A function that writes what is being made into a folder, a few times a second."""
    due = 0.0

    def tell(work: object) -> None:
        nonlocal due
        if time.monotonic() >= due:
            write_file(folder / DOING, json.dumps({"doing": str(work)}))
            due = time.monotonic() + PAUSE

    return tell


def main() -> None:
    """Be a module, in a limited memory; what does not fit is told in one sentence."""
    limit, module, *words = sys.argv[1:]
    limit_memory(int(limit))
    step_back()
    end_with_studio()
    sys.argv = [module, *words]
    try:
        with hearing(tell_work(Path())):
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except MemoryError:
        said = f"the memory of a worker, {int(limit) / 1e9:.3g} GB, is not enough"
        print(json.dumps({"error": said}))
        sys.exit(1)


if __name__ == "__main__":
    main()
