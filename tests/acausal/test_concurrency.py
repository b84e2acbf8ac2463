"""Components in threads, cut short, and with names that try to be something else."""

from __future__ import annotations

import gc
import json
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import concurrency
import hostile
import kinetree as kt
from acausal.parts import Capacitor, Ground, Resistor, Source
from kinetree import engine as en
from kinetree.acausal import Component, connect, setting
from kinetree.acausal.components import parts_of, settle
from kinetree.errors import KinetreeError

ROOT = Path(__file__).parents[2]
FILES = (
    ROOT / "examples" / "components" / "motor_drive.yaml",
    *sorted((ROOT / "tests" / "data" / "components").glob("*.yaml")),
)
CASES: tuple[concurrency.Case, ...] = tuple(
    ((lambda f=file: kt.load(f)), "forward") for file in FILES
)
INTERRUPTS = 12


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads that take turns very often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(concurrency.SWITCH)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
def test_systems_in_threads_are_those_of_one() -> None:
    alone = [concurrency.answer(case) for case in CASES]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(concurrency.answer, CASES * 2))
    assert found == alone * 2
    concurrency.sound()


@pytest.mark.usefixtures("switching")
def test_threads_that_ask_one_component_at_once_get_the_same_parts() -> None:
    alone = kt.derive(kt.load(FILES[0]), "forward").show()
    for _ in range(4):
        drive = kt.load(FILES[0])
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _, c=drive: kt.derive(c, "forward").show(), range(8)))
        assert found == [alone] * 8


def test_interrupts_while_systems_are_sorted_leave_nothing() -> None:
    chance = random.Random(5)
    with concurrency.unharmed(CASES[:2]):
        for k in range(INTERRUPTS):
            case, where = CASES[k % 2], ("acausal", "kinetree")[k // 2 % 2]
            line = chance.randrange(1, concurrency._lines(case, where) + 1)
            with suppress(KeyboardInterrupt):
                concurrency._traced(concurrency.Interrupter(line, where), case)
            assert en.number(0) is en.ZERO
            assert gc.isenabled()


class Half(Component):
    """A row of resistors and capacitors, whose making is interrupted once."""

    n = setting(3)
    broken = False

    def setup(self) -> None:
        self.source, self.ground = Source(), Ground()
        self.R = [Resistor() for _ in range(self.n)]
        if not type(self).broken:
            type(self).broken = True
            raise KeyboardInterrupt
        self.C = [Capacitor() for _ in range(self.n)]

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R[0].p)
        yield connect(self.source.n, self.ground.p, *(one.n for one in self.C))
        for k in range(self.n):
            yield connect(self.R[k].n, self.C[k].p, *(one.p for one in self.R[k + 1 : k + 2]))


def test_parts_that_were_half_made_are_made_anew() -> None:
    row = Half()
    with pytest.raises(KeyboardInterrupt):
        settle(row)
    settle(row)
    assert len(list(parts_of(row))) == 8
    assert len(row.report().states) == 3


MOVES = "variables: {x: {start: 1}}, equations: [der(x) == -x]"
PLACES = (
    f"{{component: NAME, {MOVES}}}",
    f"{{component: T, parts: {{a: NAME}}, classes: {{NAME: {{{MOVES}}}}}}}",
    f"{{component: T, parts: {{NAME: A}}, classes: {{A: {{{MOVES}}}}}}}",
    "{component: T, variables: {NAME: {start: 1}}}",
    f"{{component: T, parameters: {{NAME: 1}}, {MOVES}}}",
    f"{{component: T, connectors: {{NAME: {{across: {{e: V}}}}}}, {MOVES}}}",
    "{component: T, variables: {x: {start: 1, unit: NAME}}, equations: [der(x) == -x]}",
)


def refusal(path: Path) -> str:
    """What a file is refused with; nothing where it is taken."""
    try:
        kt.derive(kt.load(path), "forward")
    except KinetreeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("place", PLACES)
def test_names_in_files_are_words_or_refused_in_one_sentence(place: str, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    for name in (*hostile.ALL, "a\0b", "x" * 400, "../x"):
        path.write_text(place.replace("NAME", json.dumps(name)), encoding="utf-8")
        said = refusal(path)
        assert name.isidentifier() or said or not name
        assert all(sign.isprintable() for sign in said.replace("\n", ""))
