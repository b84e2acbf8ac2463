"""Sentences that analyses say stand in words of forms: no keywords, functions or options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kinetree
from kinetree.studio.runs.sentences import for_forms

PACKAGE = Path(kinetree.__file__).parent
ROOMS = (
    "analysis",
    "assembly",
    "integrate",
    "measures",
    "results",
    "steppers",
    "cli",
    "pipeline.py",
)
"""From which analyses of the studio speak."""
PYTHON = re.compile(
    r"\bkt\.|\bmodel\.\w|\w=(?=[\s,;:.)?!]|$)|\w=['\"{\[]|=(True|False|None)\b|--\w|\bNone\b|kinetree\["
)


def _text(node: ast.expr) -> str:
    """Words of a sentence, with a name where a value stands."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            _text(part) if isinstance(part, ast.Constant) else "some_name" for part in node.values
        )
    if isinstance(node, ast.IfExp):
        return f"{_text(node.body)} or {_text(node.orelse)}"
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return ""


def sentences() -> Iterator[tuple[str, str]]:
    """Where a warning or a mistake is told, and its words."""
    for room in ROOMS:
        files = sorted((PACKAGE / room).rglob("*.py")) or [PACKAGE / room]
        for file in files:
            for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(call, ast.Call):
                    continue
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                if name == "warn" or name.endswith("Error"):
                    said = [*call.args, *(row.value for row in call.keywords)]
                    yield from ((f"{file.name}:{call.lineno}", text) for text in map(_text, said))


def test_no_sentence_of_an_analysis_speaks_python_in_the_studio() -> None:
    rows = list(sentences())
    assert sum(bool(PYTHON.search(text)) for _, text in rows) > 80
    left = {place: for_forms(text) for place, text in rows if PYTHON.search(for_forms(text))}
    assert left == {}


@pytest.mark.parametrize(("python", "form"), [
    ("find one with equilibrium(model) and pass it as at=", "tick equilibrium in the form"),
    ("give coordinates a law with model.drive, or simulate it",
     "give coordinates a law by a drive, or simulate it"),
    ('give speed={"shoulder": 2.0} in rad/s or m/s', "give speed: shoulder=2.0 in rad/s or m/s"),
    ("name more actuators, or leave weights= out", "name more actuators, or leave 'weight' out"),
    ("take method='direct'", "take method 'direct'"),
    ("--lock: it holds a coordinate at rest; give --equilibrium too",
     "'lock': it holds a coordinate at rest; give 'equilibrium' too"),
    ('give {"end": kt.final("q_y")}', "give end=final(q_y)"),
    ("write it as name=number", "write it as name=number"),
    ("joint 'a': there is no body 'b'", "joint 'a': there is no body 'b'"),
])  # fmt: skip
def test_sentences_name_fields_and_analyses(python: str, form: str) -> None:
    assert for_forms(python) == form
