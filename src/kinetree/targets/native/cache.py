"""Object code on disk, so that the second run of a model starts at once.

An entry is a file whose name is a digest of everything the object depends on, and whose content
carries a digest of that name and of itself: what is damaged, cut short or stands under another name
is ignored and made anew.  Code is only ever read from a folder and a file that belong to this user
and that nobody else may write.  Entries that were not used for long go, and the least recently used
where all together are too large; a file `limit` in the folder may hold another size.  The folder is
the platform's own for caches, or the environment variable KINETREE_CACHE; the value `off` turns the
store off.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from kinetree.files import write_file

MAGIC = b"kinetree object 2\n"
VARIABLE = "KINETREE_CACHE"
LIMIT = 256 * 2**20
"""Size of all entries together [byte] unless the user sets another; about 5 000 functions."""
ROOM = 0.75
"""Share of the limit that is kept where it was passed, so that this happens rarely."""
UNUSED = 90 * 86400.0
"""Time after which an entry that was not used goes [s]."""
SHARE = 1 / 64
"""Share of the limit that a process writes before it looks at all entries again, which takes time
for each of them."""
PRECISION = 3600.0
"""How exactly the time of the last use is kept [s]."""
OURS = re.compile(r"[0-9a-f]{64}\.o|\w+\.part")
"""Names of entries, and of those that were never finished."""
unseen: dict[Path, int] = {}
"""What this process wrote into a folder since it last looked at all entries there [byte]."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the store: where, size [byte], time of last use [s since 1970]."""

    path: Path
    size: int
    used: float

    @property
    def finished(self) -> bool:
        """Whether it is whole, not one that is being written or was given up."""
        return self.path.suffix == ".o"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of objects."""

    folder: Path

    def path(self, parts: tuple[str, ...]) -> Path:
        """The file for an object that depends on these parts."""
        return self.folder / f"{_name(parts).hex()}.o"

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
        code = data[head:]
        if not code or data[:head] != MAGIC + _seal(parts, code):
            return None
        _use(path)
        return code

    def write(self, parts: tuple[str, ...], code: bytes) -> None:
        """Keep an object, whole or not at all; a folder that cannot be written is no error."""
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _own(self.folder):
                return
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(MAGIC + _seal(parts, code) + code)
                Path(name).replace(self.path(parts))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            self._prune_at_times(len(code))

    def entries(self) -> list[Entry]:
        """What is in the store, least recently used first; other files in the folder are not."""
        found = []
        with suppress(OSError), os.scandir(self.folder) as rows:
            for row in rows:
                with suppress(OSError):
                    if OURS.fullmatch(row.name) and row.is_file(follow_symlinks=False):
                        status = row.stat(follow_symlinks=False)
                        found.append(Entry(Path(row.path), status.st_size, status.st_mtime))
        return sorted(found, key=lambda entry: (entry.used, entry.path))

    @property
    def limit(self) -> int:
        """Size of all entries together above which some go [byte]."""
        try:
            return int((self.folder / "limit").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return LIMIT

    def set_limit(self, limit: int) -> None:
        """Set the size of all entries together [byte], and drop what is above it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(self.folder / "limit", f"{limit}\n")
        self.prune()

    def _prune_at_times(self, written: int) -> None:
        """Prune at the first entry that this process writes, and when it wrote much since then."""
        if self.folder in unseen and unseen[self.folder] + written < SHARE * self.limit:
            unseen[self.folder] += written
        else:
            self.prune()

    def prune(self) -> None:
        """Drop what was not used for long, and the least recently used above the limit."""
        unseen[self.folder] = 0
        entries, now, limit = self.entries(), time.time(), self.limit
        total = sum(entry.size for entry in entries)
        keep = limit if total <= limit else ROOM * limit
        for entry in entries:
            idle = now - entry.used
            if total > keep or idle > (UNUSED if entry.finished else PRECISION):
                total -= entry.size
                with suppress(OSError):
                    entry.path.unlink()

    def clear(self) -> list[Entry]:
        """Drop all entries; those that are gone."""
        gone = []
        for entry in self.entries():
            with suppress(OSError):
                entry.path.unlink()
                gone.append(entry)
        return gone


def _name(parts: tuple[str, ...]) -> bytes:
    """Digest of what an object depends on."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


def _seal(parts: tuple[str, ...], code: bytes) -> bytes:
    """Digest of an object under its name."""
    return hashlib.sha256(_name(parts) + code).digest()


def _use(path: Path) -> None:
    """Note that an entry was used; where that cannot be written, it was not."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > PRECISION:
            os.utime(path)


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
    ours = Path(given).expanduser() if given else user_cache_path("kinetree", appauthor=False)
    return Cache(ours)
