"""`python -m benchmarks.iltis`: measure the study, write its data, pictures and tables."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from benchmarks.iltis import plots, tables
from benchmarks.iltis.road import ROOT
from benchmarks.iltis.study import DATA, Extent, Program, Study
from benchmarks.iltis.sweep import FORMULATIONS, Grid

PAGE = ROOT / "docs" / "theory" / "iltis_study.md"
PICTURES = ROOT / "docs" / "pictures"
PLACE = re.compile(r"<!-- (?P<name>[\w ]+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(text: str, found: dict[str, str]) -> str:
    """The page with its tables between the marks replaced."""

    def table(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in found:
            return match[0]
        return f"<!-- {name} -->\n\n{found[name]}\n\n<!-- end -->"

    return PLACE.sub(table, text)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.iltis", description=__doc__)
    parser.add_argument("--from-data", action="store_true", help="tables and pictures only")
    parser.add_argument("--quick", action="store_true", help="a coarse grid")
    parser.add_argument(
        "--formulations",
        nargs="+",
        choices=FORMULATIONS,
        default=FORMULATIONS,
        help="measure these anew and keep what is stored of the others",
    )
    parser.add_argument(
        "--coarse",
        nargs="*",
        choices=FORMULATIONS,
        default=(),
        help="every fifth parameter only, for formulations that are slow",
    )
    parser.add_argument("--folder", type=Path, help="write there instead of into docs")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Measure, or read; then write."""
    options = arguments(argv)
    data = options.folder or DATA
    if options.from_data:
        study = Study.load(data)
    else:
        began = time.perf_counter()

        def tell(text: str) -> None:
            print(f"{time.perf_counter() - began:7.1f} s  {text}", flush=True)

        extent = Extent(options.formulations, coarse=options.coarse)
        if options.quick:
            coarse = Grid(parameters=10, steps=4)
            extent = Extent(options.formulations, grid=coarse, hard=coarse, batch=64)
        known = (data / "iltis_facts.json").is_file() and options.formulations != FORMULATIONS
        study = Program(extent, tell, Study.load(data) if known else None).run()
        study.save(data)
    found = tables.everything(study)
    for name, text in found.items():
        print(f"\n{name}\n{text}")
    for path in plots.all_pictures(study, options.folder or PICTURES):
        print(path)
    if options.folder is None and PAGE.is_file():
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
