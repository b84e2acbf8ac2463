"""One folder, and the model file of it that is open."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kinetree.errors import FormatError, KinetreeError, unknown
from kinetree.files import write_file
from kinetree.studio.helper import HelperProcess
from kinetree.studio.journal import FOLDER
from kinetree.studio.messages import FileRow, FilesMessage, NewMessage
from kinetree.studio.runs.jobs import Jobs
from kinetree.studio.session import EditSession

SUFFIXES = {".yaml": "model", ".yml": "model", ".urdf": "import", ".xml": "import",
            ".sdf": "import", ".csv": "data", ".nc": "data"}  # fmt: skip
"""Files that are shown, and what they are."""
MOST_FILES = 500
"""Most files of a folder that are listed."""
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "models"
"""Models to begin with, in the repository."""
EMPTY = "kinetree: 1\nname: {name}\ngravity: [0, 0, -9.81]\n"


class ClosedDeskError(KinetreeError):
    """No file is open."""


class Desk:
    """The folder and the file that is open.

    Attributes:
        folder: below which files are.
        helper: a process that derives equations.
        expect: told every new text, while it is written to the journal.
    """

    def __init__(self, folder: Path, name: str | None = None) -> None:
        self.folder = folder.resolve()
        self.helper = HelperProcess()
        self.expect: Callable[[str], object] = lambda _: None
        self._open: tuple[EditSession, Jobs] | None = None
        self._lock: Path | None = None
        if name is not None:
            self.open(name)

    def _expect(self, text: str) -> None:
        self.expect(text)

    @property
    def session(self) -> EditSession:
        """Of the file that is open."""
        return self._parts()[0]

    @property
    def jobs(self) -> Jobs:
        """Its runs."""
        return self._parts()[1]

    @property
    def is_open(self) -> bool:
        """Whether a file is open."""
        return self._open is not None

    def _parts(self) -> tuple[EditSession, Jobs]:
        if self._open is None:
            raise ClosedDeskError(
                "no file is open", element="studio", cure="open a file, or make a new one"
            )
        return self._open

    def open(self, name: str) -> None:
        """Open a model file of the folder; what was open is closed, its edits are in its journal.

        Raises:
            KinetreeError: where it is not there, or another studio has it.
        """
        path = self.path(name)
        if self._open is not None and self._open[0].path == path:
            return
        if not path.is_file():
            raise FormatError(
                "there is no such file", element=f"file '{name}'", cure="check the path"
            )
        _refuse_other_formats(path)
        lock = _take(path)
        try:
            made = EditSession(path, self._expect), Jobs(path)
        except BaseException:
            lock.unlink(missing_ok=True)
            raise
        self._leave()
        self._open, self._lock = made, lock

    def close(self) -> None:
        """End runs and helpers, and let others have the file."""
        self._leave()
        self.helper.close()

    def _leave(self) -> None:
        """End runs that go on, and let others have the file."""
        if self._open is not None:
            self._open[1].close()
        if self._lock is not None:
            self._lock.unlink(missing_ok=True)
        self._open = self._lock = None

    def make(self, asked: NewMessage) -> None:
        """Make a model file and open it.

        Raises:
            KinetreeError: where there is one of that name, or its source cannot be read.
        """
        name = asked.name if Path(asked.name).suffix else f"{asked.name}.yaml"
        if SUFFIXES.get(Path(name).suffix) != "model":
            raise FormatError(
                "it is not a name of a model file", element=f"file '{name[:80]}'",
                cure="let it end with .yaml",
            )  # fmt: skip
        path = self.path(name)
        if path.exists():
            raise FormatError(
                "there is one already", element=f"file '{asked.name}'", cure="choose another name"
            )
        write_file(path, self._first_text(asked, path.stem))
        self.open(name)

    def _first_text(self, asked: NewMessage, stem: str) -> str:
        if asked.source:
            return _import_text(self.path(asked.source), asked.source)
        if asked.example:
            known = self.examples()
            if asked.example not in known:
                raise unknown("example", asked.example, known, "new file")
            return (EXAMPLES / f"{asked.example}.yaml").read_text(encoding="utf-8")
        word = "".join(sign if sign.isalnum() or sign in "_-" else "_" for sign in stem)
        return EMPTY.format(name=word or "model")

    def path(self, name: str) -> Path:
        """A path below the folder, links followed.

        Raises:
            FormatError: for one that is outside, or of a kind that is not shown.
        """
        try:
            found = (self.folder / name).resolve()
        except (OSError, ValueError, RuntimeError):
            found = Path()
        inside = found.is_relative_to(self.folder) and FOLDER not in found.parts
        if inside and found.suffix == ".py":
            raise FormatError(
                "it is a Python script, which the studio cannot edit",
                element=f"file '{found.name[:80]}'",
                cure="let it write a model file with kt.save; a model by position matrices has "
                "none, look at it with kt.animate",
            )  # fmt: skip
        if inside and found.is_file() and found.suffix not in SUFFIXES:
            raise FormatError(
                "the studio does not know this ending", element=f"file '{found.name[:80]}'",
                cure="open one that ends in .yaml or .yml",
            )  # fmt: skip
        if not inside or Path(name).is_absolute() or found.suffix not in SUFFIXES:
            raise FormatError(
                "it is not a file of this folder", element=f"file '{Path(name).name[:80]}'",
                cure="choose one of the list",
            )  # fmt: skip
        return found

    def files(self) -> FilesMessage:
        """What the folder has."""
        found: list[FileRow] = []
        for path in sorted(self.folder.glob("*"))[: 10 * MOST_FILES]:
            with suppress(FormatError, OSError):
                self.path(path.name)
                if path.is_file() and len(found) < MOST_FILES:
                    row = {"name": path.name, "kind": SUFFIXES[path.suffix]}
                    found.append(FileRow.model_validate(row))
        opened = self._open[0].path.name if self._open is not None else None
        return FilesMessage(
            folder=self.folder.name, open=opened, files=found, examples=self.examples()
        )

    def examples(self) -> list[str]:
        """Names of models to begin with; none where the package was installed without them."""
        return sorted(path.stem for path in EXAMPLES.glob("*.yaml"))


def _import_text(path: Path, name: str) -> str:
    """A file of another program as a model file."""
    # the page is served before the readers of files are loaded
    from kinetree.formats.yaml_file import write  # noqa: PLC0415
    from kinetree.model import Model  # noqa: PLC0415
    from kinetree.storage.load import load  # noqa: PLC0415

    model = load(path)
    if not isinstance(model, Model):
        raise FormatError(
            "it describes no mechanism of bodies and joints", element=f"file '{name}'",
            cure="take a URDF, MJCF or SDF file",
        )  # fmt: skip
    return write(model)


def _refuse_other_formats(path: Path) -> None:
    """Refuse files that are no text of a model; what to do with them is said."""
    kind = SUFFIXES.get(path.suffix)
    if kind == "import":
        raise FormatError(
            "it is of another format", element=f"file '{path.name}'",
            cure="import it where the studio begins without a file (kinetree studio FOLDER), or "
            f"write kinetree convert {path.name} {path.stem}.yaml",
        )  # fmt: skip
    if kind == "data":
        raise FormatError(
            "it holds curves, and no model", element=f"file '{path.name}'",
            cure="open a model, and choose measured… among its runs",
        )  # fmt: skip


def _take(model: Path) -> Path:
    """Keep a second studio from the same file; a lock of a process that is gone does not count."""
    lock = model.parent / FOLDER / f"{model.name}.lock"
    with suppress(OSError, ValueError):
        owner = int(lock.read_text(encoding="utf-8"))
        os.kill(owner, 0)
        if owner != os.getpid():
            raise FormatError(
                f"another studio has it open (process {owner})", element=f"file '{model.name}'",
                cure="use that one, or end it",
            )  # fmt: skip
    write_file(lock, str(os.getpid()))
    return lock
