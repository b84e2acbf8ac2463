"""The public face is the one that users, examples and acceptance checks rely on."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import kinetree as kt

CONTRACT = ("Model", "load", "derive")


def test_names_of_the_contract_are_exported() -> None:
    assert set(CONTRACT) <= set(kt.__all__)


@pytest.mark.parametrize("name", sorted(kt.__all__))
def test_every_exported_name_exists_and_is_documented(name: str) -> None:
    thing = getattr(kt, name)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        assert inspect.getdoc(thing)


def test_nothing_else_looks_public() -> None:
    rooms = {name for name, thing in vars(kt).items() if inspect.ismodule(thing)}
    extra = {name for name in vars(kt) if not name.startswith("_")} - set(kt.__all__) - rooms
    assert extra <= {"annotations"}


def test_a_room_does_not_hide_the_export_of_its_name() -> None:
    code = "import kinetree as kt, kinetree.integrate; print(callable(kt.integrate))"
    assert python(code) == ["True"]


@pytest.mark.parametrize("room", ["model.model", "program.program", "storage.load"])
def test_a_room_imported_first_knows_every_kind_and_target(room: str) -> None:
    code = (
        f"import kinetree.{room}; from kinetree.model import Model, JOINTS, CLOSURES, FORCES;"
        " from kinetree.program import TARGETS;"
        " print('revolute' in JOINTS, 'ball' in CLOSURES, 'bushing' in FORCES, 'fmu' in TARGETS)"
    )
    assert python(code) == ["True"] * 4


def test_the_package_and_its_help_start_quickly() -> None:
    code = "import sys, kinetree{}; print(sum(m.startswith('kinetree.') for m in sys.modules))"
    assert int(python(code.format(""))[0]) <= 2
    assert int(python(code.format(".cli"))[0]) <= 20


def python(code: str) -> list[str]:
    """The words that a program prints in an interpreter of its own."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_import_leaves_heavy_packages_alone() -> None:
    heavy = (
        "sympy", "scipy", "pandas", "xarray", "matplotlib", "pydantic", "ruamel", "yaml",
        "llvmlite",
    )  # fmt: skip
    code = f"import sys; from kinetree import *; print(*[m for m in {heavy!r} if m in sys.modules])"
    assert python(code) == []


def test_every_extra_stands_in_the_table_of_the_readme() -> None:
    root = Path(__file__).resolve().parents[2]
    with (root / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    rows = [row.split("|")[1] for row in (root / "README.md").read_text("utf-8").splitlines()
            if row.startswith("| `")]  # fmt: skip
    assert set(extras) == {name.strip(" `") for row in rows for name in row.split(",")}
