"""Build wheel and sdist, install each in an environment of its own, and try them there.

Run it with ``make dist``; ``python tools/dist.py python3.11 python3.13`` tries them with these
interpreters.  What is tried is what a new user does: the version, the demo, the listing of the
README (which simulates, animates and writes C) and a page of the documentation.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "dist"
PAGES = ("README.md", "docs/howto/describe.md")
COPIED = ("examples", "tools/pages.py", *PAGES)
"""What is tried besides the package itself, outside of the repository."""


def build() -> list[Path]:
    """The sdist and the wheel made from it."""
    shutil.rmtree(OUT, ignore_errors=True)
    command = (sys.executable, "-m", "build", "--outdir", str(OUT), str(ROOT))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return sorted(OUT.iterdir())


def smoke_test(artefact: Path, python: str, folder: Path) -> None:
    """Install an artefact with an interpreter in an empty folder, and use it there."""
    subprocess.run((python, "-m", "venv", str(folder / "env")), check=True)
    programs = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    for name in COPIED:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)
    inside = str(programs / "python")
    for command in (
        (inside, "-m", "pip", "install", "--quiet", str(artefact)),
        (str(programs / "kinetree"), "--version"),
        (inside, "examples/demo.py"),
        (inside, "-W", "error", "tools/pages.py", *PAGES),
    ):
        done = subprocess.run(command, cwd=folder, check=False, text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"{artefact.name}, {python}: {' '.join(command)} failed\n{done.stderr}")


def main(pythons: Sequence[str]) -> None:
    """Build, and try every artefact with every interpreter."""
    for artefact in build():
        print(f"{artefact.name}: {artefact.stat().st_size / 2**20:.1f} MB")
        for python in pythons:
            start = time.perf_counter()
            with tempfile.TemporaryDirectory(prefix="kinetree-dist-") as folder:
                smoke_test(artefact, python, Path(folder))
            print(f"  {python}: installed and tried in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
