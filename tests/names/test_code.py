"""Names stay data in every target language: what is written runs, is right, and sets no canary."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

import hostile
from hostile_runs import RUNS, MissingTool, check, check_language, tool

PROGRAMS = tuple(hostile.programs(hostile.ALL))
SLOW = ("jax", "sympy", "cuda")
"""Languages that take seconds per Program: they are given some of them."""


@pytest.mark.parametrize("language", RUNS)
def test_names_stay_data(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    programs = PROGRAMS[::4] if language in SLOW else PROGRAMS
    try:
        check_language(language, programs, tmp_path)
    except MissingTool as missing:
        pytest.skip(f"there is no {missing} on this machine")


@pytest.mark.parametrize("language", ["c", "cpp", "fortran", "javascript", "matlab", "python"])
def test_values_may_be_called_like_functions_of_the_file(language: str, tmp_path: Path) -> None:
    ends = ("", "_preamble", "_prepared", "_constants", "_work", "_equations", "_p_default", "_1")
    program = hostile.program("arm", [f"arm{end}" for end in ends])
    try:
        check_language(language, [program], tmp_path)
    except MissingTool as missing:
        pytest.skip(f"there is no {missing} on this machine")


def test_random_names_stay_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = hostile.random_texts(random.Random(7), 40)
    assert "python" in check(texts, tmp_path, ("c", "javascript", "python"))


def test_an_attack_that_is_let_through_sets_the_canary(tmp_path: Path) -> None:
    """The attacks are real: as raw comments they run."""
    attack = next(text for text in hostile.CODE if text.startswith("\nopen"))
    exec(compile(f"# {attack.replace(hostile.CANARY, str(tmp_path / 'found'))}", "raw", "exec"))
    assert (tmp_path / "found").exists()
    try:
        node, gcc = tool("node"), tool("gcc")
    except MissingTool as missing:
        pytest.skip(f"there is no {missing} on this machine")
    script = "".join(f"//{text}\n" for text in hostile.CODE if text.startswith("\nglobalThis"))
    (tmp_path / "raw.mjs").write_text(f"{script}process.exit(globalThis.{hostile.CANARY});")
    assert subprocess.run([node, tmp_path / "raw.mjs"], check=False).returncode == 1
    (tmp_path / "raw.c").write_text(f"/* {hostile.CODE[0]} */\nint main(void) {{ return 0; }}\n")
    subprocess.run([gcc, "-w", "raw.c", "-o", "raw"], cwd=tmp_path, check=True)
    subprocess.run(["./raw"], cwd=tmp_path, check=True)
    assert (tmp_path / hostile.CANARY).exists()
