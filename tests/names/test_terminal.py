"""Names stay data on the command line: no markup is read, no command of a terminal gets through."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import hostile
import kinetree as kt
from hostile import CODE, SIGNS
from kinetree.cli import main
from kinetree.errors import KinetreeError
from kinetree.printing import print_json, print_table, say

TEXTS = (*SIGNS, *CODE[:10])
MARKED = "arm [bold]x[/bold] [/] [link=x]"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "[red]x[bold]"
    folder.mkdir()
    kt.save(hostile.model(MARKED, TEXTS, units=False), folder / "[bold]arm.yaml")
    return folder / "[bold]arm.yaml"


def _printable(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    "command", ["check MODEL", "simulate MODEL --duration 0.02 --step 0.01", "modes MODEL"]
)
def test_verbs_print_names_as_they_stand(
    command: str, file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    words = [str(file) if word == "MODEL" else word for word in command.split()]
    with suppress(SystemExit):
        main(words)
    shown = capsys.readouterr()
    assert MARKED in shown.out
    assert _printable(shown.out)
    assert _printable(shown.err)


def test_paths_are_printed_as_they_stand(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "[bold]out[red]"
    with pytest.raises(SystemExit):
        main(["generate", str(file), "-o", str(out)])
    assert "[bold]out[red]" in capsys.readouterr().out


def test_models_come_back_from_files(file: Path) -> None:
    model = kt.load(file)
    assert model.name == MARKED
    assert list(model.bodies) == hostile.names_of(TEXTS)


@pytest.mark.parametrize("text", TEXTS)
def test_errors_are_one_line(text: str) -> None:
    model = kt.Model("errors")
    with pytest.raises(KinetreeError) as caught:
        model.body(f"{text} .")
    assert str(caught.value).isprintable()
    with pytest.raises(KinetreeError) as other:
        model.parameter(f"{text} .", 1.0)
    assert str(other.value).isprintable()


@pytest.mark.parametrize("name", [None, 3, b"m"])
def test_names_are_strings(name: Any) -> None:
    model = kt.Model("errors")
    for made in (lambda: model.parameter(name, 1.0), lambda: model.wrench(name, model.ground)):
        with pytest.raises(KinetreeError, match="give a word"):
            made()


def test_tables_and_sentences_show_every_sign(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("t", [{"name": text[:40], "n": 1} for text in TEXTS])
    for text in TEXTS:
        say(text)
    shown = capsys.readouterr().out
    assert _printable(shown)
    assert "[bold]x[/bold]" in shown


def test_equations_are_shown_one_per_line() -> None:
    (program,) = hostile.programs(TEXTS, len(TEXTS))
    lines = program.show().split("\n")
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 4 + len(program.preamble) + len(program.blocks) + len(program.outputs)


def test_json_holds_the_text_itself(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"texts": TEXTS})
    shown = capsys.readouterr().out
    assert _printable(shown)
    assert tuple(json.loads(shown)["texts"]) == TEXTS
