"""Binaries of FMUs: the C compiler of this machine, where it has one."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from kinetree.errors import KinetreeError, warn
from kinetree.files import unwritable

COMPILERS = ("gcc", "cc", "clang")
FLAGS = ("-std=gnu99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
PLATFORMS = {
    # (system, machine): folder in FMI 2.0, folder in FMI 3.0, suffix, flags of the linker
    ("Linux", "x86_64"): ("linux64", "x86_64-linux", ".so", ("-s", "-Wl,--build-id=none")),
    ("Linux", "aarch64"): ("aarch64-linux", "aarch64-linux", ".so", ("-s", "-Wl,--build-id=none")),
    ("Darwin", "x86_64"): ("darwin64", "x86_64-darwin", ".dylib", ()),
    ("Darwin", "arm64"): ("darwin64", "aarch64-darwin", ".dylib", ()),
}
"""Where this exporter makes binaries; elsewhere an FMU holds sources."""


def compiler() -> str | None:
    """Path of a C compiler; none where there is none."""
    return next((path for name in COMPILERS if (path := shutil.which(name))), None)


def binary(
    identifier: str, version: str, texts: Mapping[str, str], *, wanted: bool | None
) -> dict[str, bytes]:
    """The shared library of an FMU for this platform, by its path in the FMU.

    Args:
        identifier: name of the library.
        version: of FMI.
        texts: the sources by name.
        wanted: None makes one where that is possible and warns where it is not.
    """
    if wanted is False:
        return {}
    place = PLATFORMS.get((platform.system(), platform.machine()))
    command = compiler()
    if place is None or command is None:
        lacking = "there is no C compiler" if command is None else "this platform is not known"
        _missing(lacking, identifier, wanted=wanted)
        return {}
    folder = place[0] if version == "2.0" else place[1]
    return {f"binaries/{folder}/{identifier}{place[2]}": _compile(command, place[3], texts)}


def _missing(lacking: str, identifier: str, *, wanted: bool | None) -> None:
    cure = "install gcc and export again, or compile the sources in it"
    if wanted:
        raise KinetreeError(lacking, element=f"FMU '{identifier}'", cure="install gcc")
    text = f"FMU '{identifier}': {lacking}, so it holds sources and no binary; {cure}."
    warn(text)


def _compile(command: str, flags: tuple[str, ...], texts: Mapping[str, str]) -> bytes:
    """The library, compiled in a folder for temporary files."""
    try:
        return _build(command, flags, texts)
    except OSError as error:
        raise unwritable(f"folder '{tempfile.gettempdir()}'", error) from error


def _build(command: str, flags: tuple[str, ...], texts: Mapping[str, str]) -> bytes:
    """The library; compiled in a folder of its own by relative names, so that no path is in it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8", newline="\n")
        files = sorted(name for name in texts if name.endswith(".c"))
        line = [command, *FLAGS, *files, "-o", "library", *flags, "-lm"]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise KinetreeError(
                f"the C compiler failed: {done.stderr.strip().splitlines()[:1]}",
                element=f"command '{command}'",
                cure="pass binary=False for an FMU with sources alone",
            )
        return (Path(folder) / "library").read_bytes()
