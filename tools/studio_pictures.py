"""Pictures of the studio for the gallery, taken as a user would make them.

``python -m tools.studio_pictures FOLDER [NAME ...]`` opens copies of the shipped models in headless
Chromium at 1280 x 800, in light and dark colours, and writes FOLDER/NAME.png.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.studio.conftest import copy_model, running_studio
from tests.studio.stories.conftest import FLAGS
from tests.studio.stories.pages import StudioPage

SIZE = {"width": 1280, "height": 800}
COLOURS = 256
QUIET = 1500
"""After the last click, until the 3-D view is drawn as well as it can be [ms]."""


@dataclass(frozen=True)
class Sitting:
    """One picture: a model, colours, and what is done before it is taken."""

    model: str
    scheme: str
    steps: Callable[[StudioPage], None]


def _tick(page: StudioPage, *layers: str) -> None:
    summary = page.page.locator(".solid summary", has_text="layers")
    summary.click()
    for name in layers:
        page.page.locator(".solid").get_by_label(name, exact=True).check()
    summary.click()


def _signals(page: StudioPage, *names: str) -> None:
    """Show these curves and no others."""
    page.page.locator("#plot canvas").wait_for()
    ticked = page.page.locator(".signals input[type=checkbox]:checked")
    for _ in range(ticked.count()):
        ticked.first.uncheck()
    for name in names:
        page.page.locator(".signals label", has_text=name).first.locator("input").check()


def _see(page: StudioPage, t: float) -> None:
    """Wind the run that is shown to a time [s]."""
    page.page.wait_for_function("() => document.body.dataset.run !== undefined")
    page.page.get_by_label("Time", exact=True).fill(str(t))


def slider_crank(page: StudioPage) -> None:
    """A run of five seconds, seen at its second."""
    page.finished(page.start("simulate", duration="5"))
    _signals(page, "q.crank", "q.slide")
    page.choose("bodies.rod")
    _tick(page, "axes", "paths")
    _see(page, 2.0)


def quarter_car(page: StudioPage) -> None:
    """Its hardpoints as a table, with axes of joints and points in the 3-D view."""
    page.page.locator("#tab-tables").click()
    _tick(page, "axes", "points")
    page.page.locator("#find").fill("wishbone")
    page.choose("joints.wishbone")


def limousine(page: StudioPage) -> None:
    """Two seconds after it was let go with a roll, with the reactions in joints and closures."""
    page.finished(page.start("simulate", duration="2", q="roll=0.06"))
    _signals(page, "q.z", "q.roll")
    _tick(page, "reactions")
    page.page.wait_for_function("() => document.body.dataset.efforts !== undefined")
    page.page.locator("#tab-plots").click()
    page.page.locator("li[data-run='1'] .run-name").click()
    _see(page, 0.2)


def doctor(page: StudioPage) -> None:
    """A base too long for its loop: which closure stays open and by how much, drawn."""
    page.choose("parameters.base")
    page.fill("value", "0.9")
    page.page.wait_for_selector(".solid .canvas[data-open^='closures']")


def compare(page: StudioPage) -> None:
    """Two stiffnesses: curves over each other, and what differs."""
    first = page.finished(page.start("simulate", duration="0.5", q="heave=0.06"))
    page.choose("parameters.stiffness")
    page.fill("value", "90000")
    second = page.finished(page.start("simulate", duration="0.5", q="heave=0.06"))
    page.page.locator(f"li[data-run='{first}'] .run-name").click()
    page.page.locator(f"li[data-run='{second}']").get_by_label("overlay").check()
    page.page.locator(f"li[data-run='{second}']").get_by_label("ghost").check()
    _signals(page, "q.heave")
    _see(page, 0.3)


def equations(page: StudioPage) -> None:
    """Equations of a universal joint; a name lights its bodies."""
    page.page.locator("[data-path='joints.wishbone'] .step").first.click()
    page.page.locator("#tab-equations").click()
    page.page.wait_for_selector("body[data-equations='joints.wishbone']")
    page.page.locator(".equations .rows [data-n]").first.click()
    page.page.locator("#definition").wait_for()


PICTURES = {
    "studio": Sitting("slider_crank", "light", slider_crank),
    "studio_slider_crank_dark": Sitting("slider_crank", "dark", slider_crank),
    "studio_quarter_car": Sitting("quarter_car", "light", quarter_car),
    "studio_dark": Sitting("quarter_car", "dark", quarter_car),
    "studio_limousine": Sitting("limousine", "light", limousine),
    "studio_limousine_dark": Sitting("limousine", "dark", limousine),
    "studio_doctor": Sitting("four_bar", "light", doctor),
    "studio_compare": Sitting("quarter_car", "light", compare),
    "studio_equations": Sitting("quarter_car", "light", equations),
}


@contextmanager
def _opened(browser: Any, sitting: Sitting) -> Iterator[StudioPage]:
    """A page on a copy of a model."""
    with tempfile.TemporaryDirectory() as folder:
        file = copy_model(Path(folder), sitting.model)
        with running_studio(file) as studio:
            page = browser.new_page(viewport=SIZE, color_scheme=sitting.scheme)
            page.goto(studio.address)
            made = StudioPage(page, studio)
            made.settle(0)
            page.wait_for_selector("body[data-scene='0']")
            yield made
            page.close()


def _keep(png: bytes, file: Path) -> None:
    """Write a picture with as many colours as it needs: a third of the bytes."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    rare = Image.Quantize.MAXCOVERAGE  # of few pixels, too
    picture.quantize(COLOURS, rare, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)


def take(folder: Path, names: list[str]) -> None:
    """Write pictures of these names; of all, where none is given."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        for name in names or list(PICTURES):
            with _opened(browser, PICTURES[name]) as page:
                PICTURES[name].steps(page)
                page.page.mouse.move(5, 795)
                page.page.wait_for_timeout(QUIET)
                _keep(page.page.screenshot(), folder / f"{name}.png")
                print(folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]), sys.argv[2:])
