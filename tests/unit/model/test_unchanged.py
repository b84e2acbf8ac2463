"""What is found of a model is kept, and found anew after every way to change the model."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import ModelError
from kinetree.model.unchanged import while_unchanged


def _model() -> kt.Model:
    model = kt.Model("crane")
    beam = model.body("beam", mass=2.0, com=(0.5, 0.0, 0.0), inertia=(0.1, 0.2, 0.3))
    beam.point("end", (1.0, 0.0, 0.0))
    model.revolute("luff", model.ground, beam, axis="y")
    model.joint_spring("catch", "luff", stiffness=40.0)
    model.mode("held")
    model.event("stop", lambda q: q["luff"] - 1.0, then={"x_held": 1.0})
    return model


def _mass(model: kt.Model) -> None:
    model.bodies["beam"] = replace(model.bodies["beam"], mass=3.0)


CHANGES: dict[str, Callable[[kt.Model], object]] = {
    "gravity": lambda m: setattr(m, "gravity", (0.0, 0.0, -1.62)),
    "a body": lambda m: m.body("hook", mass=1.0),
    "another body of this name": _mass,
    "a parameter": lambda m: m.parameter("load", 5.0, "kg"),
    "a force": lambda m: m.joint_spring("brake", "luff", 2.0),
    "a force less": lambda m: m.forces.pop("catch"),
    "a name": lambda m: setattr(m, "name", "gantry"),
    "the tolerance of loops": lambda m: setattr(m, "loop_tolerance", 1e-6),
    "a point of a body": lambda m: m.bodies["beam"].point("middle", (0.5, 0.0, 0.0)),
    "what an event changes": lambda m: m.events["stop"].then.update(qd_luff=0.0),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_model_has_another_hash(change: str) -> None:
    model = _model()
    before = model.content_hash()
    assert model.content_hash() == before == _model().content_hash()
    CHANGES[change](model)
    assert model.content_hash() != before


def test_what_was_made_of_an_element_cannot_be_overwritten() -> None:
    """Neither the hash nor the equations would follow, as each is made of another mapping."""
    model = _model()
    catch = model.forces["catch"]
    for rows in (catch.arguments, catch.scalars, model.joints["luff"].arguments):
        with pytest.raises(ModelError, match="stays as it is"):
            rows["stiffness"] = 80.0  # type: ignore[index]
        for copied in (pickle.loads(pickle.dumps(rows)), deepcopy(rows)):
            assert copied == rows
            assert type(copied) is type(rows)
    model.forces["catch"] = replace(catch, scalars={**catch.scalars, "stiffness": 80.0})
    assert model.forces["catch"].scalars["stiffness"] == 80.0


def test_mappings_lists_and_arrays_inside_others_are_seen() -> None:
    inner: dict[str, Any] = {"list": [1, [2]], "array": np.zeros(2), "deep": {"set": {1}}}
    model = _model()
    model.extra = (inner,)  # type: ignore[attr-defined]
    asked = []

    @while_unchanged
    def look(model: kt.Model) -> int:
        asked.append(1)
        return len(asked)

    changes: list[Callable[[], object]] = [
        lambda: inner["list"].append(3), lambda: inner["list"][1].append(4),
        lambda: inner["array"].__setitem__(1, 5.0), lambda: inner["deep"]["set"].add(2),
        lambda: inner["deep"].update(more=1), lambda: inner["deep"].pop("more"),
    ]  # fmt: skip
    for number, change in enumerate(changes, 1):
        assert look(model) == look(model) == number
        change()
    assert look(model) == len(changes) + 1


def test_other_arguments_are_told_apart() -> None:
    model = _model()
    asked = []

    @while_unchanged
    def add(model: kt.Model, text: str, *, end: str = "") -> str:
        asked.append(text)
        return model.name + text + end

    assert [add(model, "a"), add(model, "a"), add(model, "b"), add(model, "b", end="!")] == [
        "cranea", "cranea", "craneb", "craneb!",
    ]  # fmt: skip
    assert asked == ["a", "b", "b"]


def test_findings_and_offers_follow_the_model() -> None:
    model = _model()
    assert not [f for f in model.findings() if f.severity == "error"]
    assert "hook.position" not in kt.model.outputs.names.offers(model)
    model.body("hook", mass=-1.0)
    assert [f.element for f in model.findings() if f.severity == "error"]
    assert "hook.position" in kt.model.outputs.names.offers(model)


def test_it_is_found_once_and_lets_the_model_go() -> None:
    asked = []

    @while_unchanged
    def name(model: kt.Model) -> str:
        asked.append(1)
        return model.name

    model = _model()
    assert name(model) == name(model) == "crane"
    assert len(asked) == 1
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
