"""Two texts that came from one, line by line: nothing is lost, choices are obeyed."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("starlette", reason="there is no starlette: pip install 'kinetree[studio]'")

from kinetree.errors import FormatError
from kinetree.studio.lines import Pick, TextStretch, put_together, stretches

Lines = list[str]


def conflicts(base: str, mine: str, disk: str) -> list[TextStretch]:
    return [row for row in stretches(base, mine, disk) if row.is_conflict]


def edited(base: Lines, changes: dict[int, Lines]) -> str:
    """A text with lines of the base replaced by others."""
    return "".join("".join(changes.get(k, [line])) for k, line in enumerate(base))


def draw(seed: int) -> tuple[Lines, dict[int, Lines], dict[int, Lines]]:
    """A text, and changes of two sides: lines changed, taken out, put in."""
    own = random.Random(seed)
    count = own.randrange(3, 40)
    base = [f"{'  ' * own.randrange(3)}{own.choice('abc')}: {k}\n" for k in range(count)]
    sides = [
        {
            k: own.choice([[], [f"{side} {k}\n"], [base[k], f"{side} {k}\n", f"{side} more\n"]])
            for k in own.sample(range(count), own.randrange(count // 2 + 1))
        }
        for side in ("mine", "disk")
    ]
    return base, sides[0], sides[1]


@pytest.mark.parametrize("seed", range(100))
def test_changes_that_do_not_touch_are_made_both(seed: int) -> None:
    base, mine, disk = draw(seed)
    near = {k + d for k in mine for d in (-1, 0, 1)}
    disk = {k: lines for k, lines in disk.items() if k not in near}
    texts = "".join(base), edited(base, mine), edited(base, disk)
    assert conflicts(*texts) == []
    assert put_together(stretches(*texts), []) == edited(base, {**mine, **disk})


@pytest.mark.parametrize("seed", range(100))
def test_every_choice_gives_what_it_says(seed: int) -> None:
    base, mine, disk = draw(seed)
    texts = "".join(base), edited(base, mine), edited(base, disk)
    found = stretches(*texts)
    for k, name in enumerate(("base", "mine", "disk")):
        assert "".join(getattr(row, name) for row in found) == texts[k]
    for row in found:
        assert "".join(texts[1].splitlines(True)[row.line - 1 :]).startswith(row.mine)
    met = [row for row in found if row.is_conflict]
    parts = [None if row.is_conflict else row.settlement for row in found]
    own = random.Random(seed)
    picks = [Pick(own.choice(["mine", "disk", "both", "typed"]), f"typed {k}\n")
             for k in range(len(met))]  # fmt: skip
    says = [
        {"mine": row.mine, "disk": row.disk, "both": row.mine + row.disk, "typed": pick.lines}[
            pick.take
        ]
        for row, pick in zip(met, picks, strict=True)
    ]
    wanted = iter(says)
    assert put_together(found, picks) == "".join(
        next(wanted) if part is None else part for part in parts
    )


def test_all_of_mine_and_all_of_the_other_are_two_of_the_choices() -> None:
    base = "a: 1\nb: 2\nc: 3\n"
    mine, disk = "a: 5\nb: 2\nc: 3\nd: 4\n", "a: 6\nb: 2\nc: 3\n"
    (row,) = conflicts(base, mine, disk)
    assert (row.line, row.mine, row.base, row.disk) == (1, "a: 5\n", "a: 1\n", "a: 6\n")
    found = stretches(base, mine, disk)
    assert put_together(found, [Pick("mine")]) == mine
    assert put_together(found, [Pick("disk")]) == disk + "d: 4\n"
    assert put_together(found, [Pick("both")]) == "a: 5\na: 6\nb: 2\nc: 3\nd: 4\n"
    assert put_together(found, [Pick("typed", "a: 7")]) == "a: 7\nb: 2\nc: 3\nd: 4\n"


@pytest.mark.parametrize(("mine", "disk"), [("a\nb", "a\nc"), ("a\nb\n", "a\nc"), ("", "b")])
def test_a_last_line_without_an_end_does_not_run_into_another(mine: str, disk: str) -> None:
    texts = "a", mine, disk
    both = put_together(stretches(*texts), [Pick("both")] * len(conflicts(*texts)))
    assert {*both.splitlines()} == {*mine.splitlines(), *disk.splitlines()}


def test_as_many_choices_as_conflicts_are_wanted() -> None:
    found = stretches("a\n", "b\n", "c\n")
    for picks in ([], [Pick("mine")] * 2):
        with pytest.raises(FormatError, match="choices for 1 conflicts; choose the lines of each"):
            put_together(found, picks)


def test_line_ends_of_either_side_stay() -> None:
    base, mine, disk = "a\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nc\r\n"
    assert put_together(stretches(base, mine, disk), []) == "A\r\nb\r\nC\r\n"
