"""The journal of an optimisation: one line per evaluation, so that a killed one goes on.

The first line says what is optimised.  Every evaluation is a line of its own, on the disk before
the next one begins; a line that was not finished does not count.  Methods go the same way again
from the same start, and find here what was computed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from kinetree.errors import ModelError
from kinetree.files import unwritable

JournalRow = dict[str, Any]


class Journal:
    """Evaluations by their variables, in memory and, with a path, in a file.

    Attributes:
        path: of the file; none without one.
        rows: evaluations by their variables.
    """

    def __init__(self, path: Path | None, task: JournalRow) -> None:
        self.path, self.rows = path, dict[tuple[float, ...], JournalRow]()
        if path is not None:
            self._open(path, task)

    def _open(self, path: Path, task: JournalRow) -> None:
        """Read what is there; begin the file where nothing is."""
        if path.exists() and not path.is_file():
            raise ModelError("it is not a valid file", element=f"journal '{path}'", cure="name one")
        whole = path.read_bytes() if path.exists() else b""
        lines = whole.split(b"\n")[:-1]  # what does not end a line was not finished
        if not lines:
            self._append(task, begin=True)
            return
        try:
            known, *rows = (json.loads(line) for line in lines)
        except ValueError as error:
            raise ModelError(
                f"it is not a valid journal ({error})",
                element=f"journal '{path}'",
                cure="take another file, or delete it",
            ) from error
        if known != json.loads(json.dumps(task)):
            other = [k for k in task if known.get(k) != json.loads(json.dumps(task[k]))]
            differ = "differs" if len(other) == 1 else "differ"
            raise ModelError(
                f"it belongs to another optimisation: {', '.join(other)} {differ}",
                element=f"journal '{path}'",
                cure="take another file, or delete it",
            )
        with path.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in lines))
        self.rows = {tuple(row["x"]): row for row in rows}

    def find(self, x: tuple[float, ...], *, slopes: bool) -> JournalRow | None:
        """The evaluation at x, where there is one; with gradients where these are wanted."""
        found = self.rows.get(x)
        enough = found is not None and (not slopes or "gradient" in found or "failed" in found)
        return found if enough else None

    def add(self, row: JournalRow) -> None:
        """Note an evaluation."""
        self.rows[tuple(row["x"])] = row
        if self.path is not None:
            self._append(row)

    def _append(self, row: JournalRow, *, begin: bool = False) -> None:
        assert self.path is not None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("wb" if begin else "ab") as file:
                file.write(json.dumps(row).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise unwritable(f"journal '{self.path}'", error) from error
