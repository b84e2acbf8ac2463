"""Numbers of forces whose sign is never meant are refused by name, over the whole table."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.forces.pushed import free_model

import kinetree as kt
from kinetree.forces import ALL
from kinetree.forces.checks.signs import EITHER, NOT_NEGATIVE, POSITIVE, TOUCHING, touches
from kinetree.model import ForceKind

NUMBERS = [
    (kind, name) for kind in ALL for name in kind.scalars if name not in kind.belongings.positive
]
"""Those that `Model.check` looks at apart."""


def wrong_values(kind: ForceKind, name: str) -> tuple[float, ...]:
    """What an argument may never be."""
    if name in POSITIVE:
        return (0, 0.0, -0.3)
    never = name in NOT_NEGATIVE or (name in TOUCHING and touches(kind))
    return (-0.3, -1) if never else ()


def test_every_number_of_every_force_has_a_sign_on_the_page() -> None:
    known = [POSITIVE, NOT_NEGATIVE, TOUCHING, EITHER]
    names = {name for kind in ALL for name in (*kind.scalars, *kind.vectors)}
    assert {name: sum(name in row for row in known) for name in names} == dict.fromkeys(names, 1)


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda x: getattr(x, "name", x))
def test_signs_that_are_never_meant_are_refused(kind: ForceKind, name: str) -> None:
    for value in wrong_values(kind, name):
        given: dict[str, Any] = {**kind.options, **dict.fromkeys(kind.scalars, 1.0), name: value}
        assert kind.check is not None
        with pytest.raises(kt.errors.ModelError, match=f"force 'f': its {name} is {value}; give"):
            kind.check(given, "force 'f'")


@pytest.mark.parametrize("kind", ["contact_sphere", "contact_wheel"])
@pytest.mark.parametrize(
    ("name", "value"),
    [("friction", -0.3), ("slip_speed", 0.0), ("rolling_resistance", -0.1), ("damping", -5.0)],
)
def test_contacts_that_would_drive_are_refused(kind: str, name: str, value: float) -> None:
    model = free_model()
    given = {"radius": 0.3, "stiffness": 1e5, name: value}
    with pytest.raises(kt.errors.ModelError, match=f"force 'c': its {name} is {value}"):
        model.force(kind, "c", ("wheel", model.ground), given)


def test_springs_and_dampers_may_have_either_sign() -> None:
    model = free_model()
    model.force("link", "l", ("wheel", model.ground), {"stiffness": -10.0, "damping": -1.0})
    assert "l" in model.forces
