"""Object code on disk: found again, never trusted when damaged or foreign, never in the way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree.targets.native import cache, jit
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
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache.sys, "platform", "linux")
    found = cache.default_cache()
    assert found is not None
    assert found.folder == tmp_path / "kinetree"


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
