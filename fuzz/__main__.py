"""`python -m fuzz [CAMPAIGN …]`: the long run, a part of it, or one attempt again."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path

from fuzz import CAMPAIGNS, long_run, report
from fuzz.tally import Tally

SEED = 20_261_116
"""Of the run whose counts stand in the documentation."""


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    parser.add_argument("--cases", type=int, help="of each campaign; by default its long run")
    parser.add_argument("--share", type=float, default=1.0, help="part of the long run to make")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing after that")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--json", type=Path, help="file for the counts; a table .md beside it")
    parser.add_argument("--only", type=int, metavar="CASE", help="one attempt, here and now")
    parser.add_argument("--range", help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, default=math.inf, help=argparse.SUPPRESS)
    return parser


def here(options: argparse.Namespace, names: list[str]) -> list[Tally]:
    """Attempts in this process."""
    if options.only is not None:
        numbers = range(options.only, options.only + 1)
    else:
        first, _, last = options.range.partition(":")
        numbers = range(int(first), int(last))
    return [CAMPAIGNS[name].repeat(numbers, options.seed, options.until) for name in names]


def everything(options: argparse.Namespace, names: list[str]) -> list[Tally]:
    """The campaigns in slices, in processes of their own."""
    rows = []
    for name in names:
        cases = options.cases or math.ceil(CAMPAIGNS[name].long * options.share)
        rows.append(list(long_run.slices(CAMPAIGNS[name], cases, options.seed)))
    found = long_run.run(rows, options.jobs, time.time() + 60 * options.minutes)
    return [found[name] for name in names if name in found]


def main() -> int:
    """Run, show, save; 1 where something failed."""
    parser = arguments()
    options = parser.parse_args()
    names = options.campaigns or list(CAMPAIGNS)
    for name in names:
        if name not in CAMPAIGNS:
            parser.error(f"there is no campaign '{name}'; choose among {', '.join(CAMPAIGNS)}")
    single = options.only is not None or options.range
    tallies = here(options, names) if single else everything(options, names)
    for tally in tallies:
        print(report.details(tally))
    data = report.as_data(tallies)
    if options.range and options.json:
        options.json.write_text(json.dumps(data), encoding="utf-8")
    elif options.json:
        about = {name: CAMPAIGNS[name].about for name in names}
        report.save(data, about, options.json)
    return int(any(tally.failed for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
