"""Equations by element: as the Program has them, from a process that may be ended."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import MODELS, Studio, copy_model, ended, running_studio

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.program.notes import elements_of
from kinetree.studio.helper import HelperProcess
from kinetree.studio.panes.equations import equations, quantities, shares, symbol

QUARTER = (MODELS / "quarter_car.yaml").read_text(encoding="utf-8")


def every_row(path: str, of: str = "forward", formalism: str = "") -> list[Any]:
    rows: list[Any] = []
    first = equations(QUARTER, path, of, formalism)
    for page in range(first.pages):
        rows += equations(QUARTER, path, of, formalism, page).rows
    return rows


@pytest.mark.parametrize(("of", "formalism"), [("forward", ""), ("inverse", "newton_euler"),
                                               ("kinematics", ""), ("mass_bias", "")])  # fmt: skip
def test_numbers_are_those_of_the_program(of: str, formalism: str) -> None:
    program = kt.derive(kt.load(MODELS / "quarter_car.yaml"), of, formalism or None)
    found = equations(QUARTER, "", of, formalism)
    assert found.total == found.owned == len(program.all_blocks)
    assert found.operations[0] == program.count().total + program.preamble_count().total
    rows = every_row("", of, formalism)
    assert [row.name for row in rows] == [
        ", ".join(target.name for target in block.targets) for block in program.all_blocks
    ]
    assert [row.about for row in rows] == [str(block.note) for block in program.all_blocks]


def test_a_universal_joint_owns_what_is_between_its_steps() -> None:
    rows = every_row("joints.wishbone", "inverse")
    owned = {row.name for row in rows if row.role == "owns"}
    assert owned >= {"S_q_wishbone_1", "C_q_wishbone_2"}
    assert any(row.elements == ["joints.wishbone"] for row in rows)
    assert {path for row in rows if row.role == "owns" for path in row.elements} <= {
        "joints.wishbone", "bodies.wishbone",
    }  # fmt: skip
    for row in rows:
        if row.role == "enters":
            assert row.name not in owned
    spring = [row for row in every_row("forces.spring") if row.role == "owns"]
    assert spring
    assert all("force" in row.about for row in spring)
    pin = equations(QUARTER, "closures.wishbone")
    assert pin.owned > 10
    assert all(row.elements == ["closures.wishbone"] or len(row.elements) > 1
               for row in pin.rows if row.role == "owns")  # fmt: skip


def test_a_name_has_its_definition_uses_and_bodies() -> None:
    mass = symbol(QUARTER, "guide_link.mass")
    assert (mass.definition, mass.unit, mass.elements) == (None, "kg", ["bodies.guide_link"])
    assert "<mi>m</mi>" in mass.symbol
    assert "guide_link" in mass.symbol
    sine = symbol(QUARTER, "S_q_wishbone_1")
    assert sine.definition is not None
    assert sine.definition.uses == ["q_wishbone_1"]
    assert "joints.wishbone" in sine.elements
    for name in sine.uses[:5]:
        row = symbol(QUARTER, name).definition
        assert row is not None
        assert "S_q_wishbone_1" in row.uses


def test_a_parameter_enters_equations_and_owns_none() -> None:
    found = equations(QUARTER, "parameters.stiffness")
    assert found.owned == 0
    assert found.entered > 0
    assert all("stiffness" in row.uses for row in found.rows)
    with pytest.raises(KinetreeError, match="stiffness"):
        equations(QUARTER, "parameters.stifness")


def test_shares_add_up_and_the_table_is_the_rooms() -> None:
    found = shares(QUARTER, "inverse")
    assert sum(found.shares.values()) + found.rest == pytest.approx(1.0)
    assert 0 <= found.rest < 0.5
    listed = {row.name: row.formalisms for row in quantities().quantities}
    assert "order_n" in listed["forward"]


@pytest.mark.parametrize("name", ["four_bar", "limousine", "whipple", "stewart"])
@pytest.mark.parametrize("of", ["forward", "inverse"])
def test_every_note_names_elements_that_are_there(name: str, of: str) -> None:
    model = kt.load(MODELS / f"{name}.yaml")
    program = kt.derive(model, of)
    sections = set()
    for block in program.all_blocks:
        for path in elements_of(block.note):
            section, element = path.split(".")[:2]
            assert element in getattr(model, section), path
            sections.add(section)
    assert sections >= {"bodies"} | ({"closures"} if of == "forward" and model.closures else set())


def test_unknown_elements_names_and_quantities_are_told() -> None:
    for call in (lambda: equations(QUARTER, "joints.wishbon"), lambda: symbol(QUARTER, "nobody"),
                 lambda: equations(QUARTER, "", "forwards"), lambda: shares("name: [", "x"),
                 lambda: equations(QUARTER, "bodies.chassis.points.nobody")):  # fmt: skip
        with pytest.raises(KinetreeError):
            call()


def test_a_derivation_without_end_is_ended_and_the_next_goes_through() -> None:
    helper = HelperProcess()
    try:
        text = (MODELS / "iltis.yaml").read_text(encoding="utf-8")
        told: list[str] = []

        def ask() -> None:
            try:
                helper.ask("equations", text, "", "forward", "lagrange", 0)
            except KinetreeError as error:
                told.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(2.0)
        helper.cancel()
        thread.join(20)
        assert not thread.is_alive()
        assert told
        assert "ended" in told[0] or "lagrange" in told[0]
        small = (MODELS / "four_bar.yaml").read_text(encoding="utf-8")
        assert '"total":' in helper.ask("equations", small, "bodies.crank", "inverse", "", 0)
    finally:
        helper.close()


def test_too_little_memory_is_told_and_the_studio_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINETREE_WORKER_MEMORY", str(100 << 20))
    with running_studio(copy_model(tmp_path, "limousine")) as studio:
        client = studio.client()
        answer = client.get("/api/equations", params={"of": "forward"})
        assert answer.status_code == 422
        assert "memory" in answer.json()["error"]
        asked = client.post("/api/runs", json={"options": {"duration": 1}}).json()
        state = ended(client, asked["id"])
        assert state["state"] == "failed"
        assert "memory" in state["error"]
        assert client.get("/api/check").json()["loops"]["mobility"] > 0


def test_equations_by_request(studio: Studio) -> None:
    client = studio.client()
    found = client.get("/api/equations", params={"element": "joints.rod"}).json()
    assert found["owned"] > 0
    name = found["rows"][0]["uses"][0]
    assert client.get("/api/symbols", params={"name": name}).json()["name"] == name
    assert client.get("/api/shares").json()["total"] == found["total"]
    assert client.delete("/api/equations").status_code == 200
    assert client.get("/api/equations", params={"element": "joints.no"}).status_code == 422
