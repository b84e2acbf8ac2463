"""The picture of the house and the guide for newcomers show the rooms that there are."""

from __future__ import annotations

import re

import pytest
from tools import house

ROOMS = [name for floor in house.floors() for name in floor]
MOST = 20
"""Modules on one level."""


def test_every_room_stands_on_a_floor() -> None:
    found = {
        p.stem for p in house.PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
    }
    assert set(ROOMS) == found - {"__init__"}


def test_no_passage_goes_up() -> None:
    floor = {name: level for level, row in enumerate(house.floors()) for name in row}
    assert [pair for pair in house.passages() if floor[pair[0]] >= floor[pair[1]]] == []


def test_the_picture_shows_every_room() -> None:
    drawn = re.findall(r'font-weight="600">(\w+)<', house.PICTURE.read_text(encoding="utf-8"))
    assert sorted(drawn) == sorted(ROOMS), "make house draws it anew"


@pytest.mark.parametrize(
    "name", [p.name for p in house.PACKAGE.iterdir() if (p / "__init__.py").exists()]
)
def test_the_guide_names_every_room(name: str) -> None:
    guide = (house.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"`{name}/" in guide, f"CONTRIBUTING.md says nothing about {name}/"


def test_no_level_has_too_many_modules() -> None:
    levels = {path.parent for path in house.PACKAGE.rglob("*.py")}
    many = {
        str(p.relative_to(house.PACKAGE)): n
        for p in levels
        if (n := len(list(p.glob("*.py")))) > MOST + 1
    }
    assert many == {}
