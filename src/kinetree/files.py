"""Files, written whole or not at all, read or refused in one sentence.

A file is written beside its place under another name, flushed to the disk and then renamed, which
the operating system does in one go: whatever stops the program, the old file is there or the new
one, never a mixture.  What fails takes back what it wrote.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from kinetree.errors import FileError, FormatError

PART = ".part"
"""How a file that is being written ends; it begins with a dot."""
WRITING = {
    errno.ENOSPC: "free some space on that disk",
    errno.EDQUOT: "free some space on that disk",
    errno.EFBIG: "raise the limit of this process for the size of files",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EISDIR: "name a file, not a folder",
    errno.EILSEQ: "leave out the characters that have no meaning alone (surrogates)",
}
"""What helps against an error of the operating system, where another place does not."""
READING = {
    errno.EINVAL: "check the path",
    errno.EISDIR: "name a file, not a folder",
    errno.ENAMETOOLONG: "check the path",
    errno.ENOTDIR: "check the path",
}
"""What helps where a file cannot be read, other than permission."""


def write_file(
    path: str | os.PathLike[str], content: str | bytes, *, by: Path | None = None
) -> Path:
    """Write a file, whole or not at all; folders that are missing are made.

    Args:
        path: where to; a link is followed, and permissions of a file that is there are kept.
        content: bytes, or text that is written as UTF-8 with line ends as they are.
        by: see `replacing`.

    Returns:
        The path given.

    Raises:
        FileError: where it cannot be written; what was there is untouched then.
    """
    with replacing(path, by=by) as part:
        part.write_bytes(_data(content))
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str], *, by: Path | None = None) -> Iterator[Path]:
    """A file beside `path` to write into, which takes its place when the block ends well.

    The path given to the block has the suffix of `path`.

    Args:
        path: of the file.
        by: folder on the same disk that it is in until then, None: that of `path`; what a killed
            program leaves is there.

    Raises:
        FileError: where it cannot be written; what was there is untouched then.
    """
    given = Path(path)
    try:
        with ExitStack() as undo:
            place = _place(given)
            if _is_device(place):
                yield place
                return
            for folder in (place.parent, by or place.parent):
                undo.enter_context(_folder(folder))
            part = undo.enter_context(_beside((by or place.parent) / place.name))
            yield part
            _flush(part)
            _rename(part, place)
            _flush_folder(place.parent)
    except OSError as error:
        raise unwritable(f"file '{given}'", error) from error


def write_folder(
    folder: str | os.PathLike[str], contents: Mapping[str, str | bytes]
) -> tuple[Path, ...]:
    """Write files into one folder: a new folder appears with all of them, or not at all.

    In a folder that is there every file is written whole beside its place before the first one is
    renamed, so that a disk that is full leaves all the old ones.

    Args:
        folder: where to, made where it is missing.
        contents: name -> bytes or text.

    Returns:
        The paths written, in order.

    Raises:
        FileError: where they cannot be written.
    """
    given = Path(folder)
    try:
        place = _place(given)
        if place.exists():
            _fill(place, contents)
        else:
            with _folder(place.parent), _beside(place, folder=True) as part:
                _fill(part, contents)
                part.rename(place)
                _flush_folder(place.parent)
    except OSError as error:
        raise unwritable(f"folder '{given}'", error) from error
    return tuple(given / name for name in contents)


@contextmanager
def replacing_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A new folder beside `folder` to write into, which takes its place when the block ends well.

    Raises:
        FileError: where it cannot be written.
    """
    given = Path(folder)
    try:
        place = _place(given)
        with _folder(place.parent), _beside(place, folder=True) as part:
            yield part
            for path in sorted(part.rglob("*")):
                if path.is_file():
                    _flush(path)
            if place.exists():
                shutil.rmtree(place)
            part.rename(place)
            _flush_folder(place.parent)
    except OSError as error:
        raise unwritable(f"folder '{given}'", error) from error


def discard_parts(folder: Path) -> None:
    """Remove what a killed program left half written in a folder."""
    for path in folder.glob(f".*{PART}*"):
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def discard(paths: Iterable[Path]) -> None:
    """Remove files, and folders where they are empty; what cannot be removed stays."""
    for path in paths:
        with suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()


def read_bytes(path: Path) -> bytes:
    """Content of a file.

    Raises:
        FormatError: where it cannot be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def read_text(path: Path) -> str:
    """Content of a file of UTF-8 text with plain line ends, without a mark of byte order.

    Raises:
        FormatError: where it cannot be read, or is not such text.
    """
    text = read_exactly(path).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_exactly(path: Path) -> str:
    """Content of a file of UTF-8 text, line ends and a mark of byte order as they are.

    Raises:
        FormatError: where it cannot be read, or is not such text.
    """
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            f"it is not UTF-8 text ({error.reason})",
            element=f"file '{path.name}'",
            cure="save it as UTF-8",
        ) from error


def unwritable(element: str, error: OSError) -> FileError:
    """The sentence for what the operating system refused to write."""
    cure = WRITING.get(error.errno or 0, "choose a place that you may write")
    return FileError(f"it cannot be written ({_reason(error)})", element=element, cure=cure)


def unreadable(path: Path, error: Exception) -> FormatError:
    """The sentence for what the operating system refused to read."""
    if isinstance(error, FileNotFoundError):
        return FormatError("there is no such file", element=f"file '{path}'", cure="check the path")
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    cure = READING.get(number or 0, "see to it that you may read it")
    return FormatError(f"it cannot be read ({_reason(error)})", element=f"file '{path}'", cure=cure)


def _reason(error: Exception) -> str:
    """What the operating system says, in a line."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(said).split())


def _data(content: str | bytes) -> bytes:
    """The bytes of a content."""
    try:
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise OSError(errno.EILSEQ, f"{error.reason} in its text") from error


def _place(path: Path) -> Path:
    """Where the content goes, links followed; a folder or what may not be written is refused."""
    try:
        place = Path(os.path.realpath(path))
        if place.is_file() and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    except ValueError as error:  # a zero byte in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    return place


def _is_device(place: Path) -> bool:
    """Whether it is a pipe or a device such as /dev/stdout, which nothing may take the place of."""
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    return place.exists() and not place.is_file()


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """The folder, made with its parents where it is missing, and taken back where a block fails."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    made: list[Path] = []
    try:
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
            made.append(path)
        yield
    except BaseException:
        with suppress(OSError):
            for path in reversed(made):
                path.rmdir()
        raise


@contextmanager
def _beside(place: Path, *, folder: bool = False) -> Iterator[Path]:
    """A new file or folder beside `place`, gone at the end of the block if it is still there."""
    name = f".{place.stem[:32]}-{secrets.token_hex(4)}{PART}"
    part = place.with_name(name if folder else name + place.suffix[:16])
    try:
        part.mkdir() if folder else part.touch(exist_ok=False)
        yield part
    finally:
        with suppress(OSError):
            shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)


def _fill(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write all files of a folder that is there beside their places, then rename them all."""
    with ExitStack() as parts:
        ready = []
        for name, content in contents.items():
            place = _place(folder / name)
            if _is_device(place):
                raise OSError(errno.EEXIST, "a device is there", str(place))
            parts.enter_context(_folder(place.parent))
            part = parts.enter_context(_beside(place))
            part.write_bytes(_data(content))
            _flush(part)
            ready.append((part, place))
        for part, place in ready:
            _rename(part, place)
    _flush_folder(folder)


def _rename(part: Path, place: Path) -> None:
    """Let a file take its place, with the owner and permissions of what was there."""
    with suppress(FileNotFoundError):
        there = place.stat()
        part.chmod(stat.S_IMODE(there.st_mode))
        if hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(part, there.st_uid, there.st_gid)
    part.replace(place)


def _flush(path: Path) -> None:
    """Content of a file on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Names of a folder on the disk; not every system offers that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
