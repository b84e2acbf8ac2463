"""The slider-crank of the first page of the documentation, drawn: by mouse, and without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.approx import IDENTITY
from tests.studio.stories.conftest import picture
from tests.studio.stories.strangers import besieged

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _compare(page: StudioPage, number: int, file: Path) -> None:
    """The studio's run is the one that Python makes of the file that was saved."""
    model = kt.load(file)
    assert isinstance(model, kt.Model)
    assert not model.findings()
    run = kt.simulate(model, 5.0)
    for name in model.coordinates:
        time, values = page.curve(number, f"q.{name}")
        expected = np.interp(time, run.time.values, run.q.sel(coordinate=name).values)
        np.testing.assert_allclose(values, expected, atol=IDENTITY)


def test_slider_crank_drawn_by_mouse(open_page: OpenPage, tmp_path: Path) -> None:
    """While strangers try what they can."""
    page = open_page(tmp_path)
    with besieged(page.studio, page.page) as rubbish:
        _draw(page, tmp_path)
    assert rubbish.wrong == []
    assert len(rubbish.answers) > 30


def _draw(page: StudioPage, tmp_path: Path) -> None:
    page.page.locator("#new-name").fill("slider_crank.yaml")
    page.page.get_by_role("button", name="Create").click()
    page.settle(0)
    page.studio.file = tmp_path / "slider_crank.yaml"
    page.fill("gravity y", "-9.81")
    page.fill("gravity z", "0")
    for name, x, y in (("crank", 200, 110), ("rod", 340, 200), ("slider", 200, 330)):
        page.draw_body(name, x, y)
    for name, mass, com, inertia in (("crank", "1", "0.5", "1/12"), ("rod", "2", "1", "2/3")):
        page.choose(f"bodies.{name}")
        page.fill("mass", mass) if mass != "1" else None
        page.fill("com x", com)
        page.fill("inertia yy", inertia)
        page.fill("inertia zz", inertia)
    assert "= 0, 0.6667, 0.6667" in page.page.locator(".panel .present").text_content()
    page.choose("bodies.slider")
    page.fill("mass", "5")
    for name, point, at in (("crank", "tip", "1"), ("rod", "end", "2")):
        page.choose(f"bodies.{name}")
        page.edit(page.page.get_by_role("button", name="add a point").click)
        page.fill("name of point p1", point)
        page.fill(f"{point} x", at)
    page.connect("ground", "crank", "Joint", "revolute")
    page.fill("initial", "1")
    page.connect("crank.tip", "rod", "Joint", "revolute")
    page.fill("initial", "-1.43")
    page.connect("ground", "slider", "Joint", "prismatic")
    assert page.page.locator(".panel").get_by_label("axis").input_value() == "x"
    page.fill("initial", "2.35")
    page.connect("rod.end", "slider", "Closure", "ball")
    page.page.locator("#tab-checks").click()
    page.page.get_by_text("Nothing is wrong.").first.wait_for()
    assert "mobility 1" in page.page.locator("#loops").text_content()
    number = page.finished(page.start("simulate", duration="5"))
    page.page.locator("#plot canvas").wait_for()
    picture(page, "story1")
    _compare(page, number, page.save())


def test_slider_crank_without_a_mouse(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(tmp_path)
    keys = page.page.keyboard
    page.page.wait_for_selector("#new-name:focus")
    page.press("Control+a")
    keys.type("crank.yaml")
    page.press("Enter")
    page.settle(0)
    page.studio.file = tmp_path / "crank.yaml"

    def fill(selector: str, value: str) -> None:
        page.tab_to(selector)
        page.press("Control+a")
        keys.type(value)
        page.edit(lambda: page.press("Enter"))

    page.press("p")
    fill("[aria-label='gravity y']", "-9.81")
    fill("[aria-label='gravity z']", "0")
    bodies = {"crank": ("1", "0.5", "1/12"), "rod": ("2", "1", "2/3"), "slider": ("5", "0", "0")}
    for name, (mass, com, inertia) in bodies.items():
        page.edit(lambda: page.command("add a body"))
        page.page.wait_for_selector("input.rename:focus")
        keys.type(name)
        page.edit(lambda: page.press("Enter"))
        page.command("go to the properties")
        if mass != "1":
            fill(f"#field-bodies-{name}-mass", mass)
        if com != "0":
            fill("[aria-label='com x']", com)
            fill("[aria-label='inertia yy']", inertia)
            fill("[aria-label='inertia zz']", inertia)
            page.tab_to(".points > button")
            page.edit(lambda: page.press("Enter"))
            fill("[aria-label='p1 x']", {"crank": "1", "rod": "2"}[name])
    joints = (("ground", "crank", "joints", "revolute", "1"),
              ("crank.p1", "rod", "joints", "revolute", "-1.43"),
              ("ground", "slider", "joints", "prismatic", "2.35"),
              ("rod.p1", "slider", "closures", "ball", ""))  # fmt: skip
    for first, second, section, kind, start in joints:
        page.command("connect two places")
        for field, value in (("from", first), ("to", second), ("by", section), ("kind", kind)):
            page.tab_to(f"#add-{field}")
            keys.type(value)
        page.tab_to("dialog button[type=submit]")
        page.edit(lambda: page.press("Enter"))
        if start:
            page.command("go to the properties")
            fill(f"#field-joints-{second}-initial", start)
    page.command("show checks")
    page.page.get_by_text("Nothing is wrong.").first.wait_for()
    page.command("run an analysis")
    page.tab_to("#option-duration")
    keys.type("5")
    page.press("Enter")
    number = page.finished(1)
    picture(page, "story2")
    _compare(page, number, page.save())
