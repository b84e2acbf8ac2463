"""Operation counts against the reviewed ones: more is an error, fewer asks to update the file.

Update with `pytest tests/reference/test_opcounts.py --update-golden` and review the difference.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.reference import counts

FILE = Path(__file__).resolve().parent.parent / "golden" / "op_counts.toml"
FIELDS = ("add", "mul", "div", "neg", "call")
pytestmark = pytest.mark.golden


def counted(row: counts.Row) -> dict[str, int]:
    count = counts.program(row).count()
    return {name: int(getattr(count, name)) for name in FIELDS}


def as_toml(table: dict[str, dict[str, int]]) -> str:
    head = (
        "# Operations of one evaluation, parameter preamble apart; see tests/reference/counts.py.\n"
    )
    lines = [
        f'"{key}" = {{ {", ".join(f"{name} = {n}" for name, n in row.items())} }}'
        for key, row in table.items()
    ]
    return head + "\n".join(lines) + "\n"


def test_the_file_lists_exactly_these_programs(update_golden: bool) -> None:
    if update_golden:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(as_toml({row.key: counted(row) for row in counts.ALL}))
    assert set(tomllib.loads(FILE.read_text())) == {row.key for row in counts.ALL}


@pytest.mark.parametrize("row", counts.ALL, ids=lambda row: row.key)
def test_count(row: counts.Row, update_golden: bool) -> None:
    now = counted(row)
    known = tomllib.loads(FILE.read_text()).get(row.key, {})
    if update_golden:
        return
    more = [name for name in FIELDS if now[name] > known.get(name, 0)]
    total, before = sum(now.values()), sum(known.values())
    assert total <= before, f"{row.key}: {total} operations instead of {before}; grown: {more}"
    assert now == known, (
        f"{row.key}: {total} operations instead of {before}: {now} instead of {known}; "
        "if that is meant, update tests/golden/op_counts.toml with --update-golden"
    )
