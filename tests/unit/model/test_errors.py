"""Errors name the element and the cure."""

from __future__ import annotations

import pytest

from kinetree.errors import (
    FormatError,
    KinetreeError,
    ModelError,
    ShapeError,
    UnknownNameError,
    combine,
    nearest,
    suggest,
    unknown,
)


def test_message_is_one_sentence_with_element_and_cure():
    error = ModelError(
        "the axis has zero length", element="joint 'q1' axis", cure="give a direction"
    )
    assert str(error) == "joint 'q1' axis: the axis has zero length; give a direction."
    assert (error.element, error.cure) == ("joint 'q1' axis", "give a direction")


def test_a_bare_problem_is_enough():
    assert str(ShapeError("q has 3 values, the model has 6")) == "q has 3 values, the model has 6."


def test_every_error_is_one_family():
    for kind in (ModelError, FormatError, ShapeError, UnknownNameError):
        assert issubclass(kind, KinetreeError)


def test_combined_errors_stand_on_their_own_lines():
    both = combine([ModelError("a"), ModelError("b", cure="c")], FormatError)
    assert str(both).splitlines() == ["a.", "b; c."]
    assert [type(part) for part in both.parts] == [ModelError, ModelError]


def test_a_single_combined_error_keeps_its_element():
    one = combine([ModelError("a", element="x", cure="c")], FormatError)
    assert (type(one), one.element, one.cure) == (FormatError, "x", "c")
    assert str(one) == "x: a; c."


@pytest.mark.parametrize(
    ("name", "found"), [("crnak", "crank"), ("CRANK", "crank"), ("zzz", ""), ("crank_", "crank")]
)
def test_nearest_name(name, found):
    assert nearest(name, ["rod", "crank", "slider"]) == found


def test_suggestions():
    assert suggest("crnak", ["crank"]) == "did you mean 'crank'?"
    assert suggest("zzz", ["crank", "rod"], "body") == "known bodies: 'crank', 'rod'"
    assert suggest("zzz", [], "body") == "there is no body yet"
    assert str(unknown("body", "crnak", ["crank"], "joint 'q'")) == (
        "joint 'q': there is no body 'crnak'; did you mean 'crank'?"
    )
