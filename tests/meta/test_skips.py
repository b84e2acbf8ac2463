"""Every skip says what is missing in words that the last line of a run understands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import skips

TESTS = Path(__file__).resolve().parents[1]
SKIPPING = ("skip", "skipif", "importorskip")


def reasons(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a test file that skip, and the text that they give as reason."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in SKIPPING and ast.unparse(node.func).startswith("pytest."):
            named = [word.value for word in node.keywords if word.arg == "reason"]
            given = (named or node.args)[0]
            if isinstance(given, ast.Constant):
                yield node.lineno, str(given.value)


def test_every_reason_names_what_is_missing() -> None:
    rows = [(path, *row) for path in sorted(TESTS.rglob("*.py")) for row in reasons(path)]
    assert len(rows) > 20
    silent = [
        f"{path.relative_to(TESTS)}:{number}: {reason}"
        for path, number, reason in rows
        if skips.source(reason) is None
    ]
    assert not silent, "name the package or program, or add a row to skips.py:\n" + "\n".join(
        silent
    )


@pytest.mark.parametrize(
    ("reason", "brings"),
    [
        ("could not import 'torch': No module named 'torch'", "pip install torch"),
        ("'octave-cli' is not on PATH (Debian: apt install octave)", "apt install octave"),
        ("there is no g++ on this machine", "apt install g++"),
        ("the viewer is not built: run 'make web', which needs node", "make web"),
    ],
)
def test_reasons_lead_to_what_brings_them(reason: str, brings: str) -> None:
    found = skips.source(reason)
    assert found is not None
    assert found[1] == brings


def test_all_skips_stand_in_one_line() -> None:
    torch, gpu = "PyTorch is not installed: pip install torch", "no NVIDIA GPU on this machine"
    assert skips.line([]) == ""
    assert skips.line([torch, gpu, torch, "it rains"]) == (
        "skipped: 4 (2 for torch: pip install torch; "
        "1 for GPU: a machine with an NVIDIA GPU; 1: it rains)"
    )
