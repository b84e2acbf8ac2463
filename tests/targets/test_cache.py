"""Object code on disk: found again, never trusted when damaged or foreign, never in the way."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree.targets.native import cache
from kinetree.targets.native.compile import jit
from targets import corpus

PROGRAM = corpus.with_preamble()
Q = np.array([0.1, 0.2])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "objects"
    monkeypatch.setenv(cache.VARIABLE, str(path))
    return path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tiers that were really compiled."""
    done: list[str] = []
    true = jit.compile_object

    def counted(text: str, tier: str) -> bytes:
        done.append(tier)
        return true(text, tier)

    monkeypatch.setattr(jit, "compile_object", counted)
    return done


def value(**options: Any) -> Any:
    return PROGRAM.compile(**options)(q=Q)["u"]


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def test_the_second_time_nothing_is_compiled(folder: Path, compiled: list[str]) -> None:
    first, second = value(), value()
    assert compiled == ["full"]
    assert np.array_equal(first, second)
    assert len(entries(folder)) == 1
    assert [p.suffix for p in entries(folder)] == [".o"]


def test_what_makes_a_difference_makes_another_entry(folder: Path, compiled: list[str]) -> None:
    value()
    value(tier="quick")
    value(strict=True)
    assert compiled == ["full", "quick", "full"]
    assert len(entries(folder)) == 3


def test_another_processor_gets_its_own_code(
    folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    value()
    plain = jit.Host("x86-64" if jit.host().cpu_is_x86 else "generic", "")
    monkeypatch.setattr(jit, "host", lambda: plain)
    value()
    assert compiled == ["full", "full"]
    assert len(entries(folder)) == 2


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign"])
def test_damaged_entries_are_made_anew(folder: Path, compiled: list[str], damage: str) -> None:
    expected = value()
    (entry,) = entries(folder)
    data = entry.read_bytes()
    entry.write_bytes({
        "cut": data[: len(data) // 2],
        "flipped": data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
        "empty": b"",
        "foreign": b"something else\n" * 100,
    }[damage])  # fmt: skip
    assert np.array_equal(value(), expected)
    assert compiled == ["full", "full"]
    assert entry.read_bytes() == data


def test_an_entry_under_another_name_is_not_taken(folder: Path, compiled: list[str]) -> None:
    expected, loose = value(), value(strict=True)
    first, second = entries(folder)
    data = {path: path.read_bytes() for path in (first, second)}
    first.write_bytes(data[second])
    second.write_bytes(data[first])
    assert np.array_equal(value(), expected)
    assert np.array_equal(value(strict=True), loose)
    assert compiled == ["full"] * 4
    assert {path: path.read_bytes() for path in (first, second)} == data


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"{", b"5", b"{}", b"[1, 2]", b'["a", 0, 0]', b"[0, 1, 0]", b"[0, 1, 0]\ncode"],
)
def test_entries_that_are_sealed_but_senseless_are_made_anew(
    folder: Path, compiled: list[str], content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[tuple[str, ...]] = []
    true = cache.Cache.write

    def noted(self: cache.Cache, parts: tuple[str, ...], code: bytes) -> None:
        keys.append(parts)
        true(self, parts, code)

    monkeypatch.setattr(cache.Cache, "write", noted)
    expected = value()
    (entry,) = entries(folder)
    good = entry.read_bytes()
    true(cache.Cache(folder), keys[0], content)
    assert np.array_equal(value(), expected)
    assert compiled == ["full", "full"]
    assert entry.read_bytes() == good


def test_entries_go_that_were_not_used_for_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = cache.Cache(folder)
    for name in "abc":
        store.write((name,), b"code")
    (folder / "tmpx.part").write_bytes(b"given up")
    (folder / "other.txt").write_text("not of the store")
    used(store.path(("a",)), cache.UNUSED + 60)
    used(store.path(("b",)), cache.UNUSED - 60)
    used(folder / "tmpx.part", cache.PRECISION + 60)
    used(folder / "other.txt", 2 * cache.UNUSED)
    monkeypatch.setattr(cache, "unseen", {})  # as another process that writes there
    store.write(("d",), b"code")
    assert [store.read((name,)) for name in "abcd"] == [None, b"code", b"code", b"code"]
    assert not (folder / "tmpx.part").exists()
    assert (folder / "other.txt").exists()


def test_the_least_recently_used_go_where_there_are_too_many(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = cache.Cache(folder)
    monkeypatch.setattr(cache, "LIMIT", 10 * 1060)
    for k in range(10):
        store.write((f"{k}",), b"x" * 1000)
        used(store.path((f"{k}",)), 10 * cache.PRECISION * (11 - k))
    assert store.read(("0",)) is not None  # a use, which keeps it
    store.write(("10",), b"x" * 1000)
    kept = [k for k in range(11) if store.path((f"{k}",)).exists()]
    assert kept == [0, *range(5, 11)]
    assert sum(entry.size for entry in store.entries()) <= cache.ROOM * cache.LIMIT


def test_all_entries_are_looked_at_once_for_a_share_of_the_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at four thousand entries takes longer than to compile a short function."""
    looks = []
    true = cache.Cache.entries

    def counted(store: cache.Cache) -> list[cache.Entry]:
        looks.append(store)
        return true(store)

    monkeypatch.setattr(cache.Cache, "entries", counted)
    monkeypatch.setattr(cache, "LIMIT", 64 * 10_000)
    store = cache.Cache(folder)
    for k in range(30):
        store.write((f"{k}",), b"x" * 1000)
    assert len(looks) == 3  # at the first, and when another ten were written, twice
    assert len(entries(folder)) == 30


def used(path: Path, ago: float) -> None:
    """Say that a file was last used so many seconds ago."""
    when = time.time() - ago
    os.utime(path, (when, when))


def test_writers_and_readers_at_once_find_whole_entries(folder: Path) -> None:
    store = cache.Cache(folder)
    codes = {f"{k}": bytes([k]) * 50_000 for k in range(4)}

    def work(name: str) -> None:
        for _ in range(25):
            store.write((name,), codes[name])
            found = store.read((name,))
            assert found is None or found == codes[name]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, [*codes, *codes]))
    assert [entry.path.suffix for entry in store.entries()] == [".o"] * 4


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are a matter of POSIX")
@pytest.mark.parametrize("which", ["folder", "entry"])
def test_what_others_may_write_is_not_run(folder: Path, compiled: list[str], which: str) -> None:
    value()
    (entry,) = entries(folder)
    (folder if which == "folder" else entry).chmod(0o777)
    value()
    assert compiled == ["full", "full"]


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are a matter of POSIX")
def test_what_belongs_to_others_is_not_run(
    folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    value()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    value()
    assert compiled == ["full", "full"]
    assert len(entries(folder)) == 1


def test_a_folder_that_cannot_be_made_is_no_error(
    tmp_path: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "objects"))
    value()
    assert compiled == ["full"]


def test_off(compiled: list[str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    value(cache=False)
    assert entries(folder) == []
    monkeypatch.setenv(cache.VARIABLE, "off")
    assert cache.default_cache() is None
    value()
    assert compiled == ["full", "full"]


def test_the_platforms_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.setattr(cache, "user_cache_path", lambda name, **_: tmp_path / name)
    found = cache.default_cache()
    assert found is not None
    assert found.folder == tmp_path / "kinetree"


def test_a_limit_that_is_set_stays_and_is_kept_at_once(folder: Path) -> None:
    store = cache.Cache(folder)
    for name in "abc":
        store.write((name,), b"x" * 1000)
    store.set_limit(2200)
    assert cache.Cache(folder).limit == 2200
    assert sum(entry.size for entry in store.entries()) <= 2200
    (folder / "limit").write_text("much")
    assert store.limit == cache.LIMIT


def test_no_half_written_file_stays(folder: Path) -> None:
    store = cache.Cache(folder)
    store.write(("a",), b"code")
    assert store.read(("a",)) == b"code"
    assert store.read(("b",)) is None
    assert [p.name for p in entries(folder)] == [store.path(("a",)).name]


def test_the_same_program_gives_the_same_code() -> None:
    texts = [corpus.with_preamble().compile().kernels.single_text() for _ in range(2)]
    assert texts[0] == texts[1]
    assert jit.compile_object(texts[0], "full") == jit.compile_object(texts[1], "full")
