"""What can be handed on of a text: languages with what they cannot express, pages that simulate."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kinetree.errors import KinetreeError, unknown
from kinetree.export.fmu import export_fmu
from kinetree.export.package import export_c
from kinetree.formats.yaml_file import read
from kinetree.model import Model
from kinetree.pipeline import derive
from kinetree.program.program import TARGETS
from kinetree.studio.messages import LiveMessage, PageMessage, TargetRow, TargetsMessage
from kinetree.view.dimensions import measures
from kinetree.view.live import Engine, Live, engine
from kinetree.view.page import animate
from kinetree.view.poses import poses

if TYPE_CHECKING:
    from pydantic import BaseModel

WHOLE = {"fmu": "functional mock-up unit", "c-package": "C package of the whole model"}
"""Targets that take the whole motion."""
NOT_WRITTEN = ("native",)
"""Targets that write no files."""


def targets(
    text: str, target: str = "", quantity: str = "forward", formalism: str = ""
) -> BaseModel:
    """All targets, and why one of them cannot be written for a text; that is tried.

    Args:
        text: of the model file.
        target: to try; empty for none.
        quantity: to write, of a language.
        formalism: by which it is derived; the usual one if empty.
    """
    names = {name: str(getattr(row, "language", name)) for name, row in TARGETS.items()}
    known = {**{n: said for n, said in names.items() if n not in NOT_WRITTEN}, **WHOLE}
    rows = [TargetRow(name=n, text=said, whole=n in WHOLE) for n, said in sorted(known.items())]
    if not target:
        return TargetsMessage(targets=rows)
    if target not in known:
        raise unknown("target language", target, list(known), "code")
    try:
        files = _try(read(text), target, quantity, formalism)
    except KinetreeError as error:
        return TargetsMessage(targets=rows, target=target, problem=str(error))
    return TargetsMessage(targets=rows, target=target, files=files)


def _try(model: Model, target: str, quantity: str, formalism: str) -> dict[str, int]:
    """Names and sizes [B] of the files that a target writes."""
    given: dict[str, Any] = {"formalism": formalism} if formalism else {}
    with TemporaryDirectory() as place:
        folder = Path(place) / "code"
        folder.mkdir()
        if target == "fmu":
            export_fmu(model, folder, binary=False, derivatives=False, **given)
        elif target == "c-package":
            export_c(model, folder / "package", **given)
        else:
            derive(model, quantity, formalism or None).write(target, folder)
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.stat().st_size for path in found}


@lru_cache(2)
def _engine(text: str) -> Engine:
    model = read(text)
    first = poses(model, model.initial()[None])[0]
    return engine(model, Live(), measures(model, first).size, pulled=True)


def live(text: str) -> LiveMessage:
    """What a page needs to simulate a text by itself."""
    made = _engine(text)
    return LiveMessage(script=made.script, data=made.data)


def share(text: str, folder: str) -> PageMessage:
    """A page that simulates by itself and needs no server."""
    with TemporaryDirectory() as place:
        file = animate(read(text), None, Path(place) / "page.html", shapes=folder, live=True)
        return PageMessage(html=file.read_text(encoding="utf-8"))


FUNCTIONS: dict[str, Callable[..., BaseModel]] = {"targets": targets, "live": live, "share": share}
"""What a helper process may be asked."""
