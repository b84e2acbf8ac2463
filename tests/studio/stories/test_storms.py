"""Nothing lost, nobody let in: a plug that is pulled, strangers, a file that others change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.approx import TRAJECTORY
from tests.studio.conftest import copy_model, open_studio
from tests.studio.stories.conftest import picture
from tests.studio.stories.pages import StudioPage

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage


def test_pulled_plug(browser: Any, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "slider_crank")
    studio = open_studio(file)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = StudioPage(context.new_page(), studio)
        page.page.goto(studio.address)
        page.settle(0)
        page.choose("bodies.rod")
        for mass in ("2.5", "2.75"):
            page.fill("mass", mass)
        page.start("simulate", duration="30000", rtol="1e-11")
        page.page.wait_for_selector("progress[aria-label='progress of run 1'][value]")
        known = page.text()
        studio.kill()  # as a plug that is pulled
        page.page.get_by_text("The connection to the studio is lost").wait_for()
        studio = open_studio(file)
        page = StudioPage(context.new_page(), studio)
        page.page.goto(studio.address)
        page.settle(0)
        assert page.text() == known
        time, _ = page.curve(1, "q.crank")
        assert time[-1] > 0
        page.edit(lambda: page.press("Control+z"))
        page.edit(lambda: page.press("Control+z"))
        assert page.text() == file.read_text(encoding="utf-8")
        page.edit(lambda: page.press("Control+Shift+z"))
        known = page.text()
        secret = context.cookies()
        context.close()  # now the browser
        context = browser.new_context()
        context.add_cookies(secret)
        page = StudioPage(context.new_page(), studio)
        page.page.goto(studio.origin)
        page.settle(0)
        assert page.text() == known
    finally:
        context.close()
        studio.kill()


HOSTILE = """kinetree: 1
name: "</script><img src=x onerror=hacked()>"
parameters: {m: {value: 1, unit: "<b onclick=hacked()>kg</b>"}}
bodies:
  "<img src=x onerror=hacked()>": {mass: 1}
  rod: {mass: "alert(1)", com: ["__import__('os').system('true')", 0, 0]}
joints:
  "'; DROP TABLE runs; --": {kind: revolute, parent: "../../etc/passwd", child: rod}
shapes: {rod: [{kind: mesh, file: ../../../etc/passwd}]}
"""


def test_a_hostile_file_and_a_guest_without_the_secret(
    open_page: OpenPage, browser: Any, tmp_path: Path
) -> None:
    file = tmp_path / "hostile.yaml"
    file.write_text(HOSTILE, encoding="utf-8")
    page = open_page(file)
    page.page.evaluate("() => { window.hacked = () => { document.title = 'hacked' } }")
    for tab in ("text", "tables", "checks", "equations", "live", "code"):
        page.page.locator(f"#tab-{tab}").click()
    page.page.locator("#tab-checks").click()
    page.page.get_by_text("not accepted").or_(page.page.get_by_text("rod")).first.wait_for()
    assert page.text() == HOSTILE
    assert "hacked" not in page.page.title()
    assert page.page.locator("img").count() == 0
    guest = browser.new_context().new_page()
    answer = guest.goto(page.studio.origin)
    assert answer.status == 401
    guest.context.close()


def test_a_file_changed_by_others_is_taken_by_element(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "slider_crank")
    page = open_page(file)
    page.choose("bodies.rod")
    page.fill("mass", "3")
    theirs = file.read_text(encoding="utf-8").replace("mass: 5", "mass: 7")
    file.write_text(theirs, encoding="utf-8")
    page.page.get_by_text("has changed on the disk").wait_for()
    page.page.get_by_text("Lines that differ").click()
    mine, disk = (
        page.page.get_by_label(name) for name in ("what you changed", "how yours differs")
    )
    mine.get_by_text("+    mass: 3").wait_for()
    assert "mass: 7" not in mine.inner_text()
    told = disk.inner_text()
    assert "-    mass: 7" in told
    assert "+    mass: 5" in told
    picture(page, "disk")
    page.edit(page.page.get_by_role("button", name="Take both, by element").click)
    saved = kt.load(page.save())
    assert isinstance(saved, kt.Model)
    assert [body.mass for body in saved.bodies.values()] == [1, 3, 7]


def test_conflicting_lines_are_chosen_one_by_one(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "slider_crank")
    page = open_page(file)
    page.choose("bodies.rod")
    page.fill("mass", "3")
    before = page.text()
    theirs = file.read_text(encoding="utf-8").replace("mass: 2", "mass: 9")
    theirs = theirs.replace("mass: 5", "mass: 7")
    file.write_text(theirs, encoding="utf-8")
    page.page.get_by_text("Put both together, line by line").click()
    form = page.page.get_by_role("form", name="Conflicting lines")
    form.get_by_text("1 place that one side alone has changed is taken; 1 conflict").wait_for()
    assert "mass: 3" in form.get_by_label("yours of conflict 1").inner_text()
    assert "mass: 9" in form.get_by_label("disk of conflict 1").inner_text()
    form.get_by_label("other lines").check()
    lines = form.get_by_label("lines of conflict 1")
    lines.fill(lines.input_value().replace("mass: 3", "mass: 4"))
    page.choose("bodies.crank")
    page.fill("mass", "1.5")  # of another body, by this page
    assert page.text() != before
    page.edit(lambda: page.page.keyboard.press("Control+z"))
    theirs = theirs.replace("mass: 9", "mass: 8")  # and once more by others, in the same lines
    file.write_text(theirs, encoding="utf-8")
    form.get_by_text("The texts have changed since this was typed").wait_for()
    assert "mass: 8" in form.get_by_label("disk of conflict 1").inner_text()
    assert "mass: 4" in lines.input_value()
    picture(page, "conflict")
    page.edit(form.get_by_role("button", name="Put together").click)
    assert file.read_text(encoding="utf-8") == theirs
    assert page.text() == theirs.replace("mass: 8", "mass: 4")
    page.edit(lambda: page.page.keyboard.press("Control+z"))
    assert page.text() == before
    page.edit(lambda: page.page.keyboard.press("Control+Shift+z"))
    saved = kt.load(page.save())
    assert isinstance(saved, kt.Model)
    assert [body.mass for body in saved.bodies.values()] == [1, 4, 7]


def test_a_pulled_body_takes_the_mechanism_along(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.page.wait_for_selector("body[data-scene='0']")
    page.page.get_by_role("button", name="pull", exact=True).click()
    box = page.page.locator(".solid canvas").bounding_box()
    start = page.page.evaluate("() => window.kinetreeWorld.seen('slider')")
    at = (box["x"] + start[0], box["y"] + start[1])
    page.drag(at, (at[0] - 40, at[1]))
    page.page.locator("#pose").wait_for()
    page.edit(page.page.get_by_role("button", name="take as start").click)
    model = kt.load(page.save())
    assert isinstance(model, kt.Model)
    closed = kt.assemble(model)
    assert model.initial()[2] < 2.3  # it was at 2.35 m
    assert abs(closed.q - model.initial()).max() < TRAJECTORY
