"""The page of the studio as a user sees it: done by mouse or keys, and waited for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.studio.conftest import Studio


PATIENCE = 90_000
"""Longest wait for anything on a page [ms]: machines that test are busy with other tests."""
SOLID = "() => performance.getEntriesByName('kinetree:solid').length > 0"
STILL = """() => new Promise(done => {
  const quiet = () => { watching.disconnect(); done() };
  const wait = () => { clearTimeout(timer); timer = setTimeout(quiet, 300) };
  const watching = new MutationObserver(wait);
  let timer = setTimeout(quiet, 300);
  watching.observe(document.body,
    {subtree: true, childList: true, attributes: true, characterData: true}) })"""
"""Until nothing of the page has changed for 0.3 s."""


class StudioPage:
    """A page and its studio."""

    def __init__(self, page: Any, studio: Studio) -> None:
        self.page, self.studio = page, studio
        page.set_default_timeout(PATIENCE)

    # --- waiting

    @property
    def revision(self) -> int:
        return int(self.page.locator("body").get_attribute("data-revision") or 0)

    def settle(self, least: int) -> int:
        """Wait until a revision is there, and what follows from it is shown."""
        self.page.wait_for_function(
            "least => { const d = document.body.dataset;"
            " return d.checked !== '' && Number(d.revision) >= least && d.checked === d.revision }",
            arg=least,
        )
        return self.revision

    def seen(self) -> None:
        """Wait until the mechanism is on the screen in 3-D, which comes behind all else."""
        self.page.wait_for_function(SOLID)

    def still(self) -> None:
        """Wait until all is on the screen and nothing changes any more."""
        self.seen()
        self.page.evaluate(STILL)

    def edit(self, do: Callable[[], object]) -> int:
        """Do something that changes the text."""
        before = self.revision
        do()
        return self.settle(before + 1)

    # --- what is read

    def text(self) -> str:
        said: str = self.ask("/api/document")["text"]
        return said

    def ask(self, path: str, body: Any = None) -> Any:
        """What the server answers to the page's own cookie."""
        return self.page.evaluate(
            "async ([path, body]) => (await fetch(path, body === null ? {} : {method: 'POST',"
            " body: JSON.stringify(body), headers: {'content-type': 'application/json'}})).json()",
            [path, body],
        )

    def curve(self, run: int, name: str) -> tuple[list[float], list[float]]:
        said = self.ask(f"/api/runs/{run}/signals?name={name}")
        return said["time"], said["curves"][name]

    # --- what is done by mouse

    def draw_body(self, name: str, x: float, y: float) -> None:
        """Arm the tool, click a place, type a name."""
        self.page.get_by_role("button", name="Body", exact=True).click()
        pane = self.page.locator(".react-flow__pane").bounding_box()

        def place() -> None:
            self.page.mouse.click(pane["x"] + x, pane["y"] + y)

        self.edit(place)
        field = self.page.locator(".react-flow__node input.rename")
        field.fill(name)
        self.edit(lambda: field.press("Enter"))

    def anchor(self, place: str, side: str = "") -> tuple[float, float]:
        found = self.page.locator(f".react-flow__handle[data-anchor='{place}']{side}").first
        box = found.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
        mouse.move(*end, steps=3)
        mouse.up()

    def connect(self, first: str, second: str, group: str, kind: str) -> None:
        """Drag from anchor to anchor and choose what connects them."""
        left = ".react-flow__handle-left" if "." not in second else ""
        self.drag(self.anchor(first, ".react-flow__handle-right" * ("." not in first)),
                  self.anchor(second, left))  # fmt: skip
        column = self.page.get_by_role("group", name=group, exact=True)
        item = column.get_by_role("menuitem", name=kind, exact=True)
        self.edit(item.click)

    def choose(self, path: str) -> None:
        """Click an element of the tree."""
        self.page.locator(f"[role=treeitem][data-path='{path}']").click()

    def fill(self, label: str, value: str) -> None:
        """Write into a field of the properties."""
        field = self.page.locator(".panel").get_by_label(label, exact=True)
        field.fill(value)
        self.edit(lambda: field.press("Enter"))

    def start(self, analysis: str, **options: str | bool) -> int:
        """Start an analysis by its form; its number."""
        self.page.locator("#run").click()
        self.page.locator("#analysis").select_option(analysis)
        more = self.page.locator("dialog details.more:not([open]) summary")
        if more.count():
            more.click()
        for name, value in options.items():
            field = self.page.locator(f"#option-{name}")
            field.check() if value is True else field.fill(str(value))
        number = len(self.ask("/api/runs")["runs"]) + 1
        self.page.locator("dialog").get_by_role("button", name="Run", exact=True).click()
        return number

    def finished(self, number: int) -> int:
        """Wait until the last run has ended, and see that it has ended well."""
        self.page.wait_for_function(
            "number => { const [run, state] = (document.body.dataset.last ?? '').split(' ');"
            " return Number(run) === number && !['waiting', 'going', undefined].includes(state) }",
            arg=number,
        )
        last = self.page.locator("body").get_attribute("data-last")
        assert last == f"{number} finished", self.ask("/api/runs")
        return number

    def save(self) -> Path:
        self.page.keyboard.press("Control+s")
        self.page.wait_for_selector("#save:disabled")
        return self.studio.file

    # --- what is done by keys

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def command(self, words: str) -> None:
        """Find a command in the palette and do it."""
        self.press("Control+k")
        self.page.keyboard.type(words)
        self.press("Enter")

    def tab_to(self, selector: str) -> None:
        """Press Tab until something has the focus."""
        for _ in range(80):
            if self.page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")
