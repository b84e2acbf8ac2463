"""The public face is the one that users, examples and acceptance checks rely on."""

from __future__ import annotations

import inspect
import subprocess
import sys

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


def test_import_leaves_heavy_packages_alone() -> None:
    heavy = (
        "sympy", "scipy", "pandas", "xarray", "matplotlib", "pydantic", "ruamel", "yaml",
        "llvmlite",
    )  # fmt: skip
    code = f"import sys, kinetree; print(*[m for m in {heavy!r} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []
