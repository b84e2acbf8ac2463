"""For everybody: no screen has what axe-core finds wrong, light or dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.studio.conftest import ROOT, copy_model
from tests.studio.stories.conftest import picture

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage

AXE = ROOT / "web" / "studio" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.is_file():
        pytest.skip("there is no axe-core: run 'make web', which needs node")
    return AXE.read_text(encoding="utf-8")


FOUND = """async how => (await axe.run(document, how)).violations
  .map(row => `${row.id}: ${row.nodes[0].html.slice(0, 160)}`)"""
COLOURS = ["color-contrast", "link-in-text-block"]  # all that dark colours can change


def _look(page: StudioPage, axe: str, name: str, found: dict[str, Any]) -> None:
    """What axe finds on the screen as it is: by all rules in light colours, then in dark ones."""
    if not page.page.evaluate("() => 'axe' in window"):
        page.page.evaluate(axe)
    for scheme, kind, values in (("light", "tag", RULES), ("dark", "rule", COLOURS)):
        page.page.emulate_media(color_scheme=scheme)
        page.page.locator(f"html[data-theme={scheme}]").wait_for()
        how = {"runOnly": {"type": kind, "values": values}, "resultTypes": ["violations"]}
        if rows := page.page.evaluate(FOUND, how):
            found[f"{name}, {scheme}"] = rows


def test_axe_finds_nothing(open_page: OpenPage, axe: str, tmp_path: Path) -> None:
    found: dict[str, Any] = {}
    start = open_page(tmp_path)
    start.page.locator("#new-name").wait_for()
    _look(start, axe, "start", found)
    page = open_page(copy_model(tmp_path, "quarter_car"))
    page.finished(page.start("simulate", duration="0.1"))
    page.page.locator("#plot canvas").wait_for()
    _look(page, axe, "runs", found)
    page.page.get_by_label("what run 1 was made from").click()
    page.page.get_by_label("manifest").wait_for()
    _look(page, axe, "made from", found)
    number = page.finished(page.start("linearise"))
    page.page.wait_for_selector(f"body[data-result='{number}']")
    _look(page, axe, "result", found)
    for path in ("bodies.chassis", "joints.wishbone", "closures.wishbone", "forces.spring"):
        page.page.locator("#find").fill(path.split(".")[1])
        page.choose(path)
        _look(page, axe, path, found)
    page.page.locator("#find").fill("")
    page.page.locator(".diagram .body .name").first.click(button="right")
    _look(page, axe, "menu at the pointer", found)
    page.press("Escape")
    page.page.get_by_role("button", name="Menu", exact=True).click()
    _look(page, axe, "menu", found)
    page.press("Escape")
    for menu in (".diagram summary", ".solid summary >> nth=0", ".solid summary >> nth=1"):
        page.page.locator(menu).click()
        _look(page, axe, menu, found)
        page.page.locator(menu).click()
    for tab in ("checks", "text", "tables", "equations", "live", "code"):
        page.page.locator(f"#tab-{tab}").click()
        page.page.wait_for_timeout(300)
        _look(page, axe, tab, found)
    for key, name in (("Control+k", "palette"), ("?", "keys"), ("c", "connect"), ("a", "add"),
                      ("Control+o", "files"), ("Control+Enter", "run")):  # fmt: skip
        page.page.locator("#file").click()
        page.press(key)
        page.page.locator("dialog").wait_for()
        _look(page, axe, name, found)
        page.press("Escape")
    picture(page, "dark")
    assert found == {}


BRIGHTEST = """() => {
  const canvas = document.querySelector("#plot canvas");
  const { height, width } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, height - 40, width, 40);
  return data.reduce((most, red, k) => (k % 4 === 0 && data[k + 3] > 200 ? Math.max(most, red) : most), 0);
}"""  # noqa: E501
"""Of the numbers along the axis of time, which are dark on white paper."""


def test_all_panes_follow_the_colours_of_the_system(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.finished(page.start("simulate", duration="0.1"))
    page.page.locator("#plot canvas").wait_for()
    back = "() => kinetreeWorld.stage.scene.background.getHexString()"
    seen = []
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        page.page.locator(f"html[data-theme={scheme}]").wait_for()
        page.page.wait_for_function("() => document.querySelectorAll('#plot canvas').length === 1")
        seen.append((page.page.evaluate(back), page.page.evaluate(BRIGHTEST)))
    (light, black), (dark, white) = seen
    assert light > "c" > dark
    assert white > 220 > black
    page.page.get_by_role("button", name="Light or dark").click()  # one click, whatever the system
    page.page.locator("html[data-theme=light]").wait_for()
