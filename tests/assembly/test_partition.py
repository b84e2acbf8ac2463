"""Assembly and partition: mobility, redundancy, singular places, loops that cannot close."""

from __future__ import annotations

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import AT_STATES, FORMALISM, IDENTITY, ROUNDING
from tests.closed import CLOSED

import kinetree as kt
from kinetree.engine import cos, sin, sqrt
from kinetree.errors import AssemblyError, ModelError, PartitionError, ShapeError, UnknownNameError


def test_assembly_keeps_the_independent_and_moves_the_rest() -> None:
    model = mechanisms.slider_crank()
    found = kt.assemble(model, independent=["q1"])
    assert found.q[0] == 0.5
    assert found.moved == ("q2", "q3")
    assert np.sin(0.5) + 2 * np.sin(0.5 + found.q[1]) == pytest.approx(0, abs=IDENTITY)
    assert found.gap < ROUNDING


def test_a_closed_start_is_left_alone() -> None:
    model = mechanisms.n_four_bar(3)
    found = kt.assemble(model)
    assert found.steps <= 1
    assert found.q == pytest.approx(model.initial(), abs=IDENTITY)


@pytest.mark.parametrize("name", [n for n in CLOSED if n not in {"law", "rate"}])
def test_every_kind_of_closure_is_assembled(name: str) -> None:
    found = kt.assemble(CLOSED[name]())
    assert found.gap < FORMALISM


def test_driven_coordinates_stand_at_their_law() -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.3 + sin(t))
    found = kt.partition(model, t=0.4)
    assert found.q[0] == pytest.approx(0.3 + np.sin(0.4))
    assert found.driven == ("q1",)
    assert (found.mobility, found.independent) == (0, ())


@pytest.mark.parametrize("n", [1, 5])
def test_mobility_of_planar_loops(n: int) -> None:
    found = kt.partition(mechanisms.n_four_bar(n))
    assert (found.mobility, found.structural_mobility, found.rank) == (1, 1, 2 * n)
    assert found.dropped == tuple(f"pin{i}.z" for i in range(n))
    assert not found.redundant


def test_a_hinge_in_a_planar_loop_repeats_nothing_that_is_not_trivial() -> None:
    found = kt.partition(mechanisms.four_bar("revolute"))
    assert found.dropped == ("pin.z", "pin.turn_x", "pin.turn_y")
    assert found.mobility == 1


def test_bricard_has_one_redundant_equation() -> None:
    found = kt.partition(mechanisms.bricard())
    assert (found.structural_mobility, found.mobility) == (0, 1)
    assert len(found.redundant) == 1
    assert not found.singular
    ((label, others),) = found.redundant.items()
    assert label.startswith("j6.")
    assert set(others) <= set(found.equations)


def test_a_second_closure_of_the_same_loop_is_told_by_name() -> None:
    model = mechanisms.four_bar()
    top, right = model.bodies["top"], model.bodies["right"]
    model.close_rod("again", top.point("far", (3, 0, 0)), right.points["tip"], 1.0)
    found = kt.partition(model)
    ((label, others),) = found.redundant.items()
    assert "again.length" in {label, *others}
    assert {name.partition(".")[0] for name in (label, *others)} == {"pin", "again"}
    assert found.mobility == 1


def test_flat_parallelogram_is_singular() -> None:
    model = mechanisms.four_bar()
    found = kt.partition(model, [0.0, 0.0, 0.0])
    assert found.singular
    assert (found.rank, found.mobility) == (1, 2)


def test_rolling_takes_velocities_only() -> None:
    found = kt.partition(mechanisms.rolling_ball())
    assert found.q[6] == pytest.approx(0.3)
    assert found.mobility == 3
    assert len(found.dependent) == 1
    assert len(found.rate_dependent) == 2
    assert set(found.rate_dependent) <= set(found.independent)


def test_a_choice_is_honoured() -> None:
    for name in ("q1", "q2", "q3"):
        found = kt.partition(mechanisms.slider_crank(), independent=[name])
        assert found.independent == (name,)


def test_an_irregular_choice_is_refused_with_the_cure() -> None:
    model = mechanisms.n_four_bar(1)
    model.revolute("free", model.ground, model.body("fly", inertia=(1, 1, 1)))
    with pytest.raises(PartitionError, match=r"independent: 1 of 2 .* let 'u0' be dependent"):
        kt.partition(model, independent=["u0", "u1"])


def test_a_loop_that_cannot_close_is_named_with_its_gap() -> None:
    model = mechanisms.slider_crank(rod=0.2)
    with pytest.raises(
        AssemblyError, match=r"closure 'pin': the loop does not close, y is 0\.2\d* m"
    ):
        kt.assemble(model, independent=["q1"])
    far = mechanisms.four_bar()
    far.close_rod("bar", far.bodies["left"], far.bodies["right"].points["tip"], 9.0)
    with pytest.raises(AssemblyError, match="closure 'bar': the loop does not close, length is"):
        kt.assemble(far)


def test_a_stretched_start_is_left_behind() -> None:
    model = mechanisms.slider_crank(q1=0.0, q2=0.0, q3=1.7)
    assert kt.assemble(model).gap < FORMALISM


def test_bad_arguments_are_named() -> None:
    model = mechanisms.slider_crank()
    with pytest.raises(UnknownNameError, match="there is no coordinate 'q7'"):
        kt.partition(model, independent=["q7"])
    with pytest.raises(ShapeError, match="it must be 3 finite numbers"):
        kt.assemble(model, [0.0, 0.0])


def hinge(angle: float) -> kt.Model:
    """A free body to be hinged to the ground about z, started at a turn about x."""
    model = kt.Model("hinge")
    body = model.body("door", mass=1.0, inertia=(1, 1, 1))
    e = (np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0)
    model.free("float", model.ground, body, initial=(*e, 0.1, 0.2, 0.3))
    model.close_revolute("hinge", body, model.ground)
    return model


@pytest.mark.parametrize("angle", [0.8, 2.0, 3.0])
def test_a_hinge_closes_with_its_axes_parallel(angle: float) -> None:
    found = kt.partition(hinge(angle))
    assert found.mobility == 1
    assert found.q[1:3] == pytest.approx([0, 0], abs=AT_STATES)


def test_a_hinge_that_closes_the_wrong_way_round_is_refused() -> None:
    model = kt.Model("hinge")
    body = model.body("door", mass=1.0, inertia=(1, 1, 1))
    model.sequence("slide", model.ground, body, "T1 T2 T3")
    over = body.point("over", rotation=((1, 0, 0), (0, -1, 0), (0, 0, -1)))
    model.close_revolute("hinge", over, model.ground)
    with pytest.raises(AssemblyError, match=r"closure 'hinge': .* opposite each other"):
        kt.assemble(model)


def test_a_coordinate_is_not_coupled_with_itself() -> None:
    with pytest.raises(ModelError, match="couples the coordinate 'q1' with itself"):
        mechanisms.slider_crank().couple("gear", "q1", "q1", 2)


def test_a_curve_may_be_given_by_its_arc() -> None:
    model = kt.Model("helix")
    bead, arc = model.body("bead", mass=1.0), model.body("arc")
    model.sequence("place", model.ground, bead, "T1 T2 T3", initial=(1.0, 0.3, 0.2))
    model.prismatic("s", model.ground, arc, initial=0.5)
    model.close_curve(
        "wire", bead, model.ground,
        lambda x, y, z, q: (x - cos(q["s"]), y - sin(q["s"]), z - 0.1 * q["s"]),
    )  # fmt: skip
    found = kt.partition(model, independent=["s"])
    assert found.mobility == 1
    assert found.q == pytest.approx([np.cos(0.5), np.sin(0.5), 0.05, 0.5])


def test_a_tree_has_nothing_to_close() -> None:
    model = kt.Model("pendulum")
    model.revolute("q", model.ground, model.body("bob", mass=1.0, com=(1, 0, 0)), initial=0.4)
    found = kt.partition(model)
    assert (found.independent, found.mobility, found.rank) == (("q",), 1, 0)
    assert found.q == pytest.approx([0.4])


def test_everything_driven_leaves_nothing_to_move() -> None:
    model = mechanisms.slider_crank()
    for name in ("q1", "q2", "q3"):
        model.drive(name)
    with pytest.raises(AssemblyError, match="closure 'pin': the loop does not close"):
        kt.assemble(model)


def test_a_law_without_a_value_is_named() -> None:
    model = mechanisms.slider_crank()
    model.constrain("root", lambda q: sqrt(q["q2"]) - 1)
    with pytest.raises(AssemblyError, match="closure 'root': law has no value or no slope"):
        kt.assemble(model)


def test_other_lengths_close_other_loops() -> None:
    model, longer = mechanisms.slider_crank(), {"rod.end_x": 2.5}
    place = np.cos(0.5) + np.sqrt(2.5**2 - np.sin(0.5) ** 2)
    assert kt.assemble(model, independent=["q1"], parameters=longer).q[2] == pytest.approx(place)
    found = kt.partition(model, independent=["q1"], parameters=longer)
    assert found.q[2] == pytest.approx(place)
    with pytest.raises(AssemblyError, match="closure 'pin'"):
        kt.assemble(model, independent=["q1"], parameters={"rod.end_x": 0.2})
    with pytest.raises(UnknownNameError, match=r"did you mean 'rod\.end_x'"):
        kt.assemble(model, parameters={"rod.endx": 2.0})


def test_drives_take_other_values_too() -> None:
    model = mechanisms.slider_crank()
    speed = model.parameter("speed", 1.0)
    model.drive("q1", lambda t: speed * t)
    found = kt.assemble(model, t=0.25, parameters={"speed": 2.0})
    assert found.q[0] == pytest.approx(0.5)
