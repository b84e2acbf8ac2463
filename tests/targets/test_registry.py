"""Every target stands in one tuple, under its own name, with the same two functions."""

from __future__ import annotations

from pathlib import Path

from kinetree.program.program import TARGETS
from kinetree.targets import ALL
from targets.registry import HANDED

SHARED = "text"
"""The folder of what the targets that write text have in common."""


def test_every_target_is_registered_once() -> None:
    assert {target.name: target for target in ALL} == {
        name: target for name, target in TARGETS.items() if name not in HANDED
    }
    assert len(ALL) == len(TARGETS) - len(HANDED)


def test_every_target_has_a_folder_of_its_name() -> None:
    import kinetree.targets

    room = Path(kinetree.targets.__file__).parent
    folders = {p.name for p in room.iterdir() if (p / "__init__.py").exists()}
    assert folders - {SHARED} == set(TARGETS) - set(HANDED)


def test_every_target_compiles_and_writes_or_says_why_not() -> None:
    for target in ALL:
        assert callable(target.compile)
        assert callable(target.write)
