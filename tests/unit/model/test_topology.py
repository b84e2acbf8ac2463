"""The tree: order, offsets, and what is no tree."""

from __future__ import annotations

import pytest

from kinetree.errors import ModelError
from kinetree.model import Model


def test_order_of_addition_when_parents_come_first(pendulum):
    tree = pendulum.tree()
    assert [body.name for body in tree.bodies] == ["ground", "upper", "lower"]
    assert tree.parent == (0, 0, 1)
    assert tree.children == ((1,), (2,), ())
    assert [joint.name for joint in tree.joints[1:]] == ["shoulder", "elbow"]
    assert tree.joints[0].motions == ()
    assert tree.path(2) == [1, 2]
    assert tree.path(0) == []
    assert list(tree.outward()) == [1, 2]
    assert list(tree.inward()) == [2, 1]
    assert len(tree) == 3
    assert tree.index(pendulum.bodies["lower"]) == 2


def test_parents_come_first_whatever_the_order_of_addition():
    model = Model("m")
    a, b, c = (model.body(name) for name in "abc")
    model.revolute("outer", b, c)
    model.spherical("middle", a, b)
    model.free("inner", model.ground, a)
    tree = model.tree()
    assert [joint.name for joint in tree.joints[1:]] == ["inner", "middle", "outer"]
    assert tree.parent == (0, 0, 1, 2)
    assert tree.q_start == (0, 5, 1, 0)
    assert tree.v_start == (0, 4, 1, 0)
    assert model.coordinates[0] == "outer"


def test_a_deep_chain_needs_no_recursion():
    model = Model("chain")
    place = model.ground
    for i in range(3000):
        body = model.body(f"b{i}")
        model.revolute(f"j{i}", place, body)
        place = body
    assert model.tree().parent[-1] == 2999


def words(model):
    with pytest.raises(ModelError) as caught:
        model.tree()
    return str(caught.value)


def test_a_body_reached_by_two_joints(pendulum):
    pendulum.revolute("third", pendulum.ground, "lower")
    assert words(pendulum) == (
        "body 'lower': it is reached by two joints, 'elbow' and 'third'; remove one of them, "
        "or replace 'third' by a closure of the loop."
    )


def test_an_unconnected_body(pendulum):
    lost = pendulum.body("lost")
    pendulum.revolute("q", lost, pendulum.body("carried"))
    assert words(pendulum) == (
        "body 'lost': no joint reaches it; add a joint with this body as child, or remove the body."
    )


def test_a_cycle():
    model = Model("m")
    a, b, c = (model.body(name) for name in "abc")
    model.revolute("ab", a, b)
    model.revolute("bc", b, c)
    model.revolute("ca", c, a)
    model.revolute("side", a, model.body("d"))
    said = words(model)
    assert "form a cycle that is not connected to the ground; let one of them start" in said
    assert "'ab'" in said
    assert "'side'" not in said
    assert len(said.splitlines()) == 1


def test_ground_as_child(pendulum):
    pendulum.revolute("q", "lower", pendulum.ground)
    assert words(pendulum) == (
        "joint 'q': its child is the ground, which does not move; swap parent and child."
    )


def test_a_body_joined_to_itself(pendulum):
    pendulum.revolute("q", "lower", pendulum.bodies["lower"].point("p"))
    assert "joint 'q': its parent and child are the same body 'lower'" in words(pendulum)


def test_all_problems_at_once(pendulum):
    pendulum.revolute("third", pendulum.ground, "lower")
    pendulum.body("lost")
    assert len(words(pendulum).splitlines()) == 2
