"""All that follows from a text in one answer, less what was told of an earlier revision already."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from kinetree.errors import KinetreeError
from kinetree.formats.edits.entries import yaml_text
from kinetree.studio.messages import ElementsMessage, Message, ViewMessage
from kinetree.studio.panes.checks import check, quick_check
from kinetree.studio.panes.diagrams import diagram_message
from kinetree.studio.panes.scenes import SceneMemory
from kinetree.studio.panes.values import values_message

REMEMBERED = 8
"""Revisions of which is known what was told."""


class ViewMemory:
    """What was told of the last revisions of a file.

    Attributes:
        scenes: the same in 3-D, body by body.
    """

    def __init__(self) -> None:
        self.scenes = SceneMemory()
        self._told: OrderedDict[int, dict[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def early(self, text: str, revision: int) -> ViewMessage | None:
        """What can be said of a text before its loops are derived; None where they are known."""
        found = quick_check(text)
        if found.is_only_evaluated:
            return None
        return ViewMessage(
            revision=revision, kept=[], check=found.message(revision), partial=True,
            elements=elements_message(text, revision), values=values_message(text, revision),
        )  # fmt: skip

    def message(self, text: str, revision: int, folder: Path, since: int | None) -> ViewMessage:
        """What follows from a text, or how it differs from what followed from an earlier revision.

        Args:
            text: of the model.
            revision: of the text.
            folder: where mesh files are.
            since: revision of which all was told already; None for none.
        """
        found = check(text).message(revision)
        parts = {
            "elements": elements_message(text, revision),
            "values": values_message(text, revision),
            "drawing": _if_any(lambda: diagram_message(text, revision)),
            "scene": _if_any(lambda: self.scenes.message(text, revision, folder, None)),
        }
        told = {name: _digest(part) for name, part in parts.items()}
        with self._lock:
            before = {} if since is None else self._told.get(since, {})
            self._told[revision] = told
            while len(self._told) > REMEMBERED:
                self._told.popitem(last=False)
        kept = [name for name in parts if before.get(name) == told[name]]
        if before and "scene" not in kept:
            parts["scene"] = _if_any(lambda: self.scenes.message(text, revision, folder, since))
        new = {name: part for name, part in parts.items() if name not in kept}
        return ViewMessage.model_validate(
            {"revision": revision, "kept": kept, "check": found, **new}
        )


def elements_message(text: str, revision: int) -> ElementsMessage:
    """The document as data; none where the text is not YAML."""
    try:
        data = yaml_text(text).plain.data
    except KinetreeError:
        data = None
    return ElementsMessage(revision=revision, data=data)


def _if_any(made: Callable[[], Message]) -> Message | None:
    """What a model gives; None where the text describes none."""
    try:
        return made()
    except KinetreeError:
        return None


def _digest(part: Message | None) -> str:
    """What a part says, whatever the revision."""
    said = "" if part is None else part.model_copy(update={"revision": 0}).model_dump_json()
    return sha256(said.encode()).hexdigest()
