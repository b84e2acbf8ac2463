"""The counts of a run as a Markdown table and as JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fuzz.tally import Tally

ROOT = Path(__file__).resolve().parent.parent


def commit() -> str:
    """Short name of the commit that runs, with a + where the tree differs from it."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude", "*"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def as_data(tallies: Sequence[Tally]) -> dict[str, Any]:
    """A run as plain data."""
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    return {"date": when, "commit": commit(), "campaigns": [t.as_data() for t in tallies]}


def markdown(data: dict[str, Any], about: dict[str, str]) -> str:
    """The table for the documentation."""
    tallies = [Tally.from_data(row) for row in data["campaigns"]]
    lines = [
        f"Counted on {data['date']} at commit {data['commit']}.",
        "",
        "| campaign | seed | cases | compared | checks | worst errors | set aside | failures |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for tally in tallies:
        cells = [
            f"{tally.campaign}: {about.get(tally.campaign, '')}",
            tally.seed,
            grouped(tally.made),
            grouped(tally.compared),
            grouped(tally.total),
            worst(tally),
            "; ".join(f"{reason} {grouped(n)}" for reason, n in tally.aside.items() if n),
            grouped(tally.failed),
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def grouped(n: int) -> str:
    """A count with its thousands apart."""
    return f"{n:,}".replace(",", " ")


def worst(tally: Tally, most: int = 4) -> str:
    """The quantities with the largest errors."""
    rows = sorted(tally.checks.items(), key=lambda row: -row[1].worst)[:most]
    return "; ".join(f"{what} {row.worst:.0e}" for what, row in rows if row.worst)


def details(tally: Tally) -> str:
    """Everything a campaign counted, for the screen."""
    head = f"{tally.campaign}: {grouped(tally.made)} cases, {grouped(tally.total)} checks"
    lines = [f"{head}, {tally.failed} failures, {tally.seconds:.0f} s of work"]
    lines += [
        f"  {what:32} {grouped(r.count):>10}  {r.worst:.1e}" for what, r in tally.checks.items()
    ]
    lines += [f"  aside: {reason}: {grouped(n)}" for reason, n in tally.aside.items() if n]
    lines += [f"  FAILED {failure}" for failure in tally.failures]
    return "\n".join(lines)


def save(data: dict[str, Any], about: dict[str, str], path: Path) -> None:
    """Write the data beside their table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(markdown(data, about), encoding="utf-8")
