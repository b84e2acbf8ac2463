"""Loading and saving by suffix: .yaml or .yml for model files, .urdf, .xml and .sdf for robots.

Models of ROBOTRAN, .mbs, are read.  A .yaml file with `component:` describes connected components.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments, check_positive
from kinetree.errors import FormatError, UnsupportedError, suggest, warn
from kinetree.files import read_bytes, read_exactly, write_file
from kinetree.model import Components, Mechanism, Model

if TYPE_CHECKING:
    import os

    from kinetree.formats.yaml_plain import Plain


YAML_SUFFIXES = (".yaml", ".yml")
ROBOT_SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf")
MBS = ".mbs"
SUFFIXES = (*YAML_SUFFIXES, *ROBOT_SUFFIXES, MBS)
WRITTEN = (*YAML_SUFFIXES, ".urdf", ".xml", ".mjcf")


def load(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    laws: Mapping[str, Any] | None = None,
    density: float | None = None,
) -> Any:
    """The Model in a file, or the Component.

    Args:
        path: a .yaml or .yml file of a model or a component; a robot: .urdf, .xml or .mjcf of
            MuJoCo, .sdf; or an .mbs of ROBOTRAN.
        floating: for a URDF, carry its root link by a free joint "root" instead of welding it.
        laws: for an .mbs file, what its user functions say, by name of the link, external force,
            driven joint or user state (`kinetree.formats.mbs`).
        density: for a URDF, of the solids of links without <inertial>: boxes, cylinders, spheres
            and meshes of their <collision>, or else of their <visual> [kg/m3]; without it such
            links have no mass.

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
    if density is not None:
        check_positive("a positive density in kg/m3", density=density)
        if suffix not in ROBOT_SUFFIXES:
            raise _weighs_by_itself(file)
    if suffix == MBS and not floating:
        return _load_mbs(file, laws)
    if suffix in ROBOT_SUFFIXES:
        return _load_robot(file, floating=floating, density=density)
    if floating:
        raise _floats_by_itself(file)
    from kinetree.formats import yaml_file  # noqa: PLC0415  its schema takes long

    plain = _read_yaml(file)
    if _is_component(plain):
        from kinetree.storage import component_file  # noqa: PLC0415  who loads models needs none

        return component_file.read(plain, lambda named: _named_model(named, file))
    return yaml_file.read_data(plain, f"file '{file.name}'", file.parent)


def _read_yaml(file: Path) -> Plain:
    """The data of a YAML file."""
    from kinetree.formats import yaml_plain  # noqa: PLC0415  who only builds needs none

    with _neighbours(file):
        text = read_exactly(file)
    return yaml_plain.read_plain(text, f"file '{file.name}'")


def _is_component(plain: Plain) -> bool:
    return isinstance(plain.data, dict) and "component" in plain.data


def _named_model(named: Mapping[str, Any], file: Path) -> Model:
    """The model that a setting of a component names: another file beside it, or plain data."""
    from kinetree.formats import yaml_file  # noqa: PLC0415  its schema takes long

    if "file" not in named:
        return yaml_file.build_data(dict(named))
    beside = file.parent / str(named["file"])
    if beside.suffix.lower() not in YAML_SUFFIXES:
        robot: Model = load(beside)
        return robot
    plain = _read_yaml(beside)
    if _is_component(plain):  # which might even be this file
        raise FormatError(
            "it holds a component", element=f"file '{beside.name}'", cure="name the file of a model"
        )
    return yaml_file.read_data(plain, f"file '{beside.name}'", beside.parent)


def _load_mbs(file: Path, laws: Mapping[str, Any] | None) -> Model:
    """The Model of a file of ROBOTRAN."""
    from kinetree.formats import mbs  # noqa: PLC0415  who only builds needs none

    with _neighbours(file):
        source = read_bytes(file)
    return mbs.read(source, f"file '{file.name}'", laws)


def _load_robot(file: Path, *, floating: bool, density: float | None) -> Model:
    """The Model of a URDF, MJCF or SDF file, which its root element tells apart."""
    with _neighbours(file):
        source = read_bytes(file)
    with np.errstate(all="ignore"):  # what overflows is refused where it would be used
        return _read_robot(file, source, floating=floating, density=density)


def _read_robot(file: Path, source: bytes, *, floating: bool, density: float | None) -> Model:
    """The Model of the bytes of a robot."""
    from kinetree.formats import mjcf, sdf, urdf, urdf_xml  # noqa: PLC0415  who only builds needs none
    from kinetree.formats.urdf_shapes import Filling  # noqa: PLC0415  likewise

    where = f"file '{file.name}'"
    root = urdf_xml.parse_xml(source, where).tag
    if root not in ("mujoco", "sdf"):
        filling = None if density is None else Filling(density, file.parent)
        return urdf.read(source, where, floating=floating, filling=filling)
    if density is not None:
        raise _weighs_by_itself(file)
    if floating:
        raise _floats_by_itself(file)
    if root == "sdf":
        return sdf.read(source, where)
    return mjcf.read(source, where, folder=file.parent)


def _weighs_by_itself(file: Path) -> FormatError:
    return FormatError(
        "it says itself what its bodies weigh",
        element=f"file '{file.name}'",
        cure="leave density= out",
    )


def _floats_by_itself(file: Path) -> FormatError:
    return FormatError(
        "it says itself what floats",
        element=f"file '{file.name}'",
        cure="use a free joint, and leave floating out",
    )


def save(model: Mechanism | Components, path: str | os.PathLike[str]) -> list[str]:
    """Write `model` as a model file, or as a robot for other programs.

    Args:
        model: the mechanism, or a component, which goes to .yaml or .yml.
        path: .yaml or .yml; .urdf; .xml or .mjcf.  Of a model file that is there, or else of that
            from which the model came, lines stay where nothing changed, with their comments.

    Returns:
        What the file has no word for and was left out; a warning says it, too.
    """
    check_arguments(save, locals())
    file = Path(path)
    suffix = _suffix(file, WRITTEN)
    if hasattr(model, "as_mechanism"):
        return _save_component(model, file, suffix)
    if not isinstance(model, Model):
        raise UnsupportedError(
            "it is given by position matrices, which model files do not hold",
            element=f"model '{model.name}'",
            cure="keep its Python script",
        )
    if model.equations is not None:
        raise UnsupportedError(
            "its equations are those of connected components, which a model file does not hold",
            element=f"model '{model.name}'",
            cure="save the component itself",
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
        warn(text)
    return left


def _save_component(component: Any, file: Path, suffix: str) -> list[str]:
    """Write connected components."""
    if suffix not in YAML_SUFFIXES:
        raise UnsupportedError(
            f"a {suffix} file does not hold components",
            element=f"component '{type(component).__name__}'",
            cure="use .yaml",
        )
    from kinetree.storage import component_file  # noqa: PLC0415  who saves models needs none

    component_file.save(component, file)
    return []


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
