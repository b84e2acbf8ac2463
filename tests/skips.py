"""What would bring the tests that were skipped: one line at the end of a run.

A reason for a skip names the package or the program that is missing; the table below says where it
comes from. A reason with none of these words fails `tests/meta/test_skips.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

SOURCES: dict[str, str] = {
    "torch": "pip install torch",
    "jax": "pip install jax",
    "casadi": "pip install casadi",
    "diffrax": "pip install diffrax",
    "clarabel": "pip install clarabel",
    "distributed": "pip install dask distributed",
    "zarr": "pip install zarr",
    "sympy": "pip install sympy",
    "mujoco": "pip install mujoco",
    "pinocchio": "pip install pin",
    "robots": "pip install pin example-robot-data",
    "fmpy": "pip install fmpy",
    "rumoca": "pip install rumoca",
    "ngspice": "apt install ngspice",
    "sundials": "pip install scikit-sundae",
    "sksundae": "pip install scikit-sundae",
    "nvrtc": "pip install nvidia-cuda-nvrtc",
    "cupy": "pip install cupy-cuda12x",
    "octave-cli": "apt install octave",
    "octave": "apt install octave",
    "gfortran": "apt install gfortran",
    "pdflatex": "apt install texlive-latex-base",
    "anywidget": "pip install anywidget",
    "playwright": "pip install playwright",
    "httpx": "pip install httpx",
    "starlette": "pip install starlette uvicorn",
    "chromium": "apt install chromium",
    "viewer": "make web",
    "mkdocs": "pip install mkdocs-material mkdocstrings-python",
    "node": "apt install nodejs",
    "cmake": "apt install cmake",
    "g++": "apt install g++",
    "gcc": "apt install gcc make",
    "C compiler": "apt install gcc make",
    "GPU": "a machine with an NVIDIA GPU",
    "x86": "an x86 processor",
    "platform": "a POSIX system",
    "POSIX": "a POSIX system",
}
"""Word of a reason -> what brings it; the first word found counts."""


def source(reason: str) -> tuple[str, str] | None:
    """What is missing according to a reason, and what brings it; None where no word is known."""
    for word, brings in SOURCES.items():
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", reason, re.IGNORECASE):
            return word, brings
    return None


def line(reasons: Iterable[str]) -> str:
    """The line about all skips of a run, or no text where there were none."""
    given = [source(reason) or (reason, "") for reason in reasons]
    if not given:
        return ""
    parts = [
        f"{n} for {word}: {brings}" if brings else f"{n}: {word}"
        for (word, brings), n in sorted(Counter(given).items(), key=lambda row: (-row[1], row[0]))
    ]
    return f"skipped: {len(given)} ({'; '.join(parts)})"
