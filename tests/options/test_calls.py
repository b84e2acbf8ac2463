"""Arguments that a function does not have, or lacks, are told in one sentence by every function."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import pytest

import kinetree as kt
from kinetree import acausal, algebra, functions
from kinetree.errors import CallError, KinetreeError

CLASSES = (kt.Model, kt.FrameModel, kt.Program, kt.Event, kt.Table, type(kt.Model("m").ground))
SIGNS = inspect.Parameter
NAMED = (SIGNS.POSITIONAL_OR_KEYWORD, SIGNS.KEYWORD_ONLY)


def public() -> Iterator[tuple[str, Callable[..., Any], int]]:
    """Name, function and number of arguments that Python brings, of all that users call."""
    for room in (kt, functions, algebra, acausal):
        for name in room.__all__:
            if isinstance(found := getattr(room, name), FunctionType):
                yield f"{room.__name__}.{name}", found, 0
    for kind in CLASSES:
        for name, found in inspect.getmembers(kind):
            if isinstance(found, FunctionType) and (name[0] != "_" or name == "__init__"):
                static = isinstance(inspect.getattr_static(kind, name), staticmethod)
                yield f"{kind.__name__}.{name}", found, 0 if static else 1


CASES = {name: (function, own) for name, function, own in public()}
"""Name -> what is called."""


def rows(function: Callable[..., Any]) -> list[SIGNS]:
    return list(inspect.signature(function).parameters.values())


def refusal(name: str, /, *given: Any, **named: Any) -> str:
    """What a call with wrong arguments is told."""
    function, own = CASES[name]
    with pytest.raises(CallError) as caught:
        function(*[kt.Model("m")] * own, *given, **named)
    assert isinstance(caught.value, KinetreeError)
    assert isinstance(caught.value, TypeError)
    said = str(caught.value)
    word = name.rpartition(".")[2]
    assert said.startswith("Model: " if word == "__init__" else f"{word}: ")
    return said


@pytest.mark.parametrize("name", CASES)
def test_wrong_calls_are_told_in_a_sentence(name: str) -> None:
    function, own = CASES[name]
    found = rows(function)[own:]
    kinds = {row.kind for row in found}
    places = [row.name for row in found if row.kind is SIGNS.POSITIONAL_OR_KEYWORD]
    needed = [row.name for row in found if row.default is SIGNS.empty and row.kind in NAMED]
    if SIGNS.VAR_KEYWORD not in kinds:
        assert "there is no argument 'nonsense'" in refusal(name, nonsense=1)
    if needed:
        assert f"'{needed[0]}' is missing" in refusal(name)
    if SIGNS.VAR_POSITIONAL not in kinds:
        given = dict.fromkeys((key for key in needed if key not in places), 1)
        said = refusal(name, *[1] * (len(places) + 1), **given)
        assert f"it takes {len(places)} arguments by place, not {len(places) + 1}" in said
    if places and set(needed) <= {places[0]}:
        assert f"'{places[0]}' is given twice" in refusal(name, 1, **{places[0]: 1})


def test_the_nearest_argument_is_proposed() -> None:
    assert "did you mean 'formalism'?" in refusal("kinetree.derive", kt.Model("m"), formalsm="x")
    assert "did you mean it by 'durtion'?" in refusal("kinetree.simulate", 1, durtion=2)
    assert "call sensitivity(model, duration, measures, by=…)" in refusal("kinetree.sensitivity", 1)
    assert "give others by name: q=, qd=" in refusal("kinetree.simulate", 1, 2, 3)


def test_what_is_raised_inside_comes_through() -> None:
    def careless(*given: Any) -> Any:
        return len(given[3])

    with pytest.raises(TypeError, match=r"object of type 'float' has no len") as caught:
        kt.integrate(careless, [0.0, 1.0], [0.0])
    assert not isinstance(caught.value, KinetreeError)


@pytest.mark.parametrize("thing", [kt.simulate, functions.sin, acausal.connect])
def test_guarded_functions_travel_to_other_processes(thing: Callable[..., Any]) -> None:
    assert pickle.loads(pickle.dumps(thing)) is thing
