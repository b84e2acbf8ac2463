"""Loading and saving by suffix: .yaml or .yml for model files, .urdf for robots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError, UnsupportedError, suggest
from kinetree.files import read_bytes, read_text

if TYPE_CHECKING:
    import os

    from kinetree.model import Mechanism, Model

YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (*YAML_SUFFIXES, ".urdf")


def load(path: str | os.PathLike[str], *, floating: bool = False) -> Model:
    """The Model in a file.

    Args:
        path: a .yaml, .yml or .urdf file.
        floating: for a URDF, carry its root link by a free joint "root" instead of welding it.

    Raises:
        FormatError: naming the elements of the file that cannot be read, all at once.
    """
    check_arguments(load, locals())
    file = Path(path)
    suffix = _suffix(file, SUFFIXES)
    if suffix == ".urdf":
        from kinetree.formats import urdf  # noqa: PLC0415  a program that only builds needs none

        with _neighbours(file):
            source = read_bytes(file)
        return urdf.read(source, f"file '{file.name}'", floating=floating)
    if floating:
        raise FormatError(
            "a model file says itself what floats",
            element=f"file '{file.name}'",
            cure="use a joint of kind free, and leave floating out",
        )
    with _neighbours(file):
        text = read_text(file)
    from kinetree.formats import yaml_file  # noqa: PLC0415  its schema takes a third of a second

    return yaml_file.read(text, f"file '{file.name}'")


def save(model: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write `model` as a YAML file; comments of a model file that is there are kept."""
    check_arguments(save, locals())
    from kinetree.formats import yaml_file  # noqa: PLC0415  its schema takes a third of a second

    file = Path(path)
    _suffix(file, YAML_SUFFIXES)
    if model.by_matrices:
        raise UnsupportedError(
            "it is given by position matrices, which model files do not hold",
            element=f"model '{model.name}'",
            cure="keep its Python script",
        )
    yaml_file.save(model, file)


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
