"""Every keyword of every public function is obeyed, or refused by name.

The keywords come from the signatures: a new function needs a row, a new keyword a right value.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.options.functions import FUNCTIONS
from tests.options.models import MODELS, QUIET
from tests.options.programs import PROGRAMS
from tests.options.rows import Made, Refused, Rounded, Row, Unseen, wrong_values
from tests.options.studies import STUDIES

import kinetree as kt
from kinetree.errors import KinetreeError

ROWS: dict[str, tuple[Row, ...]] = {**FUNCTIONS, **MODELS, **PROGRAMS, **STUDIES}


def cases() -> Iterator[Any]:
    for name, rows in ROWS.items():
        for number, row in enumerate(rows):
            for keyword in row.keywords:
                yield pytest.param(row, keyword, id=f"{name}-{number}-{keyword}")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


CASES = list(cases())
USUAL: dict[int, Any] = {}


def usual_answer(row: Row, folder: Path) -> Any:
    """The answer of the call that works, asked for once."""
    if id(row) not in USUAL:
        USUAL[id(row)] = row.answer(folder)
    return USUAL[id(row)]


def named(error: KinetreeError, row: Row, keyword: str) -> bool:
    """Whether a sentence names a keyword."""
    said = str(error)
    words = [keyword, row.says.get(keyword, keyword), row.element or keyword]
    return any(word in said for word in words)


@pytest.mark.parametrize(("row", "keyword"), CASES)
def test_senseless_values_are_refused_by_name(row: Row, keyword: str, tmp_path: Path) -> None:
    kept = []
    for name, value in wrong_values(row, keyword).items():
        try:
            row.answer(tmp_path, **{keyword: value})
        except KinetreeError as error:
            if not named(error, row, keyword):
                kept.append(f"{name}: '{error}' does not name it")
        except Exception as error:
            kept.append(f"{name}: {type(error).__name__} {error}")
        else:
            kept.append(f"{name}: taken")
    assert not kept, "\n".join(kept)


@pytest.mark.parametrize(("row", "keyword"), CASES)
def test_right_values_change_something(row: Row, keyword: str, tmp_path: Path) -> None:
    wanted = row.right[keyword]
    if isinstance(wanted, Refused):
        with pytest.raises(KinetreeError) as refused:
            row.answer(tmp_path, **{keyword: wanted.value})
        assert named(refused.value, row, keyword)
        return
    usual = usual_answer(row, tmp_path)
    if isinstance(wanted, Rounded):
        assert len(row.answer(tmp_path, **{keyword: wanted.value})) == len(usual)
        return
    if isinstance(wanted, Unseen):
        assert row.answer(tmp_path, **{keyword: wanted.value}) == usual
        return
    value = wanted.of(tmp_path) if isinstance(wanted, Made) else wanted
    assert row.answer(tmp_path, **{keyword: value}) != usual


@pytest.mark.parametrize(
    "row", [row for rows in ROWS.values() for row in rows if row.open and not row.partial]
)
def test_unknown_keywords_are_refused_with_the_nearest(row: Row, tmp_path: Path) -> None:
    with pytest.raises(KinetreeError, match="nonsense"):
        row.answer(tmp_path, nonsense=1)
    if row.more:
        with pytest.raises(KinetreeError, match=row.more[0]):
            row.answer(tmp_path, **{f"{row.more[0]}x": 1})


RESULTS = {
    "Assembly", "Certificate", "Equilibrium", "EngineLayout", "Identification", "KinetreeError",
    "Linear", "Modes", "Node", "OperationCount", "Optimum", "Partition", "Program",
}  # fmt: skip
"""Classes whose objects kinetree makes and users read."""


def test_every_public_function_has_rows() -> None:
    things = {name for name in kt.__all__ if not inspect.ismodule(getattr(kt, name))}
    assert things - RESULTS <= set(ROWS)


@pytest.mark.parametrize("kind", [kt.Model, kt.FrameModel])
def test_every_method_of_models_has_a_row(kind: type) -> None:
    names = {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"}
    assert names - QUIET <= set(ROWS)
