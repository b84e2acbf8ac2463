"""Every target stands in one tuple, under its own name, with the same two functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kinetree.errors import KinetreeError
from kinetree.program.program import TARGETS
from kinetree.targets import ALL, Target
from targets import corpus
from targets.registry import HANDED

SHARED = {"tape", "text"}
"""Rooms that several targets share."""
EQUATIONS = ("sympy",)
"""Targets that compile to something to read, not to call."""
MEMORY = ("native",)
"""Targets that live in this process alone: they write no files."""


def test_every_target_is_registered_once() -> None:
    assert {target.name: target for target in ALL} == {
        name: target for name, target in TARGETS.items() if name not in HANDED
    }
    assert len(ALL) == len(TARGETS) - len(HANDED)


def test_every_target_has_a_folder_of_its_name() -> None:
    import kinetree.targets

    room = Path(kinetree.targets.__file__).parent
    folders = {p.name for p in room.iterdir() if (p / "__init__.py").exists()}
    assert folders - SHARED == set(TARGETS) - set(HANDED)


def attempt(action: Callable[[], Any]) -> tuple[Any, str]:
    """What an action gives, or the cure that its refusal proposes."""
    try:
        return action(), ""
    except KinetreeError as error:
        return None, error.cure


@pytest.mark.parametrize("target", ALL, ids=lambda target: target.name)
def test_every_target_compiles_or_names_the_way_out(target: Target) -> None:
    found, way_out = attempt(lambda: target.compile(corpus.with_preamble()))
    assert way_out or callable(found) or target.name in EQUATIONS


@pytest.mark.parametrize("target", ALL, ids=lambda target: target.name)
def test_every_target_writes_files_or_names_the_way_out(target: Target, tmp_path: Path) -> None:
    found, way_out = attempt(lambda: target.write(corpus.with_preamble(), tmp_path))
    files = found or ()
    assert set(files) == set(tmp_path.iterdir())
    assert all("with_preamble" in path.read_text("utf-8").replace("\\_", "_") for path in files)
    assert files or (way_out and target.name in MEMORY)
