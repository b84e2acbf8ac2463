"""Errors name the element and the cure."""

from __future__ import annotations

import pytest
from tests import mechanisms

import kinetree as kt
from kinetree import errors
from kinetree.errors import (
    AssemblyError,
    CallError,
    DuplicateNameError,
    EndedError,
    ExpressionError,
    FileError,
    FormatError,
    KinetreeError,
    MissingError,
    ModelError,
    ModelWarning,
    PartitionError,
    RunError,
    ShapeError,
    UnknownNameError,
    UnsupportedError,
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


def pendulum():
    model = kt.Model("pendulum")
    model.revolute("swing", model.ground, model.body("bob", mass=1.0, com=(0, 0, -1)))
    return model


def held_apart():
    model = mechanisms.slider_crank(rod=0.2)
    model.drive("q1", lambda t: 1.0 + t)
    return model


def falling():
    model = kt.Model("falling")
    model.prismatic("z", model.ground, model.body("stone", mass=1.0), axis="z")
    return model


def loaded(folder, text):
    (folder / "model.yaml").write_text(f"kinetree: 1\nname: m\n{text}")
    return kt.load(folder / "model.yaml")


def below_a_file(folder):
    (folder / "file").write_text("")
    return folder / "file" / "model.yaml"


BY_HAND = "parameters: {L: 1}\nbodies: {b: {mass: L +}}"
MISTAKES = {
    ModelError: lambda _: pendulum().revolute("turn", "ground", "bob", axis=(0, 0, 0)),
    DuplicateNameError: lambda _: pendulum().body("bob"),
    UnknownNameError: lambda _: kt.derive(pendulum(), "forwards"),
    AssemblyError: lambda _: kt.assemble(held_apart()),
    RunError: lambda _: kt.equilibrium(falling()),
    PartitionError: lambda _: kt.partition(mechanisms.n_four_bar(2), independent=["u0", "u1"]),
    FormatError: lambda folder: loaded(folder, "bodies: 3"),
    ExpressionError: lambda folder: loaded(folder, BY_HAND),
    FileError: lambda folder: kt.save(pendulum(), below_a_file(folder)),
    CallError: lambda _: kt.derive(pendulum(), formalsm="order_n"),
    ShapeError: lambda _: kt.derive(pendulum(), "energy").evaluate(q=[0, 1], qd=[0]),
    UnsupportedError: lambda folder: kt.derive(pendulum(), "energy").write("native", folder),
    EndedError: lambda _: kt.equilibrium(mechanisms.slider_crank(), progress=lambda share: True),
    MissingError: lambda _: kt.FrameModel("m").close_ball,
}
"""Every kind of error, and a mistake that a user could make."""


def test_every_kind_of_error_has_its_mistake():
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    family = {kind for kind in kinds if issubclass(kind, Exception)}
    assert family - {KinetreeError, ModelWarning} == set(MISTAKES)


@pytest.mark.parametrize("kind", MISTAKES, ids=lambda kind: kind.__name__)
def test_every_mistake_is_caught_as_one_family(kind, tmp_path):
    with pytest.raises(KinetreeError) as raised:
        MISTAKES[kind](tmp_path)
    assert kind in {type(part) for part in raised.value.parts}
    assert all(part.element for part in raised.value.parts)


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
