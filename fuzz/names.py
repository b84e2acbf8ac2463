"""Hostile names: made of attacks, odd signs and any letters, carried everywhere.

What is written in a language must build, run and give the values of the interpreter, and nothing in
a name may run (`tests.hostile_runs`); what is written as a page must hold no element that the same
page with plain names has not; models go through their file and back.
"""

from __future__ import annotations

import random
import tempfile
from contextlib import chdir
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import numpy as np
from tests import hostile, hostile_runs

import kinetree as kt
from fuzz.campaign import Campaign
from fuzz.plans import Rng
from fuzz.tally import Tally
from kinetree.program import Program

SIZE = 20
"""Names of one attempt."""
CLOSE = 1e-12
MATHS = {"math", "mi", "mn", "mo", "mrow", "msub", "msup", "msubsup", "mtext", "mfrac", "mover"}
"""Elements of formulas, which follow the letters of a name."""


def try_language(tally: Tally, program: Program, language: str, folder: Path) -> None:
    """One language: values, and no canary."""
    place = folder / language.replace(" ", "_")
    place.mkdir()
    try:
        hostile_runs.check_language(language, [program], place)
    except hostile_runs.MissingTool:
        tally.set_aside(f"no {language} here")
    except AssertionError as error:
        tally.expect(language, False, str(error)[-600:])
    else:
        tally.expect(language, True)


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


def try_page(tally: Tally, program: Program, texts: list[str], folder: Path) -> None:
    """The page of equations holds what it holds with plain names."""
    plain = hostile.program("model plain", [f"n{k}" for k in range(len(texts))])
    usual, found = page_of(plain, folder / "plain"), page_of(program, folder / "page")
    more = found.names - usual.names
    tally.expect("elements of pages", not more, f"{sorted(more)} from {texts}")
    tally.expect("scripts of pages", found.scripts == usual.scripts, f"{texts}")


def try_model(tally: Tally, texts: list[str], folder: Path) -> None:
    """A model with these names: the same motion, through its file and back, as an FMU."""
    model = hostile.model(f"m {hostile.name_of(texts[0])}", texts)
    state = {"q": np.full(model.nq, 0.3), "qd": np.ones(model.nv), "tau": np.zeros(model.nv)}
    plain = kt.derive(hostile.plain_model(texts), "forward").evaluate(**state)["qdd"]
    tally.compare("qdd", kt.derive(model, "forward").evaluate(**state)["qdd"], plain, CLOSE)
    written = hostile.model(model.name, texts, units=False)  # the border refuses such units
    kt.save(written, folder / "model.yaml")
    same = kt.load(folder / "model.yaml").content_hash() == written.content_hash()
    tally.expect("model file and back", same, f"{texts}")
    fmu = kt.export_fmu(model, folder / "unit.fmu", derivatives=False, binary=False)
    with ZipFile(fmu) as zipped:
        described = ET.fromstring(zipped.read("modelDescription.xml"))
        fine = all(name.isascii() and ".." not in name for name in zipped.namelist())
    tally.expect("FMU", fine and described.tag == "fmiModelDescription", f"{texts}")


def attempt(rng: Rng, tally: Tally) -> None:
    """One set of names."""
    texts = hostile.random_texts(random.Random(int(rng.integers(2**31))), SIZE)
    program = hostile.program(f"model {' '.join(texts[:3])}", texts)
    others = [name for name in hostile_runs.RUNS if name not in {"native", "python"}]
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        for language in ("native", "python", str(rng.choice(others))):
            try_language(tally, program, language, folder)
        try_page(tally, program, texts, folder)
        if rng.random() < 0.3:
            try_model(tally, texts, folder)
        gone = not list(folder.rglob(hostile.CANARY))
        tally.expect("no canary", gone, f"{texts}")


CAMPAIGN = Campaign(
    "names",
    "hostile names through languages, pages, model files and FMUs",
    attempt,
    short=4 * SIZE,
    long=10_000,
    size=SIZE,
    slices=50,
)
