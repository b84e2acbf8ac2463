"""Hostile names: drawn from attacks, odd signs and words of languages, carried everywhere.

What is written in a language must build, run and give the values of the interpreter; what is
written as a page must hold no element that the same page with plain names has not; models go
through their file and back.  Nothing in a name may run: attacks set a canary.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import chdir
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import numpy as np
from tests import hostile

import kinetree as kt
from fuzz.campaign import Campaign
from fuzz.plans import Rng
from fuzz.tally import Tally
from kinetree.program import Program

SIZE = 12
"""Names of one attempt."""
X = 0.3
CLOSE = 1e-12
MATHS = {"math", "mi", "mn", "mo", "mrow", "msub", "msup", "msubsup", "mtext", "mfrac", "mover"}
"""Elements of formulas, which follow the letters of a name."""


def draw_texts(rng: Rng) -> list[str]:
    """Texts, each of one to three pieces; no two alike."""
    found: dict[str, None] = {}
    while len(found) < SIZE:
        pieces = [draw_piece(rng) for _ in range(int(rng.integers(1, 4)))]
        found["".join(pieces)] = None
    return list(found)


def draw_piece(rng: Rng) -> str:
    """An attack, an odd sign, a word, or letters from anywhere."""
    if rng.random() < 0.8:
        return str(hostile.ALL[int(rng.integers(len(hostile.ALL)))])
    top = int(rng.choice([0x80, 0x300, 0x3000, 0x11000]))
    return "".join(chr(int(k)) for k in rng.integers(0, top, int(rng.integers(1, 5))))


class Trial:
    """A Program that carries the names, in a folder of its own."""

    def __init__(self, texts: list[str], folder: Path, tally: Tally) -> None:
        self.texts, self.folder, self.tally = texts, folder, tally
        self.program = hostile.program(f"model {' '.join(texts[:3])}", texts)
        self.n = len(texts)
        self.values = self.program.evaluate(x=np.full(self.n, X))["y"]

    def compare(self, what: str, found: Any) -> None:
        """The values of the interpreter."""
        self.tally.compare(what, np.ravel(np.asarray(found, float)), self.values, CLOSE)

    def printed(self, what: str, *command: Any) -> None:
        """Run a command that prints the values."""
        text = ran(command, self.folder)
        self.compare(what, [float(word) for word in text.split()])

    def written(self, target: str) -> str:
        """Write a target; the name of its function."""
        return str(Path(self.program.write(target, self.folder)[0]).stem)

    def quiet(self) -> None:
        """Nothing in the names was run."""
        gone = not list(self.folder.rglob(hostile.CANARY))
        self.tally.expect("no canary", gone, f"{self.texts}")


def ran(command: Sequence[Any], folder: Path) -> str:
    """What a command prints; an error with its last words where it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stderr[-600:]}")
    return done.stdout


def try_functions(t: Trial) -> None:
    """What can be called here."""
    x = np.full(t.n, X)
    t.compare("Python", t.program.compile("python")(x=x)["y"])
    t.compare("native", t.program.compile(cache=False)(x=x)["y"])


def try_c(t: Trial) -> None:
    """C by gcc."""
    name = t.written("c")
    fill = f"for (i = 0; i < {t.n}; i++) {{ x[i] = {X}; p[i] = i + 1; }}"
    show = f'for (i = 0; i < {t.n}; i++) printf("%.17g\\n", y[i]);'
    body = f"double x[{t.n}], p[{t.n}], y[{t.n}]; int i; {fill} {name}(x, p, y); {show} return 0;"
    main = f'#include <stdio.h>\n#include "{name}.h"\nint main(void) {{ {body} }}\n'
    (t.folder / "kt_main.c").write_text(main)
    flags = ("-std=gnu99", "-trigraphs", "-Wall", "-Wextra", "-Werror")
    ran(("gcc", *flags, "kt_main.c", f"{name}.c", "-lm", "-o", "kt_main"), t.folder)
    t.printed("C", t.folder / "kt_main")


def try_fortran(t: Trial) -> None:
    """Fortran by gfortran."""
    name = t.written("fortran")
    lines = [
        "program kt_main", f"use {name}_module", f"real(8) :: x({t.n}), y({t.n})",
        f"x = {X}d0", f"call {name}(x, {name}_p_default, y)", 'print "(es27.18e3)", y', "end", "",
    ]  # fmt: skip
    (t.folder / "kt_main.f90").write_text("\n".join(lines))
    ran(("gfortran", "-std=f2008", f"{name}.f90", "kt_main.f90", "-o", "kt_main"), t.folder)
    t.printed("Fortran", t.folder / "kt_main")


def try_javascript(t: Trial) -> None:
    """JavaScript by node."""
    name = t.written("javascript")
    lines = [
        f'import * as m from "./{name}.mjs";',
        f"console.log(...m.evaluate({{ x: new Float64Array({t.n}).fill({X}) }}).y);",
        f"if (globalThis.{hostile.CANARY}) throw new Error('a name was run');",
    ]
    (t.folder / "kt_main.mjs").write_text("\n".join(lines))
    t.printed("JavaScript", "node", "kt_main.mjs")


def try_matlab(t: Trial) -> None:
    """MATLAB by Octave."""
    name = t.written("matlab")
    (t.folder / "kt_main.m").write_text(f"printf('%.17g\\n', {name}({X}*ones({t.n}, 1)));\n")
    t.printed("MATLAB", "octave", "--no-gui", "--no-init-file", "--quiet", "kt_main.m")


TOOLS: dict[str, Callable[[Trial], None]] = {
    "gcc": try_c, "gfortran": try_fortran, "node": try_javascript, "octave": try_matlab,
}  # fmt: skip


class Elements(HTMLParser):
    """Names of elements and attributes of a page, and how many scripts it has."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.scripts = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        self.scripts += tag == "script"
        if tag not in MATHS:
            self.names |= {tag, *(f"{tag}.{name}" for name, _ in attrs)}


def page_of(program: Program, folder: Path) -> Elements:
    """The page of a Program."""
    (path,) = program.write("html", folder)
    return Elements(path.read_text(encoding="utf-8"))


def try_page(t: Trial) -> None:
    """The page of equations holds what it holds with plain names."""
    plain = hostile.program("model plain", [f"n{k}" for k in range(t.n)])
    usual, found = page_of(plain, t.folder / "plain"), page_of(t.program, t.folder / "page")
    more = found.names - usual.names
    t.tally.expect("elements of pages", not more, f"{sorted(more)} from {t.texts}")
    t.tally.expect("scripts of pages", found.scripts == usual.scripts, f"{t.texts}")


def try_model(t: Trial) -> None:
    """A model with these names: the same motion, through its file and back, as an FMU."""
    model = hostile.model(f"m {t.texts[0]}", t.texts)
    state = {"q": np.full(model.nq, X), "qd": np.full(model.nv, X), "tau": np.zeros(model.nv)}
    plain = kt.derive(hostile.plain_model(t.texts), "forward").evaluate(**state)["qdd"]
    t.tally.compare("qdd", kt.derive(model, "forward").evaluate(**state)["qdd"], plain, CLOSE)
    kt.save(model, t.folder / "model.yaml")
    again = kt.load(t.folder / "model.yaml")
    same = again.content_hash() == model.content_hash()
    t.tally.expect("model file and back", same, f"{t.texts}")
    fmu = kt.export_fmu(model, t.folder / "unit.fmu", derivatives=False, binary=False)
    with ZipFile(fmu) as zipped:
        described = ET.fromstring(zipped.read("modelDescription.xml"))
        fine = all(name.isascii() and ".." not in name for name in zipped.namelist())
    t.tally.expect("FMU", fine and described.tag == "fmiModelDescription", f"{t.texts}")


def attempt(rng: Rng, tally: Tally) -> None:
    """One set of names."""
    texts = draw_texts(rng)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        trial = Trial(texts, Path(folder), tally)
        try_functions(trial)
        tool, build = list(TOOLS.items())[int(rng.integers(len(TOOLS)))]
        if shutil.which(tool):
            build(trial)
        else:
            tally.set_aside(f"no {tool}")
        try_page(trial)
        if rng.random() < 0.3:
            try_model(trial)
        trial.quiet()


CAMPAIGN = Campaign(
    "names",
    "hostile names through languages, pages, model files and FMUs",
    attempt,
    short=4 * SIZE,
    long=6_000,
    size=SIZE,
    slices=50,
)
