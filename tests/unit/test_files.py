"""Files are written whole or not at all, and nothing is left beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinetree.errors import FileError, FormatError
from kinetree.files import read_text, replacing, write_file, write_folder


def listed(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_folders_that_are_missing_are_made(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a" / "b" / "text", "α\n")
    assert path.read_bytes() == "α\n".encode()
    assert listed(tmp_path) == ["a", "a/b", "a/b/text"]


def test_a_block_that_fails_leaves_the_old_file_and_nothing_beside(tmp_path: Path) -> None:
    old = write_file(tmp_path / "text", "old")
    with pytest.raises(ZeroDivisionError), replacing(old) as part:
        part.write_bytes(b"new" * (1 // 0))
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "new" / "text") as part:
        raise KeyboardInterrupt
    assert listed(tmp_path) == ["text"]
    assert old.read_text() == "old"


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    path = write_file(tmp_path / "deep" / "text", "old")
    link = tmp_path / "link"
    link.symlink_to(path)
    path.chmod(0o640)
    write_file(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    before = os.umask(0o027)
    try:
        assert write_file(tmp_path / "mine", "").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    link = tmp_path / "nowhere"
    link.symlink_to(os.devnull)
    write_file(link, "gone")
    assert Path(os.devnull).is_char_device()
    assert listed(tmp_path) == ["nowhere"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file/text", r"file '.*text': it cannot be written \(.*\); choose a place"),
        ("folder", r"folder': it cannot be written \(.*\); name a file, not a folder"),
        ("x" * 300, "choose a shorter name"),
        ("a\0b", "null"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match=said):
        write_file(tmp_path / name, "new")
    with pytest.raises(FileError, match="it cannot be written"):
        write_folder(tmp_path / "new", {"one": "1", "two": "\ud800"})
    assert listed(tmp_path) == ["file", "folder"]


def test_files_of_a_folder_are_written_together(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert write_folder(folder, {"one": "1", "sub/two": b"2"}) == (
        folder / "one",
        folder / "sub/two",
    )
    (folder / "other").write_text("mine")
    with pytest.raises(FileError, match="surrogates"):
        write_folder(folder, {"one": "3", "sub/two": "\ud800"})
    assert (folder / "one").read_text() == "1"
    write_folder(folder, {"one": "3"})
    assert (folder / "one").read_text() == "3"
    assert listed(folder) == ["one", "other", "sub", "sub/two"]


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    for path, said in (
        (tmp_path / "none", "check the path"),
        (tmp_path, "name a file, not a folder"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(FormatError, match=said):
            read_text(path)
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(FormatError, match="save it as UTF-8"):
        read_text(tmp_path / "latin")
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_text(tmp_path / "marked") == "a\nb"
