"""The studio in a browser: the text typed, drawn, checked, undone, saved and run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.view.page import BUNDLE

if TYPE_CHECKING:
    from tests.studio.conftest import Studio

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="there is no playwright: pip install playwright"
)
BROWSER = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader"]


@pytest.fixture
def page(studio: Studio) -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("there is no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = launch(playwright)
        made = browser.new_page(viewport={"width": 1280, "height": 800})
        made.set_default_timeout(60_000)
        wrong: list[str] = []
        made.on("pageerror", lambda error: wrong.append(str(error)))
        made.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        made.goto(studio.address)
        made.wait_for_selector("body[data-checked='0']")
        yield made
        browser.close()
        assert not [line for line in wrong if "409" not in line]  # a text that cannot be drawn


def launch(playwright: Any) -> Any:
    """A browser; its first start on a machine may hang, so it is tried twice."""
    how = {"executable_path": BROWSER, "args": FLAGS}
    try:
        return playwright.chromium.launch(**how, timeout=60_000)
    except sync_api.Error:
        return playwright.chromium.launch(**how, timeout=120_000)


def checked(page: Any, revision: int) -> None:
    page.wait_for_selector(f"body[data-checked='{revision}']")


def test_a_model_is_typed_drawn_checked_saved_and_run(page: Any, studio: Studio) -> None:
    assert page.locator("#diagram g.body").count() == 4
    assert "mobility 1" in page.locator("#loops").text_content()
    text = page.locator("#text")
    before = text.input_value()
    # a mistake is told at its line, and the last good drawing stays, pale
    text.fill(before.replace("child: rod,", "child: rdo,"))
    checked(page, 1)
    assert "did you mean 'rod'" in page.locator("#findings .error").text_content()
    assert "stale" in (page.locator("#diagram").get_attribute("class") or "")
    page.locator("#findings .error").click()
    chosen = page.locator("#text").evaluate("x => x.value.slice(x.selectionStart, x.selectionEnd)")
    assert chosen.startswith("  rod: {kind: revolute")
    page.keyboard.press("Control+z")
    checked(page, 2)
    assert text.input_value() == before
    # a body is moved by the mouse, another one by a key; both are one line of the file each
    box = page.locator("g[data-path='bodies.slider']").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 70, steps=4)
    page.mouse.up()
    checked(page, 3)
    page.locator("g[data-path='bodies.crank']").focus()
    page.keyboard.press("ArrowDown")
    checked(page, 4)
    text.fill(text.input_value().replace("mass: 5", "mass: 4 # ∆ 𝛿"))
    checked(page, 5)
    page.keyboard.press("Control+s")
    sync_api.expect(page.locator("#save")).to_be_disabled()
    saved = studio.file.read_text(encoding="utf-8")
    assert saved == text.input_value()
    added = [line for line in saved.splitlines() if line not in before.splitlines()]
    names = [line.split(":")[0].strip() for line in added]
    assert names == ["mass", "layout", "diagram", "slider", "crank"]
    page.locator("#duration").fill("1")
    page.get_by_role("button", name="Run", exact=True).click()
    if not BUNDLE.is_file():
        pytest.skip("the viewer is not built: run 'make web', which needs node")
    page.wait_for_selector("body[data-run='1']")
    page.locator("#signal").select_option("q.crank")
    label = _label(kt.load(studio.file))
    sync_api.expect(page.locator("#plot")).to_have_attribute("aria-label", label, timeout=30_000)
    page.frame_locator("#page").locator("canvas").first.wait_for()
    if folder := os.environ.get("KINETREE_PICTURES"):
        page.wait_for_timeout(1500)
        page.screenshot(path=Path(folder) / "studio.png")


def _label(model: kt.Model) -> str:
    """What the curve of the crank says to those who do not see it."""
    crank = kt.simulate(model, 1.0).q.sel(coordinate="crank").values
    first, last = (
        np.format_float_positional(x, 4, unique=False, fractional=False) for x in crank[[0, -1]]
    )
    return f"q.crank: from {first} to {last}"
