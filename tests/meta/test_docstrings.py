"""Public names say what they mean."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "kinetree"
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public_names(tree: ast.Module) -> Iterator[tuple[str, Documented]]:
    """Public functions and classes of a module and public methods of those classes."""
    for node in tree.body:
        if isinstance(node, Documented) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                yield from (
                    (f"{node.name}.{inner.name}", inner)
                    for inner in node.body
                    if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_")
                )


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.lower())) - {"the", "a", "an", "of", "this", "get"}


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_public_names_are_documented(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "the module needs a docstring"
    missing = [name for name, node in public_names(tree) if not ast.get_docstring(node)]
    assert not missing, f"no docstring: {missing}"
    repeating = [
        name
        for name, node in public_names(tree)
        if words(ast.get_docstring(node) or "") <= words(name.rpartition(".")[2])
    ]
    assert not repeating, f"docstring only repeats the name: {repeating}"
