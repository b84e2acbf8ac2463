"""The diagram shows, where it is wanted, roles of coordinates and shares of the operations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.approx import FOUR_DIGITS
from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def test_roles_and_shares_are_those_of_python(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "quarter_car")
    page = open_page(file)
    signs = page.page.locator(".joint .sign.independent")
    assert signs.count() == 0
    show = page.page.locator(".diagram summary", has_text="Show")
    show.click()
    page.page.get_by_label("roles of coordinates").check()
    page.page.get_by_label("shares of the operations").check()
    show.click()
    signs.first.wait_for()
    found = kt.partition(kt.load(file))
    assert signs.count() == len(found.independent)
    carried = page.page.locator(".joint:has(.sign.independent)").evaluate_all(
        "rows => rows.map(row => row.dataset.path)"
    )
    owners = {joint.name for joint in kt.load(file).joints.values()
              if set(joint.coordinates) & set(found.independent)}  # fmt: skip
    assert {path.removeprefix("joints.") for path in carried} == owners
    page.page.locator(".body .share").first.wait_for()
    shares = page.ask("/api/shares")["shares"]
    for body in ("chassis", "spindle", "wheel"):
        text = page.page.locator(f".body[data-path='bodies.{body}'] .share").inner_text()
        share = shares[f"bodies.{body}"]
        assert text == (f"{round(100 * share)} %" if share >= 0.005 else "< 1 %")
    picture(page, "roles")
    show.click()
    page.page.get_by_label("roles of coordinates").uncheck()
    page.page.get_by_label("shares of the operations").uncheck()
    assert signs.count() == 0
    assert page.page.locator(".body .share").count() == 0
    _boxes_and_marks(page)
    page.choose("bodies.wheel")
    page.edit(lambda: page.page.locator("#outline").select_option("ellipse"))
    page.page.locator(".body.ellipse[data-path='bodies.wheel']").wait_for()
    assert "ellipse" in page.text().split("layout:")[1]


def _boxes_and_marks(page: StudioPage) -> None:
    """Bodies are as large as the arrangement takes them to be; what is wrong is marked on them."""
    zoom = "() => document.querySelector('.react-flow__viewport').style.transform"
    scale = float(page.page.evaluate(zoom).split("scale(")[1].rstrip(")"))
    for row in page.ask("/api/drawing")["bodies"]:
        box = page.page.locator(f".diagram .body[data-path='{row['path']}']").bounding_box()
        sizes = (box["width"] / scale / 10, box["height"] / scale / 10)
        assert sizes == pytest.approx((row["width"], row["height"]), rel=FOUR_DIGITS)
    page.edit(
        lambda: page.page.evaluate("kinetreeEdit([['add', 'bodies', 'lone', {mass: 1}]], 'x')")
    )
    marked = page.page.locator(".body.error, .body.warning")
    assert marked.get_attribute("data-path") == "bodies.lone"
    page.command("check marks in the diagram")
    marked.wait_for(state="detached")
    page.edit(lambda: page.press("Control+z"))
