"""The loop doctor: a redundant equation named, a gap drawn, a misspelt body cured by a click."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage


def test_the_redundant_equation_of_bricard_is_named(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "bricard")
    page = open_page(file)
    model = kt.load(file)
    assert isinstance(model, kt.Model)
    redundant = list(kt.partition(model).redundant)
    assert len(redundant) == 1
    doctor = page.page.locator(".doctor")
    assert redundant[0] in doctor.locator(".warning").text_content()
    assert redundant[0] in page.page.locator("#loops").text_content()


def test_a_gap_is_drawn_and_a_name_is_cured(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "four_bar"))
    page.page.wait_for_selector("body[data-scene='0']")
    page.page.locator("#tab-tables").click()
    first = page.page.locator("table.grid tbody tr").first.locator("td input").first
    page.edit(lambda: (first.fill("9"), first.press("Enter")))
    page.page.locator("#tab-checks").click()
    gap = page.page.locator(".doctor .error").first
    gap.wait_for()
    assert "open" in page.page.locator("#loops").text_content()
    gaps = page.ask("/api/check")["gaps"]
    name, size = next(iter(gaps.items()))
    assert name in gap.text_content()
    page.page.wait_for_selector("body[data-scene='1']")
    marks = page.page.locator(".solid .canvas").get_attribute("data-open")
    assert marks == f"closures.{name}"
    assert size > 0.1
    picture(page, "story5")
    page.edit(lambda: page.press("Control+z"))
    page.page.get_by_text("Nothing is wrong.").first.wait_for()
    # a body misspelt where a joint speaks of it
    page.page.locator("#tab-text").click()
    page.page.locator(".cm-content").wait_for()
    text = page.text()
    child = next(iter(kt.load(page.studio.file).bodies))
    at = text.index(f"child: {child}") + len("child: ")
    wrong = f"{child[1]}{child[0]}{child[2:]}"
    base = page.revision
    said = {"base": base, "operations": [["splice", at, at + len(child), wrong]], "label": "typed"}
    page.ask("/api/document/edit", said)  # as another tab, or a script, would
    page.settle(base + 1)
    page.page.locator("#tab-checks").click()
    assert "mistakes" in page.page.locator("[role=note].veil").text_content()
    page.edit(page.page.get_by_role("button", name=f"Write {child}").click)
    assert page.text() == text
    page.page.get_by_text("Nothing is wrong.").first.wait_for()
