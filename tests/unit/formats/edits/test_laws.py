"""Laws of edits: reading after editing is editing after reading; other lines keep their bytes."""

from __future__ import annotations

import copy
import difflib
import io
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString as Quoted

from kinetree.formats.edits import operations
from kinetree.formats.edits.operations import set_value
from kinetree.formats.edits.splices import change
from kinetree.formats.edits.values import same
from kinetree.formats.yaml_plain import read_plain

SHIPPED = (Path(__file__).resolve().parents[4] / "examples" / "models").glob("*.yaml")
MODELS = sorted(file for file in SHIPPED if file.stat().st_size < 25_000)
"""Without files of hundreds of elements, which five hundred edits take long to write."""
WORDS = st.one_of(
    st.sampled_from(["a", "b c", "1e-3", "no", "#x", "a: b", "a, b", "é", "x\ny", "", "- a", "*k",
                     "&k", "{"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029\ufeff\x7f",
                          min_codepoint=32), max_size=8),
)  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-9999, 9999), st.floats(allow_nan=False), WORDS
)
KEYS = st.one_of(st.from_regex(r"[a-z][a-z_0-9]{0,5}", fullmatch=True), WORDS.filter(bool))
KEYS = KEYS.filter(lambda key: key not in ("<<", "k") and key == key.strip() and key.isprintable())
VALUES: Any = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
STYLES = st.randoms(use_true_random=False)


def parse(text: str) -> Any:
    return read_plain(text, "the text").data


def styled(value: Any, chance: random.Random, *, flow: bool = False) -> Any:
    """The same data, some of it in brackets."""
    flow = flow or chance.random() < 0.3
    if isinstance(value, dict):
        made: Any = CommentedMap(
            (Quoted(k), styled(v, chance, flow=flow)) for k, v in value.items()
        )
    elif isinstance(value, list):
        made = CommentedSeq(styled(v, chance, flow=flow) for v in value)
    else:
        return Quoted(value) if isinstance(value, str) else value
    if flow:
        made.fa.set_flow_style()
    return made


def spelled(value: dict[str, Any], chance: random.Random) -> str:
    """A text of the data with comments and line ends of some kind."""
    yaml, stream = YAML(), io.StringIO()
    yaml.width = chance.choice([30, 1000])
    yaml.allow_unicode = True
    yaml.indent(mapping=chance.choice([2, 3]), sequence=4, offset=2)
    tree = styled(value, chance) if value else {}
    if value:
        tree.fa.set_block_style()
    yaml.dump(tree, stream)
    lines = ["# head", *stream.getvalue().rstrip("\n").split("\n")]
    ends = chance.choice(["\n", "\r\n"])
    text = ends.join(lines)
    return text + (ends if chance.random() < 0.7 else "")


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path in some data."""
    found = [path]
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, entry in entries:
        found += paths(entry, (*path, key))
    return found


def put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with a value at a path."""
    made = copy.deepcopy(data)
    holder = made
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return made


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=5), VALUES, STYLES, st.data())
def test_reading_after_setting_is_setting_after_reading(
    data: dict[str, Any], value: Any, chance: random.Random, draw: Any
) -> None:
    text = spelled(data, chance)
    assert same(parse(text), data)
    path = draw.draw(st.sampled_from(paths(data)[1:]))
    made = set_value(text, path, value)
    assert parse(made) == put(data, path, value)
    splice = change(text, made)
    assert splice.apply(text) == made
    assert splice.inverse().apply(made) == text


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=5), VALUES, KEYS, STYLES, st.data())
def test_entries_come_and_go(
    data: dict[str, Any], value: Any, name: str, chance: random.Random, draw: Any
) -> None:
    text = spelled(data, chance)
    holders = [p for p in paths(data) if isinstance(_at(data, p), dict)]
    path = draw.draw(st.sampled_from(holders))
    held = _at(data, path)
    if name not in held:
        made = set_value(text, (*path, name), value)
        wanted = put(data, (*path, name), value)
        assert parse(made) == wanted
        assert parse(operations.unset_value(made, (*path, name))) == data
    for key in list(held)[:2]:
        less = copy.deepcopy(data)
        del _at(less, path)[key]
        assert parse(operations.unset_value(text, (*path, key))) == less


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_five_hundred_edits_are_undone_to_the_first_byte(file: Path) -> None:
    """Numbers changed, elements placed, moved, duplicated, switched off, taken out."""
    chance = random.Random(file.stem)
    first = text = file.read_text(encoding="utf-8")
    splices, data = [], parse(text)
    for _ in range(500 // len(MODELS)):
        made = random_edit(text, data, chance)
        splices.append(change(text, made))
        text, data = made, parse(made)
    last = text
    for splice in reversed(splices):
        text = splice.inverse().apply(text)
    assert text == first
    for splice in splices:
        text = splice.apply(text)
    assert text == last


def random_edit(text: str, data: Any, chance: random.Random) -> str:
    """One edit, and what must be true of it."""
    section = chance.choice([s for s in ("bodies", "joints", "closures", "forces") if data.get(s)])
    name = chance.choice(list(data[section]))
    rows = data[section]
    kind = chance.choice(["set", "place", "move", "duplicate", "off", "remove"])
    kind = "duplicate" if kind == "remove" and len(rows) == 1 else kind
    if kind == "set":
        numbers = [p for p in paths(data) if isinstance(_at(data, p), float)]
        path = chance.choice(numbers)
        made = set_value(text, path, 0.123456789)
        assert parse(made) == put(data, path, 0.123456789)
        assert len(different(text, made)) <= 1
    elif kind == "place":
        made = operations.place(text, name, chance.randint(-99, 99), chance.randint(-99, 99))
        added = "layout" not in data
        assert len(different(text, made)) <= (3 if added else 1)
    elif kind == "move":
        after = chance.choice(["", *(other for other in rows if other != name)])
        made = operations.move(text, (section, name), after)
        names = [other for other in rows if other != name]
        names.insert(names.index(after) + 1 if after else 0, name)
        assert list(parse(made)[section]) == names
        assert parse(made) == data
    elif kind == "duplicate":
        new = f"{name}_{chance.randint(0, 10**9)}"
        made = operations.duplicate(text, (section, name), new)
        assert parse(made)[section][new] == rows[name]
        assert not [line for line in different(text, made) if line.startswith("-")]
    elif kind == "off":
        made = operations.enable(text, (section, name), on=False)
        assert parse(made)[section][name]["off"] is True
        assert (
            parse(operations.enable(made, (section, name), on=True)) == data or "off" in rows[name]
        )
    else:
        made = operations.unset_value(text, (section, name))
        assert parse(made)[section] == {k: v for k, v in rows.items() if k != name}
        assert not [line for line in different(text, made) if line.startswith("+")]
    return made


def different(old: str, new: str) -> list[str]:
    """Lines by which two texts differ; a changed line counts once, an added or lost one too."""
    found = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=0)
    rows = [row for row in found if row[:3] not in ("---", "+++") and row[:2] != "@@"]
    lost = [row for row in rows if row.startswith("-")]
    new_rows = [row for row in rows if row.startswith("+")]
    return new_rows if len(lost) == len(new_rows) else rows
