"""Two texts that came from one, put together line by line: what one side changed, and conflicts.

Lines that both sides have as they were hold the three texts together.  Between them, what one side
alone has changed, or both alike, needs no choice; what both have changed in different ways does.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from kinetree.errors import FormatError

Take = Literal["mine", "disk", "both", "typed"]
"""Which lines stand in the place of a conflict: those of one side, of both, or others."""


@dataclass(frozen=True)
class TextStretch:
    """A stretch of the three texts.

    Attributes:
        line: number of its first line in my text, from 1.
        mine, base, disk: its lines, with their ends.
    """

    line: int
    mine: str
    base: str
    disk: str

    @property
    def is_conflict(self) -> bool:
        """Whether both sides have changed it, in different ways."""
        return self.mine != self.disk and self.base not in (self.mine, self.disk)

    @property
    def settlement(self) -> str:
        """Its lines where it is no conflict: those of the side that has changed it."""
        return self.disk if self.mine == self.base else self.mine


@dataclass(frozen=True)
class Pick:
    """A choice at a conflict.

    Attributes:
        take: which lines.
        lines: those that were typed.
    """

    take: Take
    lines: str = ""


def stretches(base: str, mine: str, disk: str) -> list[TextStretch]:
    """The three texts, cut where a line of all of them stays and a change begins or ends.

    Args:
        base: what both began with.
        mine: one text.
        disk: the other one.
    """
    rows = [text.splitlines(keepends=True) for text in (base, mine, disk)]
    here, there = (dict(_match_lines(rows[0], side)) for side in rows[1:])
    held = [(-1, -1, -1), *((k, here[k], there[k]) for k in sorted({*here} & {*there}))]
    ends = (*held, (len(rows[0]), len(rows[1]), len(rows[2])))
    found: list[TextStretch] = []
    for before, after in pairwise(ends):
        changed = ["".join(row[a + 1 : b]) for row, a, b in zip(rows, before, after, strict=True)]
        if any(changed):
            found.append(TextStretch(before[1] + 2, changed[1], changed[0], changed[2]))
        kept = "".join(rows[0][after[0] : after[0] + 1])
        if kept and found and not found[-1].is_conflict and found[-1].mine == found[-1].disk:
            found[-1] = _longer(found[-1], kept)
        elif kept:
            found.append(TextStretch(after[1] + 1, kept, kept, kept))
    return found


def _match_lines(base: Sequence[str], side: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Numbers of the lines of the base that a side has as well, and their numbers there."""
    for match in difflib.SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks():
        yield from ((match.a + k, match.b + k) for k in range(match.size))


def _longer(row: TextStretch, kept: str) -> TextStretch:
    """A stretch with one more line, which all texts have."""
    return TextStretch(row.line, row.mine + kept, row.base + kept, row.disk + kept)


def put_together(found: Sequence[TextStretch], picks: Sequence[Pick]) -> str:
    """The text of all stretches.

    Args:
        found: as `stretches` gave them.
        picks: one for every conflict, in their order.

    Raises:
        FormatError: where there are more or fewer of them.
    """
    conflicts = sum(row.is_conflict for row in found)
    if len(picks) != conflicts:
        raise FormatError(
            f"there are {len(picks)} choices for {conflicts} conflicts", element="picks",
            cure="choose the lines of each",
        )  # fmt: skip
    text, chosen = "", iter(picks)
    for row in found:
        text = _append(text, _lines(row, next(chosen)) if row.is_conflict else row.settlement)
    return text


def _lines(row: TextStretch, pick: Pick) -> str:
    """The lines in the place of a conflict."""
    made: dict[Take, Callable[[], str]] = {
        "mine": lambda: row.mine, "disk": lambda: row.disk, "typed": lambda: pick.lines,
        "both": lambda: _append(row.mine, row.disk),
    }  # fmt: skip
    return made[pick.take]()


def _append(text: str, more: str) -> str:
    """Lines behind others, the last of which may have no end yet."""
    ended = not text or not more or text.endswith(("\n", "\r"))
    return text + ("" if ended else "\n") + more


def stamp(*texts: str) -> str:
    """What tells these texts from others, so that a choice is not made of what nobody saw."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
