"""What the processes of a browser spend."""

from __future__ import annotations

import os
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def spent(kind: str = "") -> float:
    """Processor time of all processes of the browser so far, or of those of a kind [s]."""
    return sum(processes(kind).values())


def processes(kind: str = "") -> dict[int, float]:
    """Processor time of each of them so far [s]."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    left, found = [os.getpid()], {}
    while left:
        children = parents.get(left.pop(), [])
        left += children
        found |= {child: _ticks(child) for child in children if _is_browser(child, kind)}
    return found


def grown(kind: str, before: dict[int, float]) -> float:
    """What processes of a kind have spent since, new ones too [s]."""
    return sum(now - before.get(process, 0.0) for process, now in processes(kind).items())


def _is_browser(process: int, kind: str) -> bool:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
        return "chromium" in words and f"--type={kind}" in words + ("" if kind else "--type=")
    except OSError:
        return False


def _ticks(process: int) -> float:
    try:
        row_of = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return 0.0
    fields = row_of.split()
    return (int(fields[11]) + int(fields[12])) / TICK
