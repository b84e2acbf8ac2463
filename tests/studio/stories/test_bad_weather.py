"""A lost connection, a second tab, a browser without WebGL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from tests.studio.conftest import copy_model
from tests.studio.stories.pages import StudioPage

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage

NO_WEBGL = """
const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return String(kind).startsWith("webgl") ? null : get.call(this, kind, ...rest);
};
const away = globalThis.OffscreenCanvas?.prototype;
if (away) away.getContext = () => null;
"""


def test_two_tabs_and_a_lost_connection(open_page: OpenPage, tmp_path: Path) -> None:
    """An edit is seen in the other tab; one that nobody hears is held back, and then made."""
    file = copy_model(tmp_path, "slider_crank")
    page = open_page(file)
    other = StudioPage(page.page.context.new_page(), page.studio)
    other.page.goto(page.studio.origin)
    other.settle(0)
    other.choose("bodies.rod")
    typed = other.page.locator(".panel").get_by_label("mass", exact=True)
    typed.fill("7")
    page.choose("bodies.rod")
    page.fill("mass", "2.5")
    other.settle(page.revision)
    assert "mass: 2.5" in other.text()
    assert typed.input_value() == "7"  # what is being typed stays
    other.edit(lambda: typed.press("Enter"))
    page.settle(other.revision)
    assert "mass: 7" in page.text()
    other.page.close()

    page.page.context.set_offline(True)
    field = page.page.locator(".panel").get_by_label("mass", exact=True)
    field.fill("2.75")
    field.press("Enter")
    page.page.get_by_text("The connection to the studio is lost: edits are held back").wait_for()
    journal = file.parent / ".kinetree" / "slider_crank.yaml.jsonl"
    assert "2.75" not in journal.read_text(encoding="utf-8")
    before = page.revision
    page.page.context.set_offline(False)
    page.settle(before + 1)
    saved = kt.load(page.save())
    assert saved.bodies["rod"].mass == 2.75


def test_what_is_typed_and_what_others_change_meanwhile_both_stay(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """By hand in the text and by a script, in the pause of typing and while nobody is heard."""
    page = open_page(copy_model(tmp_path, "slider_crank"))
    cookies = {row["name"]: row["value"] for row in page.page.context.cookies()}
    with httpx.Client(base_url=page.studio.origin, cookies=cookies) as script:

        def by_script(mass: int) -> None:
            base = script.get("/api/document").json()["revision"]
            operations = [["set", ["bodies", "rod", "mass"], mass]]
            body = {"base": base, "operations": operations, "label": "by a script"}
            assert script.post("/api/document/edit", json=body).is_success

        def is_there(*lines: str) -> None:
            wanted = (
                "lines => lines.every(line => document.querySelector('.text').shadowRoot"
                ".querySelector('.cm-content').innerText.includes(line))"
            )
            page.page.wait_for_function(wanted, arg=list(lines))
            text = script.get("/api/document").json()["text"]
            assert all(text.count(line) == 1 for line in lines)

        page.page.locator("#tab-text").click()
        page.page.locator(".cm-content").click()
        page.press("Control+Home")
        page.page.keyboard.type("# one\n")
        by_script(7)
        is_there("# one\n", "mass: 7")
        page.page.context.set_offline(True)
        page.page.keyboard.type("# two\n")
        page.page.get_by_text("The connection to the studio is lost").wait_for()
        page.page.keyboard.type("# three\n")
        by_script(8)
        page.page.context.set_offline(False)
        is_there("# one\n# two\n# three\n", "mass: 8")


def test_without_webgl_all_but_the_picture_works(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "four_bar"), script=NO_WEBGL)
    page.page.get_by_text("There is no WebGL here").wait_for()
    page.choose("parameters.density")
    page.fill("value", "3")
    number = page.finished(page.start("simulate", duration="0.2"))
    page.page.locator("#plot canvas").wait_for()
    assert len(page.curve(number, "q.crank")[0]) > 2
