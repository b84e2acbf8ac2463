"""Units at the border: turned into SI, refused where unknown, saved as they were written."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.approx import IDENTITY, assert_close

import kinetree as kt
from kinetree.errors import ModelError
from kinetree.units import DERIVED, KNOWN, exponents, read, to_si

TURNED = [
    (500, "mm", 0.5, "m"),
    (3, "cm", 0.03, "m"),
    (2, "km", 2000.0, "m"),
    (180, "deg", math.pi, "rad"),
    (180, "°", math.pi, "rad"),
    (250, "g", 0.25, "kg"),
    (1.5, "t", 1500.0, "kg"),
    (3, "kN", 3000.0, "N"),
    (20, "N.mm", 0.02, "N.m"),
    (60, "rpm", 2 * math.pi, "rad/s"),
    (2, "bar", 2e5, "Pa"),
    (210, "GPa", 2.1e11, "Pa"),
    (5, "min", 300.0, "s"),
    (0.5, "h", 1800.0, "s"),
    (36, "km/h", 10.0, "m/s"),
    (2, "N.m/deg", 360 / math.pi, "N.m/rad"),
    (4, "kN/mm", 4e6, "N/m"),
    (7, "kN.s/m", 7000.0, "N.s/m"),
    (3, "g.cm2", 3e-7, "kg.m2"),
    (3, "g cm²", 3e-7, "kg.m2"),
    (9.81, "m/s^2", 9.81, "m/s^2"),
    (9.81, "m.s-2", 9.81, "m.s-2"),
    (1, "mm/s2", 1e-3, "m/s2"),
    (3, "1/min", 0.05, "1/s"),
    (2, "l/min", 2e-3 / 60, "m3/s"),
    (12, "in", 0.3048, "m"),
    (1, "psi", 6894.757293168361, "Pa"),
    (5, "%", 0.05, "1"),
    (5, "mm/m", 0.005, "1"),
    (2, "N/(mm.s)", 2000.0, "N/m/s"),
    (1.25, "kg.m2", 1.25, "kg.m2"),
    (1.25, "", 1.25, ""),
    (1.25, "1", 1.25, "1"),
]


@pytest.mark.parametrize(("value", "unit", "si", "name"), TURNED)
def test_values_become_si(value: float, unit: str, si: float, name: str) -> None:
    found, own = to_si(value, unit, "x")
    assert_close(found, si, IDENTITY)
    assert own == name


@pytest.mark.parametrize("unit", KNOWN)
def test_what_is_proposed_can_be_read_and_its_si_unit_is_of_the_same_kind(unit: str) -> None:
    found = read(unit)
    assert not isinstance(found, str)
    again = read(found.si)
    assert not isinstance(again, str)
    assert (again.size, again.exponents) == (1, found.exponents)


def test_derived_units_in_base_units() -> None:
    assert exponents("N.m/rad") == {"kg": 1, "m": 2, "s": -2, "rad": -1}
    assert exponents("mm") is None
    assert all(exponents(name) == row for name, row in DERIVED.items())


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("furlong", "'furlong' is not a valid unit"),
        ("kNm", "'kNm' is not a valid unit; did you mean 'kN.m'"),
        ("mm/sec", "'sec' is not a valid unit"),
        ("Mpa", "did you mean 'MPa'"),
        ("degree", "did you mean 'deg'"),
        ("m2.5", "'5' is not a valid unit"),
        ("<b>", "'<b>' is not a valid unit"),
        ("m" * 3000, "is not a valid unit"),
    ],
)
def test_others_are_refused_with_the_nearest(unit: str, said: str) -> None:
    model = kt.Model("m")
    for add in (model.parameter, lambda name, value, unit: model.state(name, value, None, unit)):
        with pytest.raises(ModelError, match=said):
            add("L", 500, unit=unit)


def pendulum(tmp_path: Any, length: str, initial: str) -> Any:
    path = tmp_path / "p.yaml"
    path.write_text(
        f"name: p\nparameters: {{L: {length}}}\nbodies: {{b: {{mass: 2, com: [0, 0, -L]}}}}\n"
        "joints: {j: {kind: revolute, parent: ground, child: b, axis: y, "
        f"initial: {initial}}}}}\n"
        "states: {p: {initial: 3, unit: bar, rate: 0}}\n"
    )
    return path


def test_a_pendulum_of_500_mm_swings_as_one_of_half_a_metre(tmp_path: Any) -> None:
    first = kt.load(pendulum(tmp_path, "{value: 500, unit: mm}", "30 deg"))
    second = kt.load(pendulum(tmp_path, "{value: 0.5, unit: m}", f"[{math.pi / 6!r}]"))
    assert first.content_hash() == second.content_hash()
    assert first.states["p"].initial == 3e5
    runs = [kt.simulate(model, 1.0).q.values for model in (first, second)]
    assert (runs[0] == runs[1]).all()
    row = kt.derive(first, "forward").input("p")
    assert row.units[row.labels.index("L")] == "m"


def test_what_was_written_survives_saving(tmp_path: Any) -> None:
    model = kt.load(pendulum(tmp_path, "{value: 500, unit: mm}", "30 deg"))
    kt.save(model, tmp_path / "again.yaml")
    text = (tmp_path / "again.yaml").read_text()
    assert "value: 500" in text
    assert "unit: mm" in text
    assert "initial: 30 deg" in text
    assert "unit: bar" in text
    assert kt.load(tmp_path / "again.yaml").content_hash() == model.content_hash()


@pytest.mark.parametrize(
    ("initial", "said"),
    [
        ("30 mm", r"joint 'j' initial.*'30 mm' is given where the unit is rad"),
        ("thirty deg", r"joint 'j' initial.*'thirty deg' is not a number with a unit"),
        ("30 dgr", r"joint 'j' initial.*'dgr' is not a valid unit.*'deg'"),
    ],
)
def test_wrong_starts_are_refused(tmp_path: Any, initial: str, said: str) -> None:
    with pytest.raises(kt.errors.KinetreeError, match=said):
        kt.load(pendulum(tmp_path, "0.5", initial))


def test_starts_in_python_and_of_several_coordinates() -> None:
    model = kt.Model("m")
    model.cylindrical("c", model.ground, model.body("b", 1.0), initial=("50 mm", "90 deg"))
    assert_close(model.initial(), [0.05, math.pi / 2], IDENTITY)
