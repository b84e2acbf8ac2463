"""Profiles of SVG, DXF and CSV files: numbers by hand, curves by dense points, refusals by name."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import FOUR_DIGITS, IDENTITY, READ_OFF

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.formats import outlines

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="80mm" viewBox="0 0 200 160">
<defs><rect id="hidden" width="3" height="3"/></defs>
<g id="group" transform="translate(10 20) rotate(90)">
  <path id="slot" d="M 0,0 h 40 a20 20 0 01 0 40 H 0 Z"/></g>
<circle id="disc" cx="20" cy="30" r="10"/>
<ellipse id="egg" cx="0" cy="0" rx="20" ry="12" transform="scale(1 -1)"/>
<path id="wave" d="M0 0C 30 0 30 20 60 20S 90 40 120 40q 10,0 10,10t10 10"/>
<polyline id="edge" points="0,0 10,5 20,0"/>
<rect id="plate" width="20" height="10"/>
<rect id="soft" width="20" height="10" rx="2"/>
<path id="torn" d="M 0 0 L 10"/>
<polygon id="odd" points="0,0 4,0 0,4" transform="warp(30)"/>
</svg>"""
DXF = """0 SECTION 2 HEADER 9 $INSUNITS 70 4 0 ENDSEC 0 SECTION 2 ENTITIES
0 LINE 8 cam 10 0 20 0 11 10 21 0  0 LINE 8 cam 10 0 20 20 11 0 21 0
0 ARC 8 cam 10 10 20 10 40 10 50 270 51 90  0 LINE 8 cam 10 10 20 20 11 0 21 20
0 LWPOLYLINE 8 poly 90 3 70 1 10 0 20 0 10 5 20 0 42 0.5 10 5 20 5
0 POLYLINE 8 old 66 1 10 0 20 0 70 0 0 VERTEX 8 old 10 1 20 2 0 VERTEX 8 old 10 3 20 4 0 SEQEND
0 CIRCLE 8 disc 10 1 20 2 40 3  0 ELLIPSE 8 egg 10 0 20 0 11 20 21 0 40 0.6 41 0 42 6.283185307
0 SPLINE 8 curve 71 3 40 0 40 0 40 0 40 0 40 1 40 1 40 1 40 1
10 0 20 0 10 10 20 20 10 30 20 20 10 40 20 0
0 TEXT 8 notes 1 hello 0 ENDSEC 0 EOF"""
CSV = "x, y, bulge\n# a D\n0, -10, 1\n0, 10\n0, -10\n"


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    """A folder with a drawing of every sort."""
    (tmp_path / "parts.svg").write_text(SVG, encoding="utf-8")
    (tmp_path / "parts.dxf").write_text("\n".join(DXF.split()), encoding="utf-8")
    (tmp_path / "d.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def dense(data: dict[str, Any]) -> Any:
    """Points along a chain, arcs by their bulges."""
    rows = [(*row, 0.0)[:3] for row in data["chain"]]
    rows = [*rows, rows[0]] if data["closed"] else rows
    found = []
    for (x, y, bulge), (u, v, _) in pairwise(rows):
        a, b = complex(x, y), complex(u, v)
        turn = 4 * np.arctan(bulge) * np.linspace(0, 1, 40)
        if bulge:
            centre = (a + b) / 2 + 0.5j * (b - a) * (1 - bulge**2) / (2 * bulge)
            found.append(centre + (a - centre) * np.exp(1j * turn))
        else:
            found.append(a + (b - a) * np.linspace(0, 1, 40))
    return np.concatenate(found)


def farthest(points: Any, curve: Any) -> float:
    """Largest distance of points from a dense curve, by the chords beside its nearest point."""
    near = np.abs(points[:, None] - curve[None, :]).argmin(axis=1)
    found = []
    for before in (0, 1):
        a = curve[np.clip(near - before, 0, len(curve) - 2)]
        d = curve[np.clip(near - before, 0, len(curve) - 2) + 1] - a
        size = np.where(np.abs(d) > 0, np.abs(d), 1.0)
        share = np.clip(((points - a) * d.conjugate()).real / size**2, 0, 1)
        found.append(np.abs(points - a - share * d))
    return float(np.minimum(*found).max())


def test_paths_with_arcs_are_exact_in_metres_with_y_up(drawn: Path) -> None:
    found = kt.read_profile(drawn / "parts.svg", "slot")
    bulge = np.tan(np.pi / 8)
    # turned by 90°, shifted by (10, 20), half a millimetre each, y up, counter-clockwise
    wanted = [(5, -10), (-15, -10), (-15, -30, bulge), (-5, -40, bulge), (5, -30)]
    assert found["closed"] is True
    for row, expected in zip(found["chain"], wanted, strict=True):
        assert row[:2] == pytest.approx([1e-3 * x for x in expected[:2]], abs=IDENTITY)
        assert row[2:] == pytest.approx(expected[2:])
    assert found == kt.read_profile(drawn / "parts.svg", "group")


@pytest.mark.parametrize("large", [0, 1])
@pytest.mark.parametrize("sweep", [0, 1])
@pytest.mark.parametrize("radii", ["13 13", "20 13"])
def test_arcs_go_the_way_that_their_flags_say(
    tmp_path: Path, large: int, sweep: int, radii: str
) -> None:
    rx, ry = map(float, radii.split())
    path = f'<svg><path d="M 5 12 A {radii} 0 {large} {sweep} 5 -12"/></svg>'
    (tmp_path / "arc.svg").write_text(path, encoding="utf-8")
    z = dense(kt.read_profile(tmp_path / "arc.svg", unit="m"))
    share = np.sqrt(1 - (12 / ry) ** 2) * rx  # of the centre from the chord
    middle = 5 + share * (1 if large != sweep else -1)
    off = np.abs(((z.real - middle) / rx) ** 2 + (z.imag / ry) ** 2 - 1)
    assert off.max() < 10 * FOUR_DIGITS
    wide = 5 - z.real.min() if sweep else z.real.max() - 5  # clockwise as seen: by the left
    assert wide == pytest.approx(rx + share if large else rx - share, rel=READ_OFF)


def test_circles_stay_circles_and_flipped_ones_are_rings(drawn: Path) -> None:
    disc = kt.read_profile(drawn / "parts.svg", "disc")
    assert disc["circle"] == pytest.approx((0.01, -0.015))
    assert disc["radius"] == pytest.approx(0.005)
    layer = kt.read_profile(drawn / "parts.dxf", "disc")
    assert (*layer["circle"], layer["radius"]) == pytest.approx((1e-3, 2e-3, 3e-3), rel=IDENTITY)
    assert kt.read_profile(drawn / "parts.dxf", "disc", flip=True)["radius"] < 0
    half = kt.read_profile(drawn / "parts.dxf", "disc", unit="cm")
    assert half["radius"] == pytest.approx(0.03)


def test_curves_become_arcs_that_are_as_near_as_promised(drawn: Path) -> None:
    t = np.linspace(0, 1, 4001)
    egg = 10e-3 * np.cos(2 * np.pi * t) + 6e-3j * np.sin(2 * np.pi * t)
    assert farthest(dense(kt.read_profile(drawn / "parts.svg", "egg")), egg) < 20e-3 * FOUR_DIGITS
    layer = kt.read_profile(drawn / "parts.dxf", "egg")
    assert farthest(dense(layer), 2 * egg) < 40e-3 * FOUR_DIGITS
    assert layer["closed"]

    def bezier(*P: complex) -> Any:
        while len(P) > 1:
            P = tuple((1 - t) * a + t * b for a, b in pairwise(P))
        return P[0]

    curve = bezier(0, 10 + 20j, 30 + 20j, 40) * 1e-3
    spline = dense(kt.read_profile(drawn / "parts.dxf", "curve"))
    assert farthest(spline, curve) < 40e-3 * FOUR_DIGITS
    wave = np.concatenate([
        bezier(0, 30, 30 + 20j, 60 + 20j), bezier(60 + 20j, 90 + 20j, 90 + 40j, 120 + 40j),
        bezier(120 + 40j, 130 + 40j, 130 + 50j), bezier(130 + 50j, 130 + 60j, 140 + 60j),
    ]).conjugate() * 5e-4  # fmt: skip
    found = dense(kt.read_profile(drawn / "parts.svg", "wave"))
    assert farthest(found, wave) < 30e-3 * FOUR_DIGITS
    assert found[[0, -1]] == pytest.approx(wave[[0, -1]])


def test_lines_and_arcs_of_a_layer_are_joined(drawn: Path) -> None:
    found = kt.read_profile(drawn / "parts.dxf", "cam")
    assert found["closed"]
    assert len(found["chain"]) == 5
    z = dense(found)
    area = 0.5 * (z.conjugate() * np.roll(z, -1)).imag.sum()
    assert area == pytest.approx((10 * 20 + np.pi * 50) * 1e-6, rel=READ_OFF)
    assert kt.read_profile(drawn / "parts.dxf", "poly")["chain"][1][2] == 0.5
    assert kt.read_profile(drawn / "parts.dxf", "old")["chain"] == ((1e-3, 2e-3), (3e-3, 4e-3))


def test_tables_give_corners_arcs_or_a_smooth_curve(drawn: Path) -> None:
    found = kt.read_profile(drawn / "d.csv", unit="mm")
    assert found == {"chain": ((0.0, -0.01, 1.0), (0.0, 0.01)), "closed": True}
    (drawn / "hill.csv").write_text("1;0\n0.5;0.1\n0;0\n", encoding="utf-8")
    assert "spline" in kt.read_profile(drawn / "hill.csv", smooth=True)


def test_a_closed_outline_is_solid_whichever_way_it_is_drawn(drawn: Path) -> None:
    (drawn / "square.csv").write_text("0 0\n0 1\n1 1\n1 0\n0 0\n", encoding="utf-8")
    solid = kt.read_profile(drawn / "square.csv")["chain"]
    hole = kt.read_profile(drawn / "square.csv", flip=True)["chain"]
    assert solid == ((0, 0), (1, 0), (1, 1), (0, 1))
    assert sorted(hole) == sorted(solid)
    assert hole != solid
    edge = kt.read_profile(drawn / "parts.svg", "edge")["chain"]
    assert kt.read_profile(drawn / "parts.svg", "edge", flip=True)["chain"] == edge[::-1]


MODEL = """kinetree: 1
name: pair
bodies: {roller: {mass: 1}}
joints: {lift: {kind: prismatic, parent: ground, child: roller, axis: y}}
forces:
  touch:
    {kind: plane_linear, first: roller, second: ground, stiffness: 1.0e+5,
     first_profile: {circle: [0, 0], radius: 0.01},
     second_profile: {file: FILE, name: cam}}
"""


def test_model_files_name_drawings_below_their_folder(drawn: Path) -> None:
    file = drawn / "pair.yaml"
    file.write_text(MODEL.replace("FILE", "parts.dxf"), encoding="utf-8")
    model = kt.load(file)
    cam = kt.read_profile(drawn / "parts.dxf", "cam")
    assert model.forces["touch"].arguments["second_profile"]["chain"] == cam["chain"]
    kt.save(model, file)
    assert file.read_text(encoding="utf-8") == MODEL.replace("FILE", "parts.dxf")
    other = drawn / "elsewhere"
    other.mkdir()
    kt.save(model, other / "pair.yaml")  # stands alone
    assert kt.load(other / "pair.yaml").content_hash() == model.content_hash()


@pytest.mark.parametrize("path", ["../parts.dxf", "/parts.dxf", "deep/../../parts.dxf"])
def test_drawings_outside_the_folder_are_refused(drawn: Path, path: str) -> None:
    inside = drawn / "models"
    inside.mkdir()
    (inside / "pair.yaml").write_text(MODEL.replace("FILE", path), encoding="utf-8")
    with pytest.raises(KinetreeError, match=r"touch\.second_profile.*not below the folder"):
        kt.load(inside / "pair.yaml")


REFUSED = {
    "there is no id 'slto'; did you mean 'slot'": ("parts.svg", "slto"),
    "it has 9 outlines": ("parts.svg", None),
    "its corners are rounded": ("parts.svg", "soft"),
    "its path ends amid its numbers": ("parts.svg", "torn"),
    "odd: its transform 'warp' is not known": ("parts.svg", "odd"),
    "there is no id 'hidden'": ("parts.svg", "hidden"),
    "TEXT of layer 'notes' is not a valid outline": ("parts.dxf", "notes"),
    "there is no layer 'none'": ("parts.dxf", "none"),
    "a table has one outline": ("d.csv", "d"),
    "there is no such file": ("lost.svg", None),
    "a profile of type '.png' cannot be read": ("cam.png", None),
    "declares a document type": ("typed.svg", None),
    "does not say its unit": ("bare.dxf", None),
    "it is not a DXF file of text": ("binary.dxf", None),
    "line 2 holds 'one, 2'": ("words.csv", None),
    "line 1 has 4 columns": ("wide.csv", None),
}
CONTENTS = {
    "typed.svg": '<!DOCTYPE svg [<!ENTITY a "b">]><svg/>',
    "bare.dxf": "0\nSECTION\n2\nENTITIES\n0\nLINE\n0\nENDSEC\n",
    "binary.dxf": "AutoCAD Binary DXF\x1a\x00",
    "words.csv": "1, 2\none, 2\n",
    "wide.csv": "1 2 3 4\n",
    "cam.png": "",
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_no_outline_is_refused_by_name(drawn: Path, said: str) -> None:
    name, chosen = REFUSED[said]
    if name in CONTENTS:
        (drawn / name).write_text(CONTENTS[name], encoding="utf-8")
    with pytest.raises(KinetreeError, match=said) as caught:
        kt.read_profile(drawn / name, chosen)
    assert len(caught.value.parts) == 1


def test_files_that_are_too_large_are_refused(drawn: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(outlines, "LARGEST", 100)
    with pytest.raises(KinetreeError, match=r"profile 'parts.svg': it has more than 100 bytes"):
        kt.read_profile(drawn / "parts.svg", "disc")
