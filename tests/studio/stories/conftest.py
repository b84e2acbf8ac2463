"""One browser for all stories; each has a folder, a studio and a page of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import running_studio
from tests.studio.stories.pages import StudioPage

from kinetree.studio.app import BUNDLE

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="there is no playwright: pip install playwright"
)
CHROMIUM = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
PICTURES = os.environ.get("KINETREE_PICTURES")
OpenPage = Callable[..., StudioPage]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    if not (BUNDLE / "studio.js").is_file():
        pytest.skip("the viewer and the studio are not built: run 'make web', which needs node")
    with sync_api.sync_playwright() as playwright:
        made = _launch(playwright)
        yield made
        made.close()


def _launch(playwright: Any) -> Any:
    """A browser; its first start on a machine may hang, so it is tried twice."""
    how = {"executable_path": CHROMIUM, "args": FLAGS}
    try:
        return playwright.chromium.launch(**how, timeout=90_000)
    except sync_api.Error:
        return playwright.chromium.launch(**how, timeout=120_000)


@pytest.fixture
def open_page(browser: Any, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Opens a file, or a folder without one; what the browser complains about fails the story."""
    wrong: list[str] = []
    with ExitStack() as stack:

        def opened(path: Path, *, script: str = "") -> StudioPage:
            studio = stack.enter_context(running_studio(path))
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            stack.callback(context.close)
            if script:
                context.add_init_script(script)
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda said: wrong.append(said.text) if _is_bad(said) else None)
            made = StudioPage(page, studio)
            page.goto(studio.address)
            if path.is_file():
                made.settle(0)
            return made

        yield opened
        assert not wrong


def _is_bad(said: Any) -> bool:
    """Refusals, lost connections and no WebGL are told by the page; all else is a defect."""
    told = ("the server responded with a status of 4", "ERR_INTERNET_DISCONNECTED", "WebGL")
    return said.type == "error" and not any(text in said.text for text in told)


def picture(page: StudioPage, name: str) -> None:
    """Keep a picture of a story, where a folder is given for them."""
    if PICTURES:
        page.page.wait_for_timeout(400)
        page.page.screenshot(path=Path(PICTURES) / f"{name}.png")
