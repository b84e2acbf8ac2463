"""The parameter table: which scalars become run-time parameters, under which names."""

from __future__ import annotations

import pytest

from kinetree.engine import ONE, ZERO, symbol
from kinetree.errors import DuplicateNameError, UnknownNameError
from kinetree.model import Model, parameter_table


@pytest.fixture
def crank():
    model = Model("m", gravity=(0, -9.81, 0))
    length = model.parameter("L", 2.0, "m")
    body = model.body("crank", 1.0, (length / 2, 0, 0.1), (0, 0.5, 0.6, 0.01, 0, 0))
    model.screw("thread", body.point("tip", (length, 0.3, 0)), model.body("nut", 3), pitch=0.25)
    model.revolute("q", model.ground, body)
    return model


def test_names_values_units_in_model_order(crank):
    rows = [(row.name, row.value, row.unit) for row in parameter_table(crank).rows]
    assert rows == [
        ("L", 2.0, "m"),
        ("gravity_y", -9.81, "m/s2"),
        ("crank.com_z", 0.1, "m"),
        ("crank.inertia_yy", 0.5, "kg.m2"),
        ("crank.inertia_zz", 0.6, "kg.m2"),
        ("crank.inertia_xy", 0.01, "kg.m2"),
        ("crank.tip_y", 0.3, "m"),
        ("nut.mass", 3.0, "kg"),
        ("thread.pitch", 0.25, "m/rad"),
    ]


def test_zeros_and_ones_are_folded(crank):
    table = parameter_table(crank)
    body = crank.bodies["crank"]
    assert table.mass(body) is ONE
    assert table.com(body)[1] is ZERO
    assert table.inertia(body)[0] is ZERO
    assert table.position(body.origin) == (ZERO, ZERO, ZERO)


def test_expressions_stay_and_have_values(crank):
    table = parameter_table(crank)
    body = crank.bodies["crank"]
    length = crank.parameters["L"].symbol
    assert table.com(body)[0] is length / 2
    assert table.values["crank.com_x"] == 1.0
    assert table.position(body.points["tip"])[0] is length
    assert table.pitch(crank.joints["thread"]).name == "thread.pitch"
    assert table.gravity[1].name == "gravity_y"
    assert dict(zip(table.names, table.defaults, strict=True))["L"] == 2.0
    assert len(table.symbols) == len(table.units) == len(table.rows)


def test_named_parameters_stay_symbols_even_at_zero():
    model = Model("m")
    mass = model.parameter("mL", 0.0, "kg")
    body = model.body("load", mass)
    assert parameter_table(model).mass(body) is mass


def test_folded_makes_all_of_them_numbers(crank):
    table = parameter_table(crank, folded=True)
    assert table.rows == ()
    assert all(node.is_number for node in table.nodes.values())
    assert float(table.nodes["crank.com_x"].value) == 1.0
    assert table.nodes["thread.pitch"].value == 0.25
    assert table.values == parameter_table(crank).values


def test_symbols_of_no_parameter_are_refused():
    model = Model("m")
    model.parameter("length", 1.0)
    model.body("a", mass=symbol("lenght") * 2)
    with pytest.raises(UnknownNameError) as caught:
        parameter_table(model)
    assert str(caught.value) == ("'a.mass': there is no parameter 'lenght'; did you mean 'length'?")


def test_two_scalars_of_one_name_are_refused():
    model = Model("m")
    model.body("a", 2.0).point("com", (1, 2, 3))
    with pytest.raises(DuplicateNameError, match=r"parameter 'a.com_x': two scalars of the model"):
        parameter_table(model)


def test_a_named_parameter_cannot_hide_a_scalar():
    model = Model("m")
    model.parameter("a.mass", 3.0)
    model.body("a", 2.0)
    with pytest.raises(DuplicateNameError, match="rename the named parameter or the point"):
        parameter_table(model)
