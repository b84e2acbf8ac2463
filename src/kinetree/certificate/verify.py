"""Whether a certificate, the code beside it and a model belong together."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kinetree.arguments import check_arguments
from kinetree.certificate.certificate import FILE, Certificate, digest_of, parse
from kinetree.certificate.certify import program_code
from kinetree.certificate.formalisms import derive_program
from kinetree.errors import FormatError
from kinetree.files import read_bytes
from kinetree.model import Mechanism
from kinetree.targets.digest import digest

FOLDER = "documentation"
"""Folder of an FMU in which it carries its certificate."""
INSIDE = f"{FOLDER}/{FILE}"


@dataclass(frozen=True)
class Checked:
    """One thing that was looked at.

    Attributes:
        what: file, model or equations.
        holds: whether it is what the certificate is for; none where it is not at hand.
        text: what was found, in words.
    """

    what: str
    holds: bool | None
    text: str


@dataclass(frozen=True)
class Verification:
    """What a certificate says, and what was found.

    Attributes:
        certificate: as it was written.
        findings: what was looked at.
    """

    certificate: Certificate
    findings: tuple[Checked, ...]

    @property
    def holds(self) -> bool:
        """Whether everything at hand belongs together, and all comparisons agreed."""
        wrong = any(row.holds is False for row in self.findings)
        return self.certificate.agrees and not wrong


def verify(path: str | Path, model: Mechanism | None = None) -> Verification:
    """Check that a certificate, the code that it travels with and a model belong together.

    Args:
        path: certificate.json, the folder that it is in, or an FMU that carries one.
        model: the model that it should be of; it is derived anew, and its equations and code
            compared with the digests.

    Raises:
        FormatError: where there is no certificate, or it was changed.
    """
    check_arguments(verify, locals())
    contents = _contents(Path(path))
    name = INSIDE if INSIDE in contents else FILE
    if name not in contents:
        raise FormatError(
            f"there is no {FILE} in it", element=f"'{path}'", cure="name the file, or certify"
        )
    found = parse(contents[name].decode("utf-8", "replace"), f"file '{name}'")
    rows = [*_check_files(found, contents)]
    if model is not None:
        rows += _check_model(found, model)
    return Verification(found, tuple(rows))


class _Folder(Mapping[str, bytes]):
    """The files of a folder by name, read when they are looked at."""

    def __init__(self, folder: Path, own: str = FILE) -> None:
        self.folder, self.own = folder, own

    def __getitem__(self, name: str) -> bytes:
        path = self.folder / (self.own if name == FILE else name)
        if not path.is_file():
            raise KeyError(name)
        return read_bytes(path)

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in self.folder.iterdir())

    def __len__(self) -> int:
        return len(list(self.folder.iterdir()))


def _contents(path: Path) -> Mapping[str, bytes]:
    """Files by name: beside the certificate, or in the archive that carries it."""
    if path.is_dir():
        return _Folder(path)
    content = read_bytes(path)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return _Folder(path.parent, path.name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as zipped:
            return {name: zipped.read(name) for name in zipped.namelist()}
    except Exception as error:  # a damaged archive fails in many ways
        raise FormatError(
            "it cannot be read as an archive", element=f"file '{path}'", cure="export it again"
        ) from error


def _check_files(found: Certificate, contents: Mapping[str, bytes]) -> Iterator[Checked]:
    """The files that it travels with must be there; others are looked at where they are."""
    for name, told in found.files.items():
        yield _check_file(name, told, contents, needed=True)
    for row in found.comparisons:
        for name, told in row.code.items():
            if name not in found.files and name in contents:
                yield _check_file(name, told, contents, needed=False)


def _check_file(name: str, told: str, contents: Mapping[str, bytes], *, needed: bool) -> Checked:
    if name not in contents:
        return Checked(f"file {name}", False if needed else None, "it is missing")
    holds = digest_of(contents[name]) == told
    return Checked(f"file {name}", holds, "as certified" if holds else "it was changed")


def _check_model(found: Certificate, model: Mechanism) -> Iterator[Checked]:
    """The model's hash, its parameters, and the equations and code that it gives now."""
    told = found.model.get("hash", "")
    same = told == model.content_hash()
    yield Checked(f"model {model.name}", same, "as certified" if same else "it is another one")
    if not found.recipe:
        return
    program = derive_program(model, found.recipe)
    rows = (row for row in program.inputs if row.parameter)
    values = {
        label: float(value)
        for row in rows
        for label, value in zip(row.labels, row.default or (), strict=True)
    }
    for label in sorted(found.parameters.keys() | values.keys()):
        old, new = found.parameters.get(label), values.get(label)
        if old != new:
            yield Checked(f"parameter {label}", False, f"it is {new!r}, and {old!r} was certified")
    same = digest(program) == found.programs[0].digest
    text = "derived anew, as certified" if same else "derived anew, they are others"
    yield Checked(f"equations {program.name}", same, text)
    for row in found.comparisons:
        if row.kind == "target" and row.code:
            code = program_code(row.name, program)
            same = {name: digest_of(text) for name, text in code.items()} == row.code
            text = "written anew, as certified" if same else "written anew, it is other code"
            yield Checked(f"code {row.name}", same, text)
