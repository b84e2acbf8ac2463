"""Programs as bytes: what comes back is the same Program, in this process and in another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests import mechanisms, zoo

import kinetree as kt
from kinetree import engine as en
from kinetree.program.packing import pack, unpack
from kinetree.targets.digest import digest

CHILD = """
import pathlib, sys
from kinetree.program.packing import unpack
from kinetree.targets.digest import digest
program = unpack(pathlib.Path(sys.argv[1]).read_bytes())
print(digest(program), program.show())
"""


def looked_up() -> kt.Model:
    """A spring whose force is a table."""
    model = kt.Model("looked_up")
    model.prismatic("x", model.ground, model.body("mass", mass=1.0), axis="x")
    data = kt.functions.Table((-1.0, 0.0, 1.0), (-3.0, 0.0, 5.0), (3.0, 4.0, 5.0), "spring")
    model.joint_law("spring", "x", lambda q: -kt.functions.table(q["x"], data))
    return model


MODELS = {
    "tree": zoo.every_kind,
    "closed": mechanisms.four_bar,
    "table": looked_up,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_program_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    program = kt.derive(MODELS[name](), "forward")
    data = pack(program)
    again = unpack(data)
    assert again.show() == program.show()
    assert again.info == program.info
    assert again.inputs == program.inputs
    assert [a.nodes for a in again.outputs] == [b.nodes for b in program.outputs]
    file = tmp_path / "program"
    file.write_bytes(data)
    said = subprocess.run(
        [sys.executable, "-c", CHILD, str(file)], capture_output=True, text=True, check=True
    ).stdout
    assert said.strip() == f"{digest(program)} {program.show()}".strip()


def test_nodes_are_those_of_this_process() -> None:
    x = en.symbol("x", en.Rank.COORDINATE)
    node = en.sin(2 * x) + 3 * x**2 / 7
    assert unpack(pack({"node": node, "more": [node, x]})) == {"node": node, "more": [node, x]}


def test_numbers_keep_their_kind() -> None:
    nodes = [en.number(value) for value in (1, 0.1, -2.5e-300)] + [en.number(1) / 3]
    again = unpack(pack(nodes))
    assert all(a is b for a, b in zip(again, nodes, strict=True))
    assert [type(node.value) for node in again] == [type(node.value) for node in nodes]
    assert np.isfinite([float(node.value) for node in again]).all()
