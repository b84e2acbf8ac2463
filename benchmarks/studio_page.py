"""How quick the page of the studio is in Chromium: median and 95th percentile, seconds.

Times are those of the page's own time line, from what a user does to the frame in which it is seen
(marks named kinetree:…).  Beside each stands what the browser's processes spend on one of them:
without a graphics card that includes what the card would do.
"""

from __future__ import annotations

import gzip
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from tests.studio.many_bodies import write_many_bodies

from benchmarks.studio_client import Client, Row, Timing, import_curves, row, studio
from benchmarks.studio_processes import grown, processes, spent

FLAGS = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader"]  # fmt: skip
CHROMIUM = next((b for name in ("chromium", "google-chrome") if (b := shutil.which(name))), None)
Edit = Callable[[int], list[Any]]
PATIENCE = 120_000
"""Longest wait for anything [ms]."""
MARK = "name => performance.getEntriesByName(`kinetree:${name}`).at(-1)?.startTime ?? -1"
SEEN = """([names, since]) => names.every(name => {
  const mark = performance.getEntriesByName(`kinetree:${name}`).at(-1);
  return mark && mark.startTime > since && mark.detail >= (window.asked ?? 0) })"""
EARLY = """() => {
  const paint = performance.getEntriesByType('paint')[0].startTime;
  return performance.getEntriesByType('resource').filter(row => row.responseEnd <= paint)
    .map(row => row.name.slice(location.origin.length)) }"""
PER_RUN = 20
"""Edits between two runs."""
KINDS = {"renderer": "the page's own process", "gpu-process": "drawing without a graphics card"}
PLACE = """async ([first, count]) => {
  const world = kinetreeWorld;
  const poses = world.positions.slice(1).map(at => [1, 0, 0, 0, at.x, at.y, at.z]);
  const found = [];
  for (let k = first; k < first + count; k++) {
    await new Promise(requestAnimationFrame);
    const began = performance.now();
    poses.forEach((pose, i) => { pose[1] = 0.1 * Math.sin(0.1 * k + i) });
    world.place(poses);
    world.render();
    found.push((performance.now() - began) / 1000);
  }
  return found }"""

FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
DRAGGED = "b3"
LEGIBLE = 20.0
"""Height of a body whose name can be read [px]."""


def _arm(k: int) -> list[Any]:
    """A body on a hinge of the chassis."""
    joint = {"kind": "revolute", "parent": "chassis", "child": f"arm{k}", "axis": "z"}
    body = {"mass": 1, "inertia": [1, 1, 1], "points": {"end": [0.3, 0, 0]}}
    return [["add", "bodies", f"arm{k}", body], ["add", "joints", f"arm{k}", joint]]


def _pin(k: int) -> list[Any]:
    """What holds the end of such a body, which was there before."""
    held = {"kind": "ball", "first": "arm.end", "second": "chassis.arm"}
    return [["add", "closures", f"pin{k}", held]]


STRUCTURES: tuple[tuple[str, Edit, Edit], ...] = (
    (
        "joint",
        _arm,
        lambda k: [["remove", ["joints", f"arm{k}"]], ["remove", ["bodies", f"arm{k}"]]],
    ),
    ("closure", _pin, lambda k: [["remove", ["closures", f"pin{k}"]]]),
)
"""What, the operations that add it the k-th time, and those that take it away."""


class Tab:
    """A page of a studio in a browser."""

    def __init__(self, browser: Any, client: Client) -> None:
        self.client = client
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": name, "value": value, "url": client.origin}
                             for name, value in client.http.cookies.items()])  # fmt: skip
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(client.origin)
        self.wait("diagram", "solid")
        self.metrics = context.new_cdp_session(self.page)
        self.metrics.send("Performance.enable", {"timeDomain": "threadTicks"})

    def wait(self, *names: str, since: float = -1.0) -> list[float]:
        """Until these are on the screen; when they were [s]."""
        self.page.wait_for_function(SEEN, arg=[list(names), since])
        return [self.page.evaluate(MARK, name) / 1000 for name in names]

    def now(self) -> float:
        """Of the page's time line [ms]."""
        return float(self.page.evaluate("() => performance.now()"))

    def edit(self, *operations: Any) -> float:
        """Begin an edit in the page; when [ms]."""
        return float(self.page.evaluate(
            "rows => { window.asked = Number(document.body.dataset.revision) + 1;"
            " void kinetreeEdit(rows, 'edit'); return performance.now() }", operations
        ))  # fmt: skip

    def main_thread(self) -> float:
        """Processor time of the page's main thread so far [s]."""
        rows = self.metrics.send("Performance.getMetrics")["metrics"]
        return float(next(r["value"] for r in rows if r["name"] == "TaskDuration"))

    def heap(self) -> float:
        """What the page holds, after garbage was collected [MB]."""
        self.metrics.send("HeapProfiler.collectGarbage")
        return float(self.page.evaluate("() => performance.memory.usedJSHeapSize")) / 1e6


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser until the end of the block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        try:
            yield made
        finally:
            made.close()


def trials(call: Callable[[], float], count: int) -> Timing:
    """Durations that calls tell, and what the browser spends on each."""
    before = spent()
    walls = [call() for _ in range(count)]
    return Timing(walls, (spent() - before) / count)


def page_rows(few: bool) -> tuple[list[Row], str]:
    """All rows of the browser, and what draws its pictures."""
    with chromium() as browser:
        with studio("limousine") as client:
            tab = Tab(browser, client)
            time.sleep(6)  # native code is made beside
            renderer = str(tab.page.evaluate("() => kinetreeWorld.renderer()"))
            rows = opens(tab, 5 if few else 40)
            rows += edits(tab, 10 if few else 100)
            rows += structures(tab, 3 if few else 10)
            rows += equations(tab, 5 if few else 40)
        with studio(lambda file: write_many_bodies(file, 300, 40)) as client:
            rows += many(Tab(browser, client), 30 if few else 300)
        with studio("four_bar") as client:
            import_curves(client)
            rows += curves(Tab(browser, client), 10 if few else 60)
        with studio("quarter_car") as client:
            rows += growth(Tab(browser, client), 40 if few else 1000)
    return rows, renderer


def opens(tab: Tab, count: int) -> list[Row]:
    """From the address to diagram, 3-D and text on the screen."""
    page, origin = tab.page, tab.client.origin
    page.evaluate("() => localStorage.setItem('kinetree-studio-tab', JSON.stringify('text'))")
    diagrams, sizes, shares = [], [], []

    def once() -> float:
        page.goto("about:blank")
        before = [processes(kind) for kind in KINDS]
        page.goto(origin, wait_until="commit")
        found = max(tab.wait("diagram", "solid", "text"))
        shares.append([grown(kind, old) for kind, old in zip(KINDS, before, strict=True)])
        diagrams.append(tab.page.evaluate(MARK, "diagram") / 1000)
        sizes.append(sum(_compressed(tab.client, path) for path in page.evaluate(EARLY)))
        return found

    walls = [once() for _ in range(count)]
    found = Timing(walls, float(np.sum(shares)) / count)  # without the browser's own process
    page.evaluate("() => localStorage.setItem('kinetree-studio-tab', JSON.stringify('checks'))")
    kilobytes = f"{np.median(sizes) / 1000:.0f} KB compressed before the first paint"
    return [
        row(f"page open: diagram, 3-D and text seen ({kilobytes})", "1.5", found),
        row("page open: diagram seen", "-", Timing(diagrams)),
        *(row(f"page open: CPU of {what}", "-", Timing(list(share)))
          for what, share in zip(KINDS.values(), zip(*shares, strict=True), strict=True)),
    ]  # fmt: skip


def _compressed(client: Client, path: str) -> int:
    return len(gzip.compress(client.http.get(path).content))


def edits(tab: Tab, count: int) -> list[Row]:
    """A number of the Limousine changed, to everything that follows on the screen."""
    tab.page.goto(tab.client.origin)
    tab.wait("diagram", "solid")
    state = {"mass": 1900.0}

    def number() -> float:
        state["mass"] += 1
        began = tab.edit(["set", ["bodies", "chassis", "mass"], state["mass"]])
        found = max(tab.wait("checked", "solid", since=began)) - began / 1000
        time.sleep(0.05)
        return found

    number()
    return [row("number changed: findings, doctor and pose seen", "0.1", trials(number, count))]


def structures(tab: Tab, count: int) -> list[Row]:
    """A body on a joint added there, and a closure that holds it."""
    began = tab.edit(
        ["set", ["bodies", "chassis", "points", "arm"], [0.3, 0, 0]],
        ["add", "bodies", "arm", {"mass": 1, "inertia": [1, 1, 1], "points": {"end": [0.3, 0, 0]}}],
        ["add", "joints", "arm", {"kind": "revolute", "parent": "chassis", "child": "arm",
                                  "axis": "z"}],
    )  # fmt: skip
    tab.wait("checked", since=began)
    rows, before = [], spent()
    for what, add, remove in STRUCTURES:
        early, whole = [], []
        for k in range(count):
            began = tab.edit(*add(k))
            checked, solid = tab.wait("checked", "solid", since=began)
            findings = tab.page.evaluate(MARK, "findings") / 1000
            early.append((findings if findings > began / 1000 else checked) - began / 1000)
            whole.append(max(checked, solid) - began / 1000)
            began = tab.edit(*remove(k))
            tab.wait("checked", since=began)
        each = (spent() - before) / count / 2
        rows.append(row(f"{what} added: findings seen", "0.1", Timing(early)))
        rows.append(row(f"{what} added: doctor and pose seen", "0.6", Timing(whole, each)))
        before = spent()
    return rows


def equations(tab: Tab, count: int) -> list[Row]:
    """Equations of joints of the Limousine, clicked in the tree."""
    page = tab.page
    page.locator("#tab-equations").click()
    paths = page.locator("[data-path^='joints.']").evaluate_all(
        "rows => rows.map(r => r.dataset.path)"
    )
    state = {"k": 0}

    def click() -> float:
        path = paths[state["k"] % len(paths)]
        state["k"] += 1
        began = tab.now()
        page.evaluate("path => { window.asked = 0; document.querySelector("
                      "`[role=treeitem][data-path='${path}']`).click() }", path)  # fmt: skip
        return tab.wait("equations", since=began)[0] - began / 1000

    click()  # derived here
    return [row("equations of a clicked joint seen, once derived", "0.3", trials(click, count))]


def many(tab: Tab, count: int) -> list[Row]:
    """300 moving bodies in 3-D, and one that is dragged in the diagram."""
    before = spent()
    walls = tab.page.evaluate(PLACE, [0, count])
    moved = Timing(walls, (spent() - before) / count)
    said = tab.page.evaluate("() => kinetreeWorld.count()")
    name = f"300 moving bodies ({said['calls']} calls, {said['triangles']} triangles)"
    alone = _main_thread(tab, count, lambda k: tab.page.evaluate(PLACE, [k, 1]))
    far = row("body dragged among 300, all in view: main thread of a frame (CPU)", "0.008",
              _dragged(tab, count))  # fmt: skip
    _zoom_to(tab, DRAGGED)
    near = row("body dragged among 300, legible: main thread of a frame (CPU)", "0.008",
               _dragged(tab, count))  # fmt: skip
    return [
        row(f"{name}: script of a frame", "0.004, 0.008", moved),
        row(f"{name}: main thread of a frame (CPU)", "0.004, 0.008", alone),
        far, near,
    ]  # fmt: skip


def _middle(tab: Tab, body: str) -> tuple[float, float, float]:
    """Of a body of the diagram, and its height [px]."""
    box = tab.page.locator(f".react-flow__node[data-id='bodies.{body}']").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"]


def _zoom_to(tab: Tab, body: str) -> None:
    """Turn the wheel over a body until its name can be read."""
    while (found := _middle(tab, body))[2] < LEGIBLE:
        tab.page.mouse.move(*found[:2])
        tab.page.mouse.wheel(0, -120)
        tab.page.evaluate(FRAME)


def _main_thread(tab: Tab, count: int, move: Callable[[int], object]) -> Timing:
    """Processor time of every frame in which something moves, less that of a still frame."""

    def spent_on(k: int | None) -> float:
        tab.page.evaluate(FRAME)
        before = tab.main_thread()
        if k is not None:
            move(k)
        tab.page.evaluate(FRAME)
        return tab.main_thread() - before

    still = float(np.median([spent_on(None) for _ in range(count)]))
    return Timing([spent_on(k) - still for k in range(count)])


def _dragged(tab: Tab, count: int) -> Timing:
    """Main thread of every frame of a drag."""
    (x, y, _), mouse = _middle(tab, DRAGGED), tab.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 8, y + 8)
    tab.page.locator(".diagram.moving").wait_for()  # it is the body that is held, not an anchor

    found = _main_thread(
        tab, count, lambda k: mouse.move(x + 10 + 4 * (k % 20), y + 10 + 3 * (k % 13))
    )
    mouse.move(x, y)
    mouse.up()
    tab.wait("checked")
    return found


def curves(tab: Tab, count: int) -> list[Row]:
    """Ten curves of a million points, shown and zoomed."""
    page = tab.page
    page.locator("#tab-plots").click()
    over = page.locator(".run-list").get_by_label("overlay")
    over.check()
    boxes = page.locator(".signals input[type=checkbox]")
    boxes.nth(9).wait_for()
    for k in range(10):
        boxes.nth(k).check()
    page.wait_for_function("() => document.body.dataset.curves?.split(',').length === 10")
    page.evaluate("() => { window.asked = 0 }")

    def show() -> float:
        over.uncheck()
        page.locator("#plot").wait_for(state="detached")
        began = tab.now()
        over.evaluate("box => box.click()")
        return tab.wait("curves", since=began)[0] - began / 1000

    first = trials(show, max(3, count // 4))
    boxes.nth(9).wait_for()
    for k in range(10):
        boxes.nth(k).check()
    plot = page.locator("#plot")
    plot.focus()
    state = {"k": 0}

    def zoom() -> float:
        state["k"] += 1
        key = "+" if state["k"] % 9 else "0"
        began = tab.now()
        plot.dispatch_event("keydown", {"key": key, "bubbles": True})
        return tab.wait("curves", since=began)[0] - began / 1000

    zoomed = trials(zoom, count)
    return [
        row("ten curves of 10⁶ points seen", "0.5", first),
        row("ten curves of 10⁶ points, zoomed and seen", "0.05", zoomed),
    ]


def growth(tab: Tab, count: int) -> list[Row]:
    """How the memory of the page grows over edits, and a run after every twentieth of them."""

    def change(first: int, last: int) -> None:
        for k in range(first, last):
            began = tab.edit(["set", ["bodies", "chassis", "mass"], 400 + k])
            tab.wait("checked", since=began)
            if k % PER_RUN == 0:
                tab.client.wait(tab.client.run("partition"), "going", "waiting")

    change(0, 20)
    before = tab.heap()
    change(20, 20 + count)
    more = 100 * (tab.heap() / before - 1)
    name = f"page after {count} edits and {count // PER_RUN} runs [% of {before:.0f} MB]"
    return [(name, "20", more, more, None, 1)]


if __name__ == "__main__":
    print(json.dumps(page_rows(True), indent=1))
