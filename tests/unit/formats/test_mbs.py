"""Files of ROBOTRAN: models that its own code gave numbers for, written as .mbs and read again."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.approx import GOLDEN, LONG_RUN, ROUNDING, assert_close
from tests.reference import robotran

import kinetree as kt
from kinetree.cli import main
from kinetree.errors import FormatError, ModelWarning


def add(parent: ET.Element, tag: str, text: Any = None) -> ET.Element:
    found = ET.SubElement(parent, tag)
    found.text = None if text is None else str(text)
    return found


def add_vector(parent: ET.Element, values: Any) -> None:
    holder = add(parent, "coordinates")
    for axis, value in zip("xyz", values, strict=True):
        add(holder, axis, repr(float(value)))


def add_place(parent: ET.Element, tag: str, place: dict[str, str]) -> None:
    holder = add(parent, tag)
    add(holder, "bodyname", place["body"])
    add(holder, "pointname", place["point"])


def add_position(parent: ET.Element, x: float, y: float) -> None:
    place = add(add(add(parent, "graphics"), "x2D"), "position")
    add(place, "x", x)
    add(place, "y", y)


def add_point(parent: ET.Element, row: dict[str, Any]) -> ET.Element:
    point = add(parent, "point")
    add(point, "pointname", row["name"])
    add_vector(point, row["r"])
    return point


def add_body(tree: ET.Element, row: dict[str, Any]) -> None:
    body = add(tree, "body")
    add(body, "bodyname", row["name"])
    add_place(body, "parent", row["parent"])
    for k, joint in enumerate(row["joints"]):
        made = add(body, "joint")
        add(made, "jointname", joint["name"])
        add(made, "type", joint["type"])
        add(made, "nature", joint["nature"])
        if "q0" in joint:
            add(add(made, "initialvalue"), "q", joint["q0"])
        add_position(made, 10.0 * k, 20.5)
    add(body, "mass", row["mass"])
    add_vector(add(body, "com"), row["com"])
    moments = add(body, "inertia")
    for name, value in row["inertia"].items():
        add(moments, name, value)
    for point in row["points"]:
        add_point(body, point)


def mbs_text(file: dict[str, Any]) -> bytes:
    """A model of the data folder as MBsysPad would write it."""
    root = ET.Element("mbsDescR7")
    add(root, "mbsname", file["name"])
    base = add(root, "base")
    add(base, "baseBodyName", "ground_in_the_diagram")
    add_vector(add(base, "gravity"), file["gravity"])
    for point in file["base_points"]:
        add_point(base, point)
    tree, cuts, links = (add(root, tag) for tag in ("bodytree", "cuts", "links"))
    for row in file["bodies"]:
        add_body(tree, row)
    for row in file.get("cuts", ()):
        cut = add(cuts, row["kind"])
        add(cut, "name", row["name"])
        if "length" in row:
            add(cut, "length", row["length"])
        for end in ("endpoint1", "endpoint2"):
            add_place(cut, end, row[end])
    for row in file.get("links", ()):
        link = add(links, "link")
        add(link, "name", row["name"])
        for end in ("endpoint1", "endpoint2"):
            add_place(link, end, row[end])
    return ET.tostring(root)


def load(path: Path, **options: Any) -> kt.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return kt.load(path, **options)


@pytest.mark.parametrize("name", robotran.GOLDEN)
def test_the_numbers_of_robotrans_own_code(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.mbs"
    path.write_bytes(mbs_text(robotran.read(name)))
    model, plain = load(path), robotran.model(name, wrenches=False, cuts=True)
    assert model.coordinates == plain.coordinates
    expected = robotran.golden(name)
    if plain.closures:
        h, other = (kt.derive(m, "constraints").evaluate(q=expected.q, qd=expected.qd)["h"]
                    for m in (model, plain))  # fmt: skip
        assert_close(h, other, ROUNDING, "loops")
    for table in (model.forces, model.drives, model.closures):
        table.clear()
    for entry in robotran.read(name)["bodies"]:
        body = model.bodies[entry["name"]]
        model.wrench(f"w_{body.name}", body.point("_com", entry["com"]), frame="body")
    state = {"q": expected.q, "qd": expected.qd, **expected.wrenches}
    found = kt.derive(model, "mass_bias").evaluate(**state)
    assert_close(found["M"], expected.M, GOLDEN, "M")
    assert_close(found["c"], expected.c, GOLDEN, "c")


SMALL = (Path(__file__).parents[2] / "data" / "robots" / "cart.mbs").read_text()


@pytest.fixture
def cart(tmp_path: Path) -> Path:
    path = tmp_path / "cart.mbs"
    path.write_text(SMALL)
    return path


def test_user_functions_are_named_and_their_laws_filled_in(cart: Path) -> None:
    with pytest.warns(ModelWarning, match=r"user_DrivenJoints \(drive\).*user_LinkForces \(rope\)"):
        empty = kt.load(cart)
    assert empty.coordinates == ["swing", "drive"]
    assert empty.initial().tolist() == [0.4, 0.2]
    laws = {
        "rope": lambda length, rate: 40 * (length - 1) + rate,
        "wind": (1.0, 0.0, 0.0),
        "drive": lambda t: 0.2 + 0.1 * t,
        "rope_heat_1": lambda x: -x["rope_heat_1"],
        "rope_heat_2": 0.5,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        full = kt.load(cart, laws=laws)
    run = kt.simulate(full, 0.5, outputs=["rope.force", "wind.force"])
    assert abs(float(run.q.sel(coordinate="drive")[-1]) - 0.25) < GOLDEN
    assert_close(run.x.values[-1], [np.exp(-0.5), 2.25], LONG_RUN)
    assert float(np.abs(run["rope.force"].values).min()) > 1.0
    still = kt.simulate(empty, 0.1)
    assert float(np.ptp(still.q.sel(coordinate="drive").values)) == 0.0


def test_parameters_and_the_diagram_are_kept(cart: Path, tmp_path: Path) -> None:
    model = load(cart)
    assert model.parameters["rope_k"].value == 40
    assert model.layout["joints"] == {"drive": [12.0, 7.5]}
    assert model.layout["natures"] == {"swing": "independent", "drive": "driven"}
    assert model.layout["velocities"] == {"swing": 2.0}
    assert model.layout["user values"] == {"rope_brand": ["best"]}
    kt.save(model, tmp_path / "cart.yaml")
    again = kt.load(tmp_path / "cart.yaml")
    assert again.content_hash() == model.content_hash()
    assert again.layout == model.layout


def test_the_command_converts_files(cart: Path, tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(cart), str(tmp_path / "new.yaml")])
    assert not ended.value.code
    said = capsys.readouterr()
    assert "new.yaml" in said.out
    assert "user_LinkForces (rope)" in " ".join(said.err.split())
    assert kt.load(tmp_path / "new.yaml").content_hash() == load(cart).content_hash()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<type>R2<", "<type>R4<", r"joint 'swing': there is no type 'R4'"),
        (">pin</pointname></parent>", ">pen</pointname></parent>", "did you mean 'pin'"),
        ("<bodyname>cart</bodyname><pointname>pin", "<bodyname>cat</bodyname><pointname>pin",
         "there is no body 'cat'"),
        ("<mass>2</mass>", "<mass>2,5</mass>", "'2,5' is not a finite number"),
        ("<nature>driven<", "<nature>drove<", "there is no nature 'drove'"),
        ("mbsDescR7", "mbsDescR8", "its root element is <mbsDescR8>"),
        ("<mbsname>cart", "<mbsname>cart<", "not well-formed"),
        ('<?xml version="1.0"?>', '<!DOCTYPE x [<!ENTITY a "b">]>', "document type"),
    ],
)  # fmt: skip
def test_mistakes_are_named(old: str, new: str, said: str, cart: Path) -> None:
    text = SMALL.replace(old, new)
    assert text != SMALL
    cart.write_text(text)
    with pytest.raises(FormatError, match=said):
        load(cart)


def test_laws_of_unknown_names_and_of_other_files_are_refused(cart: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="did you mean 'rope'"):
        load(cart, laws={"ropes": 0})
    kt.save(load(cart), tmp_path / "cart.yaml")
    with pytest.raises(FormatError, match="leave laws= out"):
        kt.load(tmp_path / "cart.yaml", laws={"rope": 0})


def test_cuts_of_every_kind() -> None:
    from kinetree.formats.mbs import read

    ends = "".join(
        f"<endpoint{k}><bodyname>{body}</bodyname><pointname>{point}</pointname></endpoint{k}>"
        for k, (body, point) in enumerate((("arm", "tip"), ("base", "hook")), 1)
    )
    for kind, more in (("ball", ""), ("rod", "<length>2.5</length>"), ("solid", "")):
        cuts = f"<cuts><{kind}><name>c</name>{more}{ends}</{kind}></cuts>"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            model = read(SMALL.replace("<links>", f"{cuts}<links>").encode())
        assert model.closures["c"].kind == kind
    wrong = SMALL.replace("<links>", f"<cuts><glue><name>c</name>{ends}</glue></cuts><links>")
    with pytest.raises(FormatError, match="there is no kind of cut 'glue'"):
        read(wrong.encode())
