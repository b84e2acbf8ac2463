"""Object code on disk, so that the second run of a model starts at once.

An entry is a file whose name is a digest of everything the object depends on, and whose content
carries a digest of itself: what is damaged or cut short is ignored and made anew.  Code is only
ever read from a folder and a file that belong to this user and that nobody else may write.  The
folder is the platform's own for caches, or the environment variable KINETREE_CACHE; the value `off`
turns the store off.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"kinetree object 1\n"
VARIABLE = "KINETREE_CACHE"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of objects."""

    folder: Path

    def path(self, parts: tuple[str, ...]) -> Path:
        """The file for an object that depends on these parts."""
        digest = hashlib.sha256()
        for part in parts:
            data = part.encode()
            digest.update(len(data).to_bytes(8, "little") + data)
        return self.folder / f"{digest.hexdigest()}.o"

    def read(self, parts: tuple[str, ...]) -> bytes | None:
        """The object, or None where there is none that can be trusted."""
        path = self.path(parts)
        try:
            if not (_own(self.folder) and _own(path)):
                return None
            data = path.read_bytes()
        except OSError:
            return None
        head = len(MAGIC) + 32
        if data[: len(MAGIC)] != MAGIC or len(data) <= head:
            return None
        code = data[head:]
        return code if hashlib.sha256(code).digest() == data[len(MAGIC) : head] else None

    def write(self, parts: tuple[str, ...], code: bytes) -> None:
        """Keep an object, whole or not at all; a folder that cannot be written is no error."""
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _own(self.folder):
                return
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(MAGIC + hashlib.sha256(code).digest() + code)
                Path(name).replace(self.path(parts))
            except OSError:
                Path(name).unlink(missing_ok=True)


def _own(path: Path) -> bool:
    """Whether only this user can have written there."""
    if os.name != "posix":
        return path.exists()
    status = path.stat()
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid == os.getuid() and not others


def default_cache() -> Cache | None:
    """The store of this user, or None where it is turned off."""
    given = os.environ.get(VARIABLE)
    if given == "off":
        return None
    return Cache(Path(given).expanduser() if given else _platform_folder() / "kinetree")


def _platform_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
