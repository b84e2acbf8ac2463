"""What was edited, line by line on the disk before it is acknowledged.

The journal is in a folder `.kinetree` beside the model, which git leaves alone.  Its first line has
the text that it began with, every other one an edit, an undo, a redo or a save.  A line that was
being written when the machine stopped is left out.  When the file is another one than the journal
knows, the journal is kept under another name and a new one begins: nothing is lost.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetree.errors import FormatError
from kinetree.files import read_bytes, unwritable, write_file
from kinetree.formats.edits.splices import Splice

FOLDER = ".kinetree"
History = list[tuple[str, Splice]]


@dataclass
class Recovered:
    """What a journal says.

    Attributes:
        text: with all edits.
        saved: the text of the file, None where there was none.
        revision: number of changes.
        past, future: edits that can be undone, and made again.
    """

    text: str
    saved: str | None
    revision: int = 0
    past: History = field(default_factory=list)
    future: History = field(default_factory=list)

    def count_unsaved(self) -> int:
        """Edits that the file does not have, 0 where it has the text."""
        return 0 if self.text == self.saved else max(1, len(self.past))


class EditJournal:
    """The journal of one model file."""

    def __init__(self, model: Path) -> None:
        self.folder = model.parent / FOLDER
        self.path = self.folder / f"{model.name}.jsonl"

    def recover(self, text: str) -> Recovered:
        """What is in the journal for a file with this text; begins a new one where it is another's.

        A file that has the last text was saved, and its studio ended before it could note that.

        Raises:
            FileError: where nothing can be written there.
        """
        found = self._read()
        if found is not None and text in (found.saved, found.text):
            if found.saved != text:
                self.write({"kind": "save"})
                found.saved = text
            return found
        self._begin(text)
        return Recovered(text, text)

    def write(self, row: dict[str, Any]) -> None:
        """Add a line, on the disk when this returns.

        Raises:
            FileError: where it cannot be written; a line begun is left out when it is read.
        """
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        try:
            with self.path.open("ab") as file:
                end = file.tell()
                try:
                    file.write(line)
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(end)
                    raise
        except OSError as error:
            raise unwritable(f"journal '{self.path.name}'", error) from error

    def _begin(self, text: str) -> None:
        """A new journal; an old one with edits is kept under another name."""
        if self.path.is_file():
            self.path.rename(self._aside())
        if not (self.folder / ".gitignore").exists():
            write_file(self.folder / ".gitignore", "*\n")
        write_file(self.path, json.dumps({"kind": "open", "text": text}, ensure_ascii=False) + "\n")

    def _aside(self) -> Path:
        """A name that no other journal has."""
        number = 1
        while (old := self.path.with_suffix(f".{number}.jsonl")).exists():
            number += 1
        return old

    def _read(self) -> Recovered | None:
        """What the lines say, up to the first one that is damaged; None without a first one."""
        try:
            data = read_bytes(self.path) if self.path.is_file() else b""
        except FormatError:
            return None
        found: Recovered | None = None
        good = 0
        for line in data.split(b"\n")[:-1]:
            try:
                found = _play(found, json.loads(line.decode()))
            except (ValueError, KeyError, TypeError, IndexError, FormatError):
                break
            good += len(line) + 1
        if found is not None and good < len(data):
            self._cut(data, good)
        return found

    def _cut(self, data: bytes, good: int) -> None:
        """Leave out what is damaged, so that the next line is read again."""
        if b"\n" in data[good:]:  # not only a line that was being written
            write_file(self._aside(), data)
        write_file(self.path, data[:good])


def _play(found: Recovered | None, row: dict[str, Any]) -> Recovered:
    """What is known after one more line."""
    if found is None:
        return Recovered(row["text"], row["text"])
    kind = row["kind"]
    if kind in ("save", "disk"):  # the file has the text, or another one that was looked at
        found.saved = found.text if kind == "save" else row["text"]
        return found
    step = (str(row["label"]), Splice(row["start"], row["removed"], row["put"]))
    moves = {"edit": (None, found.past), "redo": (found.future, found.past),
             "undo": (found.past, found.future)}  # fmt: skip
    source, target = moves[kind]
    splice = step[1].inverse() if kind == "undo" else step[1]
    found.text = splice.apply(found.text)
    if source is None:
        found.future.clear()
    else:
        source.pop()
    target.append(step)
    found.revision += 1
    return found
