"""A model file that is being edited: its text, revisions, and one history over all panes.

The text is the document.  Every edit is an operation on it (`formats.edits`), told as one splice;
its inverse undoes it.  The file changes only on save.  What was acknowledged is in the journal.
"""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetree.arguments import check_choice
from kinetree.errors import FileError, FormatError, KinetreeError
from kinetree.files import read_exactly, write_file
from kinetree.formats.edits.splices import Splice, change
from kinetree.studio.journal import EditJournal
from kinetree.studio.messages import ResolveMessage, ThreeWayMessage

LONGEST = 5_000_000
"""Most characters of a model that is edited."""


class StaleEditError(KinetreeError):
    """An edit of a text that has changed since."""


@dataclass(frozen=True)
class HistoryStep:
    """One edit of the history.

    Attributes:
        label: what it did, for the list of edits.
        splice: how the text changed.
    """

    label: str
    splice: Splice


class EditSession:
    """The text of one file, its history, and what of it is saved.

    Attributes:
        path: of the file.
        text: as it is now.
        revision: counts the changes of the text, undone ones too.
        saved: the text on the disk, as far as this session knows; None where there is no file.
        past, future: edits that can be undone, and made again.
        recovered: edits that an earlier session had not saved.
    """

    def __init__(self, path: Path, expect: Callable[[str], object] = lambda _: None) -> None:
        """Open a file.

        Args:
            path: of the file.
            expect: told a new text while it is written to the journal.
        """
        self.path, self._expect = path, expect
        first = _read_file(path)
        self.saved: str | None = first
        self.journal = EditJournal(path)
        found = self.journal.recover(first)
        self.text, self.revision = found.text, found.revision
        self.past = [HistoryStep(*row) for row in found.past]
        self.future = [HistoryStep(*row) for row in found.future]
        self.recovered = found.count_unsaved()
        self._lock = threading.Lock()

    @property
    def is_saved(self) -> bool:
        """Whether the file has the text."""
        return self.text == self.saved

    def edit(self, base: int, operations: Sequence[Sequence[Any]], label: str) -> Splice:
        """Make operations, each a name and arguments, one edit of the history.

        Args:
            base: the revision that they were thought for.
            operations: such as ["set", ["bodies", "rod", "mass"], 2].
            label: what they do.

        Returns:
            How the text changed.

        Raises:
            StaleEditError: where the text has changed since.
            FormatError: where one cannot be made; nothing is changed then.
        """
        with self._lock:
            if base != self.revision:
                raise StaleEditError(
                    f"it was made for revision {base}, and this is {self.revision}",
                    element="edit", cure="take the text as it is now and make it again",
                )  # fmt: skip
            text = self.text
            for operation in operations:
                text = _apply(text, operation)
            if len(text) > LONGEST:
                raise FormatError(
                    f"the text would have {len(text)} characters", element="edit",
                    cure=f"keep a model below {LONGEST}",
                )  # fmt: skip
            step = HistoryStep(label, change(self.text, text))
            if text != self.text:
                self._go(text, "edit", step)
                self.past.append(step)
                self.future.clear()
            return step.splice

    def undo(self) -> Splice | None:
        """Take the last edit back; None where there is none."""
        with self._lock:
            if not self.past:
                return None
            step = self.past[-1]
            splice = step.splice.inverse()
            self._go(splice.apply(self.text), "undo", step)
            self.future.append(self.past.pop())
            return splice

    def redo(self) -> Splice | None:
        """Make the edit again that was taken back last; None where there is none."""
        with self._lock:
            if not self.future:
                return None
            step = self.future[-1]
            self._go(step.splice.apply(self.text), "redo", step)
            self.past.append(self.future.pop())
            return step.splice

    def save(self) -> None:
        """Write the text into its file.

        Raises:
            StaleEditError: where the file has changed on the disk; it is left as it is.
            FileError: where it cannot be written; the old file is there then.
        """
        with self._lock:
            if self.disk() != self.saved:
                raise StaleEditError(
                    "it has changed on the disk since it was read",
                    element=f"file '{self.path.name}'",
                    cure="look at both, and keep this text, take the file, or both",
                )
            _check_writable(self.path)
            write_file(self.path, self.text)
            self.saved = self.text
            self.journal.write({"kind": "save"})

    def disk(self) -> str | None:
        """The text of the file as it is now; None where there is none.

        Raises:
            KinetreeError: where it cannot be read.
        """
        return _read_file(self.path) if self.path.exists() else None

    def resolve(self, choice: str, asked: ResolveMessage | None = None) -> Splice | None:
        """Know the file as it is on the disk, and keep the text, take the file's, or both.

        Args:
            choice: "mine", "disk", "both" or "lines"; see `ResolveMessage`.
            asked: of "lines", with what is chosen at every conflict.

        Returns:
            How the text changed; undo takes it back.

        Raises:
            StaleEditError: where lines were chosen of texts that have changed since.
        """
        with self._lock:
            disk = self.disk()
            if choice != "mine" and disk is None:
                raise FormatError(
                    "it is gone", element=f"file '{self.path.name}'",
                    cure="keep the text, and save it",
                )  # fmt: skip
            text = self._text_by_choice(choice, str(disk), asked)
            step = HistoryStep("Taken from the disk", change(self.text, text))
            self.journal.write({"kind": "disk", "text": disk})
            self.saved = disk
            if text != self.text:
                self._go(text, "edit", step)
                self.past.append(step)
                self.future.clear()
                return step.splice
            return None

    def _text_by_choice(self, choice: str, disk: str, asked: ResolveMessage | None) -> str:
        """The text after a choice."""
        if choice in ("mine", "disk"):
            return self.text if choice == "mine" else disk
        from kinetree.studio.lines import Pick, put_together, stamp, stretches  # noqa: PLC0415
        from kinetree.studio.merging import merge  # noqa: PLC0415  as below

        texts = self.saved or "", self.text, disk
        if choice == "both" or asked is None:
            return merge(*texts)
        if asked.stamp != stamp(*texts):
            raise StaleEditError(
                "one of the texts has changed since its lines were chosen",
                element=f"file '{self.path.name}'", cure="look at the lines again",
            )  # fmt: skip
        return put_together(stretches(*texts), [Pick(row.take, row.lines) for row in asked.picks])

    def three_way(self) -> ThreeWayMessage:
        """The text, the file as it was read, and the file as it is."""
        mine, base = self.text, self.saved or ""
        try:
            disk = self.disk()
        except KinetreeError:
            return ThreeWayMessage(state="unreadable", mine=mine, base=base, disk=None)
        if disk is None or disk == self.saved:
            word = "removed" if disk is None else "known"
            return ThreeWayMessage.model_validate(
                {"state": word, "mine": mine, "base": base, "disk": disk}
            )
        from kinetree.studio.merging import compare_three  # noqa: PLC0415  as below

        return compare_three(base, mine, disk)

    def _go(self, text: str, kind: str, step: HistoryStep) -> None:
        """Take a text as the new one once the journal has it."""
        self._expect(text)
        self.journal.write({
            "kind": kind, "label": step.label, "start": step.splice.start,
            "removed": step.splice.removed, "put": step.splice.put,
        })  # fmt: skip
        self.text = text
        self.revision += 1


def _read_file(path: Path) -> str:
    """The text of a file that is not too long.

    Raises:
        FormatError: for one that is.
    """
    if path.is_file() and path.stat().st_size > 4 * LONGEST:
        raise _too_long(f"file '{path.name}'")
    text = read_exactly(path)
    if len(text) > LONGEST:
        raise _too_long(f"file '{path.name}'")
    return text


def _too_long(element: str) -> FormatError:
    return FormatError(
        f"it has more than {LONGEST} characters", element=element,
        cure="take a part of it, or use the command line",
    )  # fmt: skip


def _check_writable(path: Path) -> None:
    """Refuse to replace a file that somebody has made read-only."""
    if path.exists() and not path.stat().st_mode & stat.S_IWUSR:
        raise FileError(
            "it is read-only", element=f"file '{path.name}'",
            cure="make it writable, or save a copy under another name",
        )  # fmt: skip


def _apply(text: str, operation: Sequence[Any]) -> str:
    """The text after one operation.

    Raises:
        FormatError: for an unknown one, or arguments that it does not take.
    """
    # the page is served before the tables of the model file are loaded
    from kinetree.formats.edits.operations import OPERATIONS  # noqa: PLC0415

    name, *arguments = operation
    check_choice("edit", name, OPERATIONS, "operation")
    try:
        return OPERATIONS[name](text, *arguments)
    except (TypeError, AttributeError, ValueError, LookupError, RecursionError) as error:
        raise FormatError(
            f"'{name}' cannot be made with {len(arguments)} such arguments ({error})",
            element="edit", cure="see the documentation of the edits",
        ) from error  # fmt: skip
