"""An edit as one piece of a text replaced by another; its inverse gives back the first bytes."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.errors import FormatError


@dataclass(frozen=True)
class Splice:
    """One piece of a text replaced by another.

    Attributes:
        start: position of its first character.
        removed: what was there.
        put: what is there now.
    """

    start: int
    removed: str
    put: str

    def apply(self, text: str) -> str:
        """The text with the piece replaced.

        Raises:
            FormatError: where the text is another one.
        """
        end = self.start + len(self.removed)
        if self.start < 0 or text[self.start : end] != self.removed:
            raise FormatError(
                "the text is not the one that the edit was made for",
                element=f"character {self.start}",
                cure="make the edit again on the text as it is",
            )
        return text[: self.start] + self.put + text[end:]

    def inverse(self) -> Splice:
        """What takes it back."""
        return Splice(self.start, self.put, self.removed)


def change(old: str, new: str) -> Splice:
    """The smallest piece by which two texts differ."""
    size = min(len(old), len(new))
    head = next((k for k in range(size) if old[k] != new[k]), size)
    size -= head
    tail = next((k for k in range(size) if old[-1 - k] != new[-1 - k]), size)
    return Splice(head, old[head : len(old) - tail], new[head : len(new) - tail])
