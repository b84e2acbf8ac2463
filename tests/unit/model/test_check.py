"""The checks of a model: each mistake in one sentence, all at once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinetree as kt
from kinetree.engine import log
from kinetree.errors import ModelError, ModelWarning
from kinetree.model import Model


def sentences(model, severity):
    return [str(finding) for finding in model.findings() if finding.severity == severity]


def test_a_sound_model_has_no_findings(pendulum):
    assert pendulum.findings() == ()
    assert pendulum.check() == ()


def test_a_leaf_without_mass(pendulum):
    pendulum.revolute("wrist", "lower", pendulum.body("hand"))
    with pytest.raises(ModelError) as caught:
        pendulum.check()
    assert str(caught.value) == (
        "joint 'wrist': the mass matrix is singular: body 'hand' and what it carries have no "
        "inertia against its motion; give body 'hand' mass or inertia, or fix the joint."
    )


def test_a_leaf_without_mass_is_fine_for_inverse_dynamics(pendulum):
    pendulum.revolute("wrist", "lower", pendulum.body("hand"))
    assert pendulum.check(invertible=False) == ()


def test_a_massless_subtree_is_found_at_each_of_its_joints(pendulum):
    pendulum.revolute("wrist", "lower", pendulum.body("hand"), axis="x")
    pendulum.prismatic("finger", "hand", pendulum.body("tip"))
    assert [s.split(":")[0] for s in sentences(pendulum, "error")] == [
        "joint 'wrist'",
        "joint 'finger'",
    ]


def test_a_massless_body_that_carries_mass_is_fine():
    model = Model("m")
    model.revolute("a", model.ground, model.body("cross"), axis="x")
    model.revolute("b", "cross", model.body("end", 1.0, (0, 0, 1), (0.1, 0.1, 0.1)), axis="y")
    assert model.findings() == ()


def test_a_point_mass_on_the_axis_resists_no_rotation():
    model = Model("m")
    model.revolute("a", model.ground, model.body("bob", 1.0, (0, 0, 1)), axis="z")
    assert "joint 'a': the mass matrix is singular" in sentences(model, "error")[0]
    model = Model("m")
    model.revolute("a", model.ground, model.body("bob", 1.0, (0, 0, 1)), axis="y")
    assert model.findings() == ()


def test_a_slender_rod_on_a_ball_joint():
    model = Model("m")
    model.spherical("s", model.ground, model.body("rod", 1.0, (0.5, 0, 0), (0, 0.1, 0.1)))
    assert "joint 's': the mass matrix is singular" in sentences(model, "error")[0]


def test_joints_that_undo_each_other():
    model = Model("m")
    model.revolute("a", model.ground, model.body("ring"), axis="z")
    model.revolute("b", "ring", model.body("end", 1.0, (0.3, 0, 0), (1, 1, 1)), axis="z")
    (said,) = sentences(model, "error")
    assert said == (
        "joint 'a': the mass matrix is singular: the joints it carries can undo its motion without "
        "moving any mass; give body 'ring' mass or inertia, or fix the joint."
    )


def test_a_fixed_leaf_needs_no_mass(pendulum):
    pendulum.fixed("weld", "lower", pendulum.body("frame"))
    assert pendulum.findings() == ()


def test_a_massless_free_body():
    model = Model("m")
    model.free("f", model.ground, model.body("a"))
    assert len(sentences(model, "error")) == 1


def test_child_points_and_rotations_are_respected():
    model = Model("m")
    a = model.body("a", 1.0, (0, 0, 1))
    model.revolute("q", model.ground, a.point("p", (0, 0, 0), [[0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    assert model.findings() == ()  # z of the point is x of the body, so the mass is off the axis


def test_a_parameter_that_is_zero_only_warns():
    model = Model("m")
    mass = model.parameter("mL", 0.0, "kg")
    model.revolute("q", model.ground, model.body("load", mass, (1, 0, 0)))
    assert sentences(model, "error") == []
    with pytest.warns(ModelWarning, match="joint 'q': the mass matrix is singular for the default"):
        model.check()


@pytest.mark.parametrize("count", [1, 60])
def test_regular_chains_have_no_false_alarm(count):
    model = Model("m")
    place = model.ground
    rng = np.random.default_rng(1)
    for i in range(count):
        body = model.body(f"b{i}", 0.1 + rng.random(), rng.normal(size=3) * 0.2, (1e-6, 1e-6, 1e-6))
        model.revolute(f"j{i}", place, body, axis=rng.normal(size=3))
        place = body.point("end", rng.normal(size=3))
    assert model.findings() == ()


def test_triangle_inequality_warns_by_default(pendulum):
    pendulum.revolute("q", "lower", pendulum.body("disc", 1, (0, 0, 0), (0.1, 0.2, 0.4)))
    with pytest.warns(ModelWarning) as caught:
        pendulum.check()
    assert str(caught[0].message) == (
        "body 'disc': its inertia violates the triangle inequality: principal moments "
        "0.1 + 0.2 < 0.4 kg.m2; correct the moments, or say physical=False for an effective "
        "inertia."
    )


def test_triangle_inequality_can_be_an_error_or_nothing(pendulum):
    pendulum.revolute("q", "lower", pendulum.body("disc", 1, (0, 0, 0), (0.1, 0.2, 0.4)))
    with pytest.raises(ModelError, match="body 'disc': its inertia violates the triangle"):
        pendulum.check(inertia="error")
    assert pendulum.check(inertia="ignore") == ()
    with pytest.raises(
        ModelError, match="'loud' is not a valid choice; use 'warn', 'error' or 'ignore'"
    ):
        pendulum.check(inertia="loud")


def test_an_effective_inertia_is_not_questioned(pendulum):
    disc = pendulum.body("disc", 1, inertia=(0, 0, 0.4), physical=False)
    pendulum.revolute("q", "lower", disc)
    assert pendulum.findings() == ()


@pytest.mark.parametrize(
    ("mass", "inertia", "words"),
    [
        (1, (0.1, 0.1, 0.1, 0.5, 0, 0), "its inertia has a negative principal moment -0.4 kg.m2"),
        (-1, (0.1, 0.1, 0.1), "its mass -1 is negative; give a positive mass"),
    ],
)
def test_impossible_bodies(pendulum, mass, inertia, words):
    pendulum.fixed("q", "lower", pendulum.body("odd", mass, (0, 0, 0), inertia))
    assert any(f"body 'odd': {words}" in s for s in sentences(pendulum, "warning"))


@pytest.mark.parametrize("inertia", [(0, 0.0833, 0.0833), (1.0, 1.0, 2.0), (0, 0, 0)])
def test_limits_of_the_triangle_inequality_are_fine(pendulum, inertia):
    pendulum.fixed("q", "lower", pendulum.body("odd", 1, (0, 0, 0), inertia))
    assert pendulum.findings() == ()


def test_coordinates_of_the_same_name(pendulum):
    pendulum.cylindrical("a", "lower", pendulum.body("b", 1, (1, 0, 0), (1, 1, 1)))
    pendulum.revolute("a_1", "b", pendulum.body("c", 1, (1, 0, 0), (1, 1, 1)))
    (said,) = sentences(pendulum, "error")
    assert said == (
        "joint 'a_1': its coordinate 'a_1' has the name of one of joint 'a'; "
        "rename one of the joints."
    )


def test_a_coordinate_named_as_a_parameter(pendulum):
    pendulum.parameter("elbow", 1.0)
    pendulum.parameter("qd_shoulder", 1.0)
    first, second = sentences(pendulum, "error")
    assert first == (
        "joint 'shoulder': its coordinate 'shoulder' meets the parameter 'qd_shoulder'; "
        "rename the joint or the parameter."
    )
    assert second.startswith("joint 'elbow': its coordinate 'elbow' meets the parameter 'elbow'")


def test_mimics(pendulum):
    hand = pendulum.body("hand", 1, (0.1, 0, 0), (1, 1, 1))
    pendulum.revolute("wrist", "lower", hand, mimic=("elbw", 1, 0))
    assert sentences(pendulum, "error") == [
        "joint 'wrist' mimic: there is no joint 'elbw'; did you mean 'elbow'?"
    ]


def test_a_mimic_of_itself(pendulum):
    hand = pendulum.body("hand", 1, (0.1, 0, 0), (1, 1, 1))
    pendulum.revolute("wrist", "lower", hand, mimic=("wrist", 1, 0))
    assert (
        "joint 'wrist' mimic: joint 'wrist' cannot be followed" in sentences(pendulum, "error")[0]
    )


def test_a_follower_has_no_coordinate_of_its_own(pendulum):
    hand, finger = (pendulum.body(n, 1, (0.1, 0, 0), (1, 1, 1)) for n in ("hand", "finger"))
    pendulum.revolute("wrist", "lower", hand, mimic=("elbow", 2, 0.1))
    pendulum.revolute("knuckle", hand, finger, mimic=("wrist", -3, 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pendulum.check() == ()
    assert pendulum.coordinates == ["shoulder", "elbow"]
    tree = pendulum.tree()
    assert tree.ratio == (1, 1, 1, 2, -6)
    assert tree.offset == pytest.approx((0, 0, 0, 0.1, 0.2))
    assert tree.q_start[2:] == (1, 1, 1)


def test_crossed_limits(pendulum):
    hand = pendulum.body("hand", 1, (0.1, 0, 0), (1, 1, 1))
    pendulum.revolute("wrist", "lower", hand, limits=(1, -1))
    assert sentences(pendulum, "warning") == [
        "joint 'wrist': its lower limit 1.0 is above the upper one -1.0; swap them."
    ]


def test_a_start_quaternion_of_wrong_length(pendulum):
    ball = pendulum.body("ball", 1, (0, 0, 0), (1, 1, 1))
    pendulum.spherical("s", "lower", ball, initial=(2, 0, 0, 0))
    assert sentences(pendulum, "error") == [
        "joint 's' initial: its quaternion has length 2; give a unit quaternion w, x, y, z."
    ]


def test_an_expression_without_value():
    model = Model("m")
    a = model.parameter("a", -1.0)
    model.revolute("q", model.ground, model.body("b", log(a), (1, 0, 0), (1, 1, 1)))
    with np.errstate(invalid="ignore"):
        assert sentences(model, "error") == [
            "'b.mass': its expression gives nan; change the parameters or the expression."
        ]


def test_a_model_in_which_nothing_moves():
    with pytest.warns(ModelWarning, match="model 'm': nothing can move; add a joint"):
        Model("m").check()


def test_all_errors_at_once(pendulum):
    pendulum.body("lost")
    pendulum.parameter("elbow", 1.0)
    with pytest.raises(ModelError) as caught:
        pendulum.check()
    assert len(str(caught.value).splitlines()) == 2
    assert len(caught.value.parts) == 2


def test_negative_inertia_is_told_from_none() -> None:
    model = kt.Model("m")
    arm = model.body("arm", mass=1.0, com=(0.5, 0, 0))
    model.revolute("shoulder", model.ground, arm)
    odd = model.body("odd", mass=-3, com=(1, 0, 0), inertia=(1, 1, 1))
    model.revolute("j", arm.point("tip", (0.1, 0, 0)), odd)
    with pytest.raises(ModelError) as caught:
        kt.derive(model, "forward")
    said = str(caught.value)
    assert "body 'odd': its mass -3 kg is negative and leaves -2 kg.m2 against the motion" in said
    assert "joint 'j'" in said
    assert "give a positive mass" in said
    assert "have no inertia" not in said


def test_a_negative_moment_of_inertia_is_told_by_its_value() -> None:
    model = kt.Model("m")
    wheel = model.body("wheel", mass=1.0, inertia=(1, 1, -0.5), physical=False)
    model.revolute("spin", model.ground, wheel, axis="z")
    said = "body 'wheel': its inertia leaves -0.5 kg.m2 against the motion of joint 'spin'"
    with pytest.raises(ModelError, match=said):
        kt.simulate(model, 0.1)


def test_negative_mass_on_a_slide() -> None:
    model = kt.Model("m")
    model.prismatic("x", model.ground, model.body("b", mass=-2.0, physical=False))
    with pytest.raises(
        ModelError, match=r"body 'b': its mass -2 kg is negative and leaves -2 kg ag"
    ):
        kt.simulate(model, 0.1)


def test_what_is_singular_for_folded_values_is_an_error_in_words() -> None:
    model = kt.Model("light", gravity=(0, 0, -9.81))
    mass = model.parameter("load", 0.0, "kg")
    arm = model.body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("turn", model.ground, arm, axis="z")
    model.prismatic("slide", arm.point("rail", (1, 0, 0)), model.body("load", mass=mass), axis="x")
    with pytest.raises(ModelError, match="joint 'slide': the mass matrix is singular"):
        kt.derive(model, "forward", parameters="folded")
    with pytest.warns(ModelWarning, match="singular for the default parameters"):
        kt.derive(model, "forward")


@pytest.mark.parametrize("loops", ["multipliers", "projection"])
def test_what_has_no_inertia_in_the_open_tree_is_named_where_that_matters(loops: str) -> None:
    model = kt.Model("four_bar", gravity=(0, -9.81, 0))
    crank = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    coupler = model.body("coupler")
    rocker = model.body("rocker", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("q1", model.ground, crank, axis="z", initial=1.0)
    model.revolute("q2", crank.point("tip", (1, 0, 0)), coupler, axis="z")
    model.revolute("q3", model.ground.point("far", (2, 0, 0)), rocker, axis="z", initial=1.2)
    model.close_ball("pin", coupler.point("end", (2, 0, 0)), rocker.point("tip", (1.5, 0, 0)))
    kt.derive(model, "forward")
    with pytest.raises(ModelError, match=r"joint 'q2': of the open tree.*take loops='explicit'"):
        kt.derive(model, "forward", loops=loops)


def test_a_mass_on_the_axis_of_its_joint_is_told_so() -> None:
    model = kt.Model("top")
    parameter = model.parameter("m", 2.0)
    for mass in (1, parameter):
        arm = model.body(f"arm{len(model.bodies)}", mass=mass)
        model.revolute(arm.name, model.ground, arm)
    assert len(model.findings()) == 2
    for row in model.findings():
        assert "an inertia, or a centre of mass beside the axis, or fix the joint" in str(row)
