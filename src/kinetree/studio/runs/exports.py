"""What a run hands on: its manifest, motion, pictures, tables, pages and archives of code."""

from __future__ import annotations

import io
import shutil
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from kinetree.analysis.equilibrium import equilibrium
from kinetree.analysis.modes import Modes, modes
from kinetree.assembly.changed_values import change_values
from kinetree.errors import FormatError, ModelWarning
from kinetree.formats.yaml_file import read
from kinetree.model import Model
from kinetree.results.files import load_run
from kinetree.studio.messages import ManifestMessage, MotionMessage, WrittenMessage
from kinetree.studio.runs.curves import RunCurves
from kinetree.studio.runs.jobs import Job
from kinetree.studio.runs.wording import list_of, values_of
from kinetree.view.components import of_run_values
from kinetree.view.packing import pack
from kinetree.view.page import animate, footage
from kinetree.view.plot import plot
from kinetree.view.poses import poses

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""Date of all files in an archive, so that the same files give the same bytes."""
KINDS = ("svg", "png")
FINEST = 1e-8
"""Steps of packed poses, as a share of the values, and of coordinates."""


def manifest(job: Job) -> ManifestMessage:
    """What a run was made from."""
    facts: dict[str, Any] = {}
    if job.file.exists():
        facts = {str(key): _plain(value) for key, value in load_run(job.file).attrs.items()}
    return ManifestMessage(run=job.state(), manifest=facts, text=job.text())


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def motion(job: Job) -> MotionMessage:
    """Poses of a run, or of modes, with the clips that they are frames of."""
    model, *moving = _what_moves(job)
    found = footage(model, *moving)
    times = np.array([t for clip in found.clips for t in clip["times"]])
    made = poses(model, found.q, times)
    return MotionMessage(
        names=list(model.bodies), clips=found.clips,
        poses=pack(made.reshape(len(made), -1), FINEST), q=pack(found.q, FINEST),
        coordinates=list(model.coordinates),
    )  # fmt: skip


def _what_moves(job: Job) -> tuple[Model, Any, Modes | None]:
    """The model with the values that a run was made with, and what moves: the run, or modes."""
    state, model = job.state(), read(job.text())
    if state.analysis == "modes":
        return _modes(model, state.options)
    if not job.file.exists():
        raise FormatError(
            "it has no motion", element=f"run {job.number}", cure="take a simulation, or modes"
        )
    run = load_run(job.file)
    return of_run_values(model, run), run, None


def _modes(model: Model, options: Mapping[str, Any]) -> tuple[Model, None, Modes]:
    """Modes as the options of their run ask for them; their warnings were told when it was made."""
    q, qd, values = (values_of(options.get(name, ""), name) for name in ("q", "qd", "set"))
    model = change_values(model, values, untie=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        at: Any = {"q": q, "qd": qd}
        if options.get("equilibrium"):
            at = equilibrium(model, q=q, locked=list_of(options.get("lock", "")))
        return model, None, modes(model, at)


def csv_table(curves: RunCurves) -> str:
    """All curves of a run, one row per time, numbers as they can be read back."""
    table = np.column_stack([curves.time, *curves.values.values()])
    head = ",".join(map(_cell, ["time", *curves.values]))
    return "\n".join([head, *(",".join(map(repr, row)) for row in table.tolist())]) + "\n"


def _cell(name: str) -> str:
    """A heading; one with a comma or a quote is quoted."""
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\n') else name


def picture(job: Job, names: list[str], x: str, kind: str) -> bytes:
    """Curves on paper, as SVG or PNG."""
    if kind not in KINDS or not names or not job.file.exists():
        raise FormatError(
            "there is nothing to draw", element=f"run {job.number}",
            cure="name curves of a run, and svg or png",
        )  # fmt: skip
    with TemporaryDirectory() as place:
        file = plot(load_run(job.file), names, Path(place) / f"curves.{kind}", x=x)
        return file.read_bytes()


def moving_page(job: Job, folder: Path) -> str:
    """The page of a run, or of modes, that needs no server."""
    model, run, found = _what_moves(job)
    with TemporaryDirectory() as place:
        path = Path(place) / "page.html"
        file = animate(model, run, path, modes=found, shapes=folder)
        return file.read_text(encoding="utf-8")


def archive(job: Job) -> bytes:
    """Files of generated code, as a ZIP archive; the same files give the same bytes."""
    folder, files = _code_files(job)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as made:
        for path in files:
            row = zipfile.ZipInfo(path.relative_to(folder).as_posix(), EARLIEST)
            row.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(row, path.read_bytes())
    return whole.getvalue()


def _code_files(job: Job) -> tuple[Path, list[Path]]:
    """Folder and files of generated code."""
    folder = job.folder / "code"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files or job.state().state != "finished":
        raise FormatError(
            "it has no files", element=f"run {job.number}", cure="generate code, and wait for it"
        )
    return folder, files


def write_beside(job: Job, place: Path, name: str) -> WrittenMessage:
    """Files of generated code in a folder beside the model, all of them or none.

    Raises:
        FormatError: where a folder or file of that name has something in it.
    """
    folder, files = _code_files(job)
    target = place / name
    if target.is_symlink() or target.is_file() or (target.exists() and any(target.iterdir())):
        raise FormatError(
            "there are files in it", element=f"folder '{name}'", cure="choose another name"
        )
    with TemporaryDirectory(dir=job.folder) as scratch:
        made = Path(shutil.copytree(folder, Path(scratch) / "code"))
        made.replace(target)
    return WrittenMessage(
        folder=name, files=[path.relative_to(folder).as_posix() for path in files]
    )


def film_of(job: Job) -> Path:
    """The file of a film.

    Raises:
        FormatError: where none was made.
    """
    found = [job.folder / f"film.{kind}" for kind in ("gif", "mp4")]
    there = [path for path in found if path.is_file() and job.state().state == "finished"]
    if not there:
        raise FormatError(
            "it has no film", element=f"run {job.number}", cure="make a film of a run, and wait"
        )
    return there[0]
