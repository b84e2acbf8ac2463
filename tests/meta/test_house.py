"""The picture of the house and the guide show the rooms that there are; names say what they are."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from tools import house

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOMS = [name for floor in house.floors() for name in floor]
MOST = 20
"""Modules on one level."""
IRREGULAR = (
    r"begun|bent|bound|broken|brought|built|caught|chosen|done|drawn|driven|felt|found|given|gone|held"
    r"|hidden|kept|known|laid|left|lost|made|meant|met|risen|said|seen|sent|shown|sought|spent|spoken"
    r"|taken|taught|thought|thrown|told|woven|written"
)
"""Past participles without -ed, but for those that are verbs in the present, too."""
VERBS_AND_NOUNS = frozenset(("embed", "exceed", "feed", "need", "proceed", "seed", "speed"))
"""Words in -ed that are no participles."""
PARTICIPLES = {
    "Rubbing.bound": "the noun: a limit of the force",
    "fixed": "a kind of joint, as users call it",
}
"""Functions that are called by a participle alone, and why."""


def test_every_room_stands_on_a_floor() -> None:
    found = {
        p.stem for p in house.PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
    }
    assert set(ROOMS) == found - {"__init__"}


def test_no_passage_goes_up() -> None:
    floor = {name: level for level, row in enumerate(house.floors()) for name in row}
    assert [pair for pair in house.passages() if floor[pair[0]] >= floor[pair[1]]] == []


def test_the_picture_shows_every_room() -> None:
    drawn = re.findall(r'font-weight="600">(\w+)<', house.PICTURE.read_text(encoding="utf-8"))
    assert sorted(drawn) == sorted(ROOMS), "make house draws it anew"


@pytest.mark.parametrize(
    "name", [p.name for p in house.PACKAGE.iterdir() if (p / "__init__.py").exists()]
)
def test_the_guide_names_every_room(name: str) -> None:
    guide = (house.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"`{name}/" in guide, f"CONTRIBUTING.md says nothing about {name}/"


def test_no_level_has_too_many_modules() -> None:
    levels = {path.parent for path in house.PACKAGE.rglob("*.py")}
    many = {
        str(p.relative_to(house.PACKAGE)): n
        for p in levels
        if (n := len(list(p.glob("*.py")))) > MOST + 1
    }
    assert many == {}


def _functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions of a file with their qualified names."""
    stack: list[tuple[str, ast.AST]] = [("", ast.parse(path.read_text(encoding="utf-8")))]
    while stack:
        inside, node = stack.pop()
        for child in ast.iter_child_nodes(node):
            name = inside
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                name = f"{inside}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef):
                yield name, child
            stack.append((name, child))


def _is_participle(name: str) -> bool:
    """Whether a name is one word, and that a participle."""
    regular = re.fullmatch("[a-z]+ed", name) and name not in VERBS_AND_NOUNS
    return bool(regular or re.fullmatch(IRREGULAR, name))


def test_participles_are_for_predicates() -> None:
    found = {
        f"{path.relative_to(house.PACKAGE)}: {name}"
        for path in house.PACKAGE.rglob("*.py")
        for name, function in _functions(path)
        if _is_participle(function.name.strip("_"))
        and not (function.returns and ast.unparse(function.returns) == "bool")
        and not any(name.endswith(known) for known in PARTICIPLES)
    }
    assert found == set(), "call a function by a verb, or by the noun that it returns"


SHARED_NOUNS = {
    "Scalar": "one union; the engine writes it as text, as Node is defined below it",
}
"""Public classes and types that several modules define, and why."""


def _nouns(path: Path) -> Iterator[str]:
    """Public classes and aliases of types that a module defines."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id


def test_one_noun_has_one_owner() -> None:
    owners: dict[str, list[str]] = {}
    for path in sorted(house.PACKAGE.rglob("*.py")):
        for name in _nouns(path) if "library" not in path.parts else ():  # a domain is a space
            if name[0].isupper() and not name.isupper():
                owners.setdefault(name, []).append(str(path.relative_to(house.PACKAGE)))
    many = {k: v for k, v in owners.items() if len(v) > 1 and k not in SHARED_NOUNS}
    assert many == {}, "give the newer one a name of its own, or import it where it is the same"


TESTS = house.ROOT / "tests"
COMPARING = ("approx", "allclose", "assert_allclose", "assert_close", "assert_same", "isclose")
TOLERANCES = ("abs", "abs_tol", "atol", "rel", "rel_tol", "rtol", "tolerance")
SMALL = 1e-3
"""Numbers in comparisons up to this are tolerances."""
LITERALS = {
    "analysis/test_integrate.py": "a length of steps, not a tolerance",
    "targets/test_sincos.py": "less than one rounding: the value itself",
}
"""Files with one small number of their own in a comparison, and why."""


def _tolerances(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions that say how far apart two values may be."""
    if isinstance(node, ast.Compare):
        pairs = zip(node.ops, node.comparators, strict=True)
        yield from (right for op, right in pairs if isinstance(op, ast.Lt | ast.LtE))
    elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in COMPARING:
        yield from node.args[2:]
        yield from (row.value for row in node.keywords if row.arg in TOLERANCES)


def test_tolerances_have_names() -> None:
    found: list[str] = []
    for path in sorted(TESTS.rglob("*.py")):
        name = str(path.relative_to(TESTS))
        numbers = {
            part
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            for tolerance in _tolerances(node)
            for part in ast.walk(tolerance)
            if isinstance(part, ast.Constant)
            and type(part.value) is float
            and 0 < part.value <= SMALL
        }
        found += [f"{name}:{part.lineno}: {part.value}" for part in numbers][name in LITERALS :]
    assert found == [], (
        "tests/approx.py has names for tolerances, or takes a new one with its reason"
    )


SENTENCES = (
    (r"(?<!there )\b(is|are) no (?!longer|more)\w+", "say what it is not a valid value of"),
    (r"\bno number\b", "it is NaN, or infinite"),
    (r"\b(anew|to and fro|foretell|whoever|howsoever)\b", "say it in plain words"),
)
"""Idioms that messages do without, and what to say instead."""


def _messages(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of errors and warnings, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and re.search(
            "(Error|Warning|warn)$", ast.unparse(node.func)
        ):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value


def test_messages_are_plain_sentences() -> None:
    found = [
        f"{path.relative_to(house.PACKAGE)}:{line}: {text!r}: {better}"
        for path in sorted(house.PACKAGE.rglob("*.py"))
        for line, text in _messages(path)
        for idiom, better in SENTENCES
        if re.search(idiom, text, re.IGNORECASE)
    ]
    assert found == []
