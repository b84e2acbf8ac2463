"""What hands do in the diagram and in the text, and what the page remembers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.studio.conftest import copy_model

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _data(page: StudioPage) -> Any:
    return page.ask("/api/elements")["data"]


def test_bodies_are_dropped_connected_by_clicks_and_moved_by_arrows(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(copy_model(tmp_path, "double_pendulum"))
    first = page.text()
    pane = page.page.locator(".react-flow__pane")
    button = page.page.get_by_role("button", name="Body", exact=True)
    page.edit(lambda: button.drag_to(pane, target_position={"x": 150, "y": 330}))
    page.press("Escape")
    page.edit(lambda: pane.dblclick(position={"x": 300, "y": 380}))
    page.press("Escape")
    dropped, clicked = list(_data(page)["bodies"])[-2:]
    places = _data(page)["layout"]["diagram"]
    assert places[dropped][0] < places[clicked][0]
    assert places[dropped][1] < places[clicked][1]

    page.page.mouse.click(*page.anchor(dropped, ".react-flow__handle-right"))  # no drag is needed
    page.page.mouse.click(*page.anchor(clicked, ".react-flow__handle-left"))
    joint = page.page.get_by_role("group", name="Joint", exact=True)
    page.edit(joint.get_by_role("menuitem", name="spherical", exact=True).click)
    made = _data(page)["joints"][clicked]
    assert (made["kind"], made["parent"], made["child"]) == ("spherical", dropped, clicked)

    page.choose(f"bodies.{dropped}")
    page.page.locator(f"[data-path='bodies.{clicked}'][role=treeitem]").click(modifiers=["Control"])
    page.press("g")
    page.page.locator(f".react-flow__node[data-id='bodies.{clicked}']").focus()
    page.edit(lambda: page.press("Shift+ArrowRight"))
    page.edit(lambda: page.press("ArrowUp"))
    moved = _data(page)["layout"]["diagram"]
    for name in (dropped, clicked):
        assert moved[name] == [places[name][0] + 10, places[name][1] - 1]
    for _ in range(5):
        page.edit(lambda: page.press("Control+z"))
    assert page.text() == first


def test_the_text_completes_explains_and_marks_mistakes(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.press("Control+2")
    line = page.page.locator(".cm-line", has_text="mass: 2").first
    line.click()
    page.press("End", "Enter")
    page.page.keyboard.type("iner")
    option = page.page.locator(".cm-tooltip-autocomplete [aria-selected=true]")
    option.wait_for()
    assert "inertia" in option.inner_text()
    assert "kg.m2" in option.inner_text()
    page.page.locator(".cm-completionInfo", has_text="about the centre of mass").wait_for()
    page.press("Escape")
    page.page.keyboard.type("x: 3")
    page.page.locator(".cm-lint-marker-error").wait_for()
    told = page.ask("/api/check")["findings"][0]
    assert "inerx" in told["problem"] + told["element"] + told["cure"]
    assert "inerx" in page.text().splitlines()[told["line"] - 1]
    page.press("Control+z")
    page.page.locator(".cm-lint-marker-error").wait_for(state="detached")
    page.page.locator(".cm-line", has_text="gravity").locator("span").first.hover()
    page.page.locator(".t-tip", has_text="acceleration").wait_for()


def test_panes_colours_and_layers_stay_over_a_reload(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "double_pendulum"))
    border = page.page.get_by_role("separator", name="Width of the tree")
    before = int(border.get_attribute("aria-valuenow"))
    border.focus()
    page.press("ArrowRight", "ArrowRight")
    page.command("dark colours")
    page.command("axes of joints")
    page.command("show tables")
    page.page.reload()
    page.settle(0)
    assert int(border.get_attribute("aria-valuenow")) == before + 32
    assert page.page.locator("html[data-theme=dark]").count() == 1
    assert page.page.locator("#tab-tables[aria-selected=true]").count() == 1
    page.page.wait_for_function("() => window.kinetreeWorld?.layers.has('axes')")


def test_what_is_chosen_is_found_in_the_text_and_its_numbers_are_not_cut(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(copy_model(tmp_path, "quarter_car"))
    page.press("Control+2")
    page.page.locator(".cm-line").first.wait_for()
    page.choose("bodies.wishbone")  # a point of the chassis, which stands before, is called so, too
    page.page.locator(".cm-activeLine", has_text=re.compile(r"^\s*wishbone:\s*$")).wait_for()
    cut = page.page.locator("[id$=com], .point input").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.value)"
    )
    assert cut == []
    page.press("Control+k")
    first = page.page.locator("[role=option]").first
    assert first.get_attribute("aria-disabled") == "false"  # nothing is to be saved
    page.press("Escape")
