"""Notes as a table of a module: every name gets its note, its number and its body."""

from __future__ import annotations

import pytest

from kinetree.engine import Node, symbol
from kinetree.program import Note, Scheme
from kinetree.program.notes import Naming, notes

TABLE = notes("""
    w wp | angular velocity | LuhWalkerPaul1980 eq. (1) | rad/s | link
    I    | inertia about joint {}
    parent | inertia | | | parent
""")
A, B = (symbol(name) for name in "ab")


def written(scheme: Scheme) -> dict[str, Note]:
    return {row.target.name: row.note for row in scheme.assignments()}


def test_names_of_one_row_share_a_note() -> None:
    assert TABLE["w"] is TABLE["wp"]
    assert TABLE["w"] == Note("", "angular velocity", "LuhWalkerPaul1980 eq. (1)", "rad/s", "link")
    assert TABLE["I"] == Note("", "inertia about joint {}")


def test_a_value_of_any_shape_is_named_by_component() -> None:
    scheme = Scheme("s")
    let = Naming(scheme, TABLE, "arm", 3)
    x, y, z = A + B, A - B, A * B
    let("w", x)
    let("w", (x + 1, y + 1, z + 1), at="4")
    let("I", (x + 2, y + 2, z + 2, x + 3, y + 3, z + 3))
    let("wp", ((x + 4, y, z), (x + 5, y + 5, z + 5), (x, x + 6, x + 7)))
    names = ["w3", "w4_x", "w4_y", "w4_z", "I3_xx", "I3_yy", "I3_zz", "I3_xy", "I3_xz", "I3_yz"]
    names += ["wp3_11", "wp3_12", "wp3_13", "wp3_21", "wp3_22", "wp3_23", "wp3_32", "wp3_33"]
    assert list(written(scheme)) == names  # 31 is 11 again: equal values have one name


def test_a_note_knows_its_body_and_detail_and_may_be_that_of_another_row() -> None:
    scheme = Scheme("s")
    let = Naming(scheme, TABLE, "arm", 3, before="left_", detail=7)
    let("I", A + B)
    let("I", A - B, "p", row="parent")
    assert written(scheme) == {
        "left_I3": Note("arm", "inertia about joint 7"),
        "left_I3p": Note("arm", "inertia", frame="parent"),
    }


def test_a_name_that_the_table_lacks_is_an_error() -> None:
    let = Naming(Scheme("s"), TABLE)
    value: Node = A + B
    with pytest.raises(KeyError, match="force"):
        let("force", value)
