"""Loading and saving by suffix: .yaml or .yml for model files, .urdf, .xml and .sdf for robots.

Models of ROBOTRAN, .mbs, are read.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError, ModelWarning, UnsupportedError, suggest
from kinetree.files import read_bytes, read_text, write_file
from kinetree.model import Mechanism, Model

if TYPE_CHECKING:
    import os


YAML_SUFFIXES = (".yaml", ".yml")
ROBOT_SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf")
MBS = ".mbs"
SUFFIXES = (*YAML_SUFFIXES, *ROBOT_SUFFIXES, MBS)
WRITTEN = (*YAML_SUFFIXES, ".urdf", ".xml", ".mjcf")


def load(
    path: str | os.PathLike[str], *, floating: bool = False, laws: Mapping[str, Any] | None = None
) -> Model:
    """The Model in a file.

    Args:
        path: a .yaml or .yml file; a robot: .urdf, .xml or .mjcf of MuJoCo, .sdf; or an .mbs of
            ROBOTRAN.
        floating: for a URDF, carry its root link by a free joint "root" instead of welding it.
        laws: for an .mbs file, what its user functions say, by name of the link, external force,
            driven joint or user state (`kinetree.formats.mbs`).

    Raises:
        FormatError: naming the elements of the file that cannot be read, all at once.
    """
    check_arguments(load, locals())
    file = Path(path)
    suffix = _suffix(file, SUFFIXES)
    if laws is not None and suffix != MBS:
        raise FormatError(
            f"a {suffix} file has its own laws", element="laws", cure="leave laws= out"
        )
    if suffix == MBS and not floating:
        return _load_mbs(file, laws)
    if suffix in ROBOT_SUFFIXES:
        return _load_robot(file, floating=floating)
    if floating:
        raise _floats_by_itself(file)
    with _neighbours(file):
        text = read_text(file)
    from kinetree.formats import yaml_file  # noqa: PLC0415  its schema takes a third of a second

    return yaml_file.read(text, f"file '{file.name}'")


def _load_mbs(file: Path, laws: Mapping[str, Any] | None) -> Model:
    """The Model of a file of ROBOTRAN."""
    from kinetree.formats import mbs  # noqa: PLC0415  who only builds needs none

    with _neighbours(file):
        source = read_bytes(file)
    return mbs.read(source, f"file '{file.name}'", laws)


def _load_robot(file: Path, *, floating: bool) -> Model:
    """The Model of a URDF, MJCF or SDF file, which its root element tells apart."""
    from kinetree.formats import mjcf, sdf, urdf  # noqa: PLC0415  who only builds needs none

    with _neighbours(file):
        source = read_bytes(file)
    where = f"file '{file.name}'"
    root = urdf.parse_xml(source, where).tag
    if root not in ("mujoco", "sdf"):
        return urdf.read(source, where, floating=floating)
    if floating:
        raise _floats_by_itself(file)
    if root == "sdf":
        return sdf.read(source, where)
    return mjcf.read(source, where, folder=file.parent)


def _floats_by_itself(file: Path) -> FormatError:
    return FormatError(
        "it says itself what floats",
        element=f"file '{file.name}'",
        cure="use a free joint, and leave floating out",
    )


def save(model: Mechanism, path: str | os.PathLike[str]) -> list[str]:
    """Write `model` as a model file, or as a robot for other programs.

    Args:
        model: the mechanism.
        path: .yaml or .yml, of which comments that are there are kept; .urdf; .xml or .mjcf.

    Returns:
        What the file has no word for and was left out; a warning says it, too.
    """
    check_arguments(save, locals())
    file = Path(path)
    suffix = _suffix(file, WRITTEN)
    if not isinstance(model, Model):
        raise UnsupportedError(
            "it is given by position matrices, which model files do not hold",
            element=f"model '{model.name}'",
            cure="keep its Python script",
        )
    if suffix in YAML_SUFFIXES:
        from kinetree.formats import yaml_file  # noqa: PLC0415  its schema takes a third of a second

        yaml_file.save(model, file)
        return []
    from kinetree.formats import mjcf, urdf_writer  # noqa: PLC0415  who only builds needs none

    model.check(invertible=False)
    write = urdf_writer.write if suffix == ".urdf" else mjcf.write
    written, left = write(model)
    write_file(file, written)
    if left:
        text = f"file '{file.name}': left out are {', '.join(left)}"
        warnings.warn(text, ModelWarning, stacklevel=2)
    return left


def _suffix(file: Path, known: tuple[str, ...]) -> str:
    """The suffix of a file, if it is one of `known`."""
    suffix = file.suffix.lower()
    if suffix == ".xacro":
        raise FormatError(
            "it is a macro file",
            element=f"file '{file.name}'",
            cure="expand it with xacro to a .urdf first",
        )
    if suffix not in known:
        raise FormatError(
            f"the suffix '{file.suffix}' is not known",
            element=f"file '{file.name}'",
            cure=f"use {', '.join(known[:-1])} or {known[-1]}",
        )
    return suffix


@contextmanager
def _neighbours(file: Path) -> Iterator[None]:
    """Where a file is missing, propose its neighbour of the nearest name."""
    try:
        yield
    except FormatError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        there: list[str] = []
        with suppress(OSError):
            there = sorted(entry.name for entry in file.parent.iterdir())
        near = [name for name in there if Path(name).suffix.lower() in SUFFIXES]
        cure = suggest(file.name, near, "model file")
        raise FormatError(error.problem, element=error.element, cure=cure) from error.__cause__
