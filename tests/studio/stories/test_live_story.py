"""A simulation in the browser: the motion that Python makes, sliders, a body that is pulled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.approx import AT_STATES, FOUR_DIGITS
from tests.studio.conftest import copy_model
from tests.studio.stories.conftest import picture

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage
    from tests.studio.stories.pages import StudioPage


def _curves(page: StudioPage) -> Any:
    """Times and curves that the page has recorded."""
    return page.page.evaluate(
        "() => ({t: [...kinetreeCurves.times], ...Object.fromEntries(kinetreeCurves.columns)})"
    )


def _go(page: StudioPage, word: str) -> None:
    bar = page.page.get_by_role("toolbar", name="Live simulation")
    bar.get_by_role("button", name=word, exact=True).click()


def _until(page: StudioPage, t: float) -> None:
    page.page.wait_for_function("t => (kinetreeCurves.times.at(-1) ?? 0) > t", arg=t)


def test_a_mechanism_lives_on_the_page(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "double_pendulum")
    page = open_page(file)
    page.finished(page.start("simulate", duration="0.1"))  # a run that is shown gives way
    page.press("l")
    page.page.locator("#live-time").wait_for()
    step = page.ask("/api/live")["data"]["step"]
    _go(page, "go")
    _until(page, 0.5)
    _go(page, "pause")
    seen = _curves(page)
    run = kt.simulate(kt.load(file), seen["t"][-1], method="trapezoidal", step=step)
    rows = np.rint(np.array(seen["t"]) / step).astype(int)
    for name in ("shoulder", "elbow"):
        known = run.q.sel(coordinate=name).values[rows]
        np.testing.assert_allclose(seen[f"q.{name}"], known, atol=AT_STATES)

    _pull(page)
    picture(page, "live")

    # a slider that poses begins anew; the pose is an edit of the text
    page.page.locator("#live-q-shoulder").fill("0.25")
    page.page.wait_for_function("() => kinetreeCurves.times.length === 1")
    page.edit(page.page.get_by_role("button", name="take as start").first.click)
    saved = kt.load(page.save())
    assert abs(saved.initial()[0] - 0.25) < FOUR_DIGITS
    page.page.get_by_text("The text has changed since.").wait_for()
    page.page.get_by_role("button", name="end", exact=True).click()
    page.page.locator("#live-start").wait_for()


def _pull(page: StudioPage) -> None:
    """Take hold of a rod that stands, then let the time go on: it comes to the hand."""
    _go(page, "from the start")
    page.page.wait_for_function("() => kinetreeCurves.times.length === 1")
    page.page.get_by_role("button", name="pull", exact=True).click()
    box = page.page.locator(".solid canvas").bounding_box()
    seen = page.page.evaluate("() => kinetreeWorld.seen('bodies.lower.points.tip')")
    pivot = page.page.evaluate("() => kinetreeWorld.seen('lower')")
    held = [pivot[k] + 0.5 * (seen[k] - pivot[k]) for k in (0, 1)]  # in the middle of the rod
    start = (box["x"] + held[0], box["y"] + held[1])
    way = (25.0, -15.0)
    mouse = page.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(start[0] + way[0], start[1] + way[1], steps=3)
    go = page.page.get_by_label("Live motion").get_by_role("button", name="Go")
    go.evaluate("button => button.click()")  # the mouse is busy
    _until(page, _curves(page)["t"][-1] + 1.0)
    pivot, tip = (
        page.page.evaluate("name => kinetreeWorld.seen(name)", name)
        for name in ("lower", "bodies.lower.points.tip")
    )
    now = [pivot[k] + 0.5 * (tip[k] - pivot[k]) for k in (0, 1)]
    mouse.up()
    _go(page, "pause")
    left = np.subtract(now, np.add(held, way))
    assert np.hypot(*left) < 0.5 * np.hypot(*way)
