"""Digests of Programs: equal where the code is, different where anything of it differs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinetree import engine as en
from kinetree.program import Program
from kinetree.program.program import Assign, Block, Input, Newton, Note, Output, Solve
from kinetree.targets import native
from kinetree.targets.digest import digest
from kinetree.targets.native import cache, fingerprint
from kinetree.targets.native.compile import plan
from targets import corpus, newtons

BASE = corpus.with_preamble()


def program(x: str = "x", factor: float = 2.0, note: str = "") -> Program:
    a, b = en.symbol(f"{x}1", en.Rank.COORDINATE), en.symbol(f"{x}2", en.Rank.COORDINATE)
    y = en.symbol(f"{x}_y", en.Rank.LOCAL)
    block = Assign(y, factor * a + b**2, Note(step=note))
    rows = (Input("x", (2,), (a, b)),)
    return Program("p", rows, (), (block,), (Output("y", (2,), (y, a * y)),))


def test_names_and_notes_do_not_count() -> None:
    assert digest(program()) == digest(program("z", note="other"))


def test_what_changes_the_code_counts() -> None:
    base = program()
    (block,) = base.blocks
    a, b = base.inputs[0].symbols
    (out,) = base.outputs
    others = [
        program(factor=3.0),
        replace(base, inputs=(Input("x", (2,), (b, a)),)),
        replace(base, inputs=(replace(base.inputs[0], parameter=True),)),
        replace(base, outputs=(replace(out, nodes=out.nodes[::-1]),)),
        replace(base, blocks=(Assign(block.target, en.sin(block.expr)),)),
        replace(base, preamble=base.blocks, blocks=()),
    ]
    assert len({digest(p) for p in (base, *others)}) == 1 + len(others)


@pytest.mark.parametrize("change", ["symmetric", "limit", "tolerance", "step"])
def test_systems_count(change: str) -> None:
    found = 0
    for base in [*corpus.SYSTEMS.values(), *newtons.PROGRAMS.values()]:
        blocks = tuple(_changed(block, change) for block in base.blocks)
        if blocks != base.blocks:
            found += 1
            assert digest(base) != digest(replace(base, blocks=blocks))
    assert found > 2


def _changed(block: Block, change: str) -> Block:
    if isinstance(block, Solve) and change == "symmetric":
        return replace(block, symmetric=not block.symmetric)
    if isinstance(block, Newton) and change in ("limit", "tolerance"):
        return replace(block, **{change: 2 * getattr(block, change)})
    if isinstance(block, Newton) and change == "step":
        return replace(block, step=replace(block.step, outputs=block.step.outputs[::-1]))
    return block


def test_what_is_found_on_disk_needs_no_tape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    q = np.linspace(0.1, 1.0, 40).reshape(20, 2)
    p = np.linspace(1.0, 2.0, 20)[:, None] * np.array(BASE.input("p").default)
    first = [BASE.compile()(q=q[0]), BASE.compile()(q=q), BASE.compile()(q=q, p=p)]

    def no_tape(_: Program) -> None:
        raise AssertionError("lowered in vain")

    monkeypatch.setattr(native, "lower", no_tape)
    second = [BASE.compile()(q=q[0]), BASE.compile()(q=q), BASE.compile()(q=q, p=p)]
    for one, other in zip(first, second, strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)


def test_makers_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.fingerprint()
    assert fingerprint.fingerprint() == before
    monkeypatch.setattr(plan, "SEGMENT", plan.SEGMENT + 1)
    assert fingerprint.fingerprint() != before


def test_modules_may_be_imported_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    class Importing(str):
        """A name at which another thread imports something."""

        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, other)

        def rpartition(self, mark: str) -> tuple[str, str, str]:  # type: ignore[override]
            sys.modules["imported_meanwhile"] = sys
            return super().rpartition(mark)

    before = fingerprint.fingerprint()
    monkeypatch.setattr(sys, "modules", {Importing("first"): sys, **sys.modules})
    assert fingerprint.fingerprint() == before
