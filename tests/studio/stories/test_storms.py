"""Nothing lost, nobody let in: a plug that is pulled, strangers, a file that others change."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.approx import TRAJECTORY
from tests.studio.conftest import copy_model, open_studio
from tests.studio.stories.conftest import picture
from tests.studio.stories.pages import PATIENCE, StudioPage

import kinetree as kt

if TYPE_CHECKING:
    from tests.studio.stories.conftest import OpenPage

STRANGER = """<!doctype html><title>trying</title><body><script>
const studio = "{origin}", got = [];
const note = (what, how) => got.push(what + " " + how);
const tries = [
  fetch(studio + "/api/document", {{credentials: "include"}})
    .then(async (r) => note("fetch", "read " + (await r.text()).length), () => note("fetch", "no")),
  fetch(studio + "/api/document/undo", {{method: "POST", credentials: "include", mode: "no-cors",
    headers: {{"content-type": "text/plain"}}, body: "{{}}"}}).then(() => note("post", "sent"), () => note("post", "no")),
  new Promise((done) => {{ const s = document.createElement("script"); s.src = studio + "/api/document";
    s.onload = () => {{ note("script", "ran"); done(); }}; s.onerror = () => {{ note("script", "no"); done(); }};
    document.body.append(s); }}),
  new Promise((done) => {{ const s = new WebSocket(studio.replace("http", "ws") + "/api/events");
    s.onopen = () => {{ note("socket", "open"); done(); }}; s.onerror = () => {{ note("socket", "no"); done(); }}; }}),
  new Promise((done) => {{ const f = document.createElement("iframe"); f.src = studio + "/";
    f.onload = () => {{ let seen = "no"; try {{ seen = f.contentDocument ? "no" : "no"; void f.contentWindow.document.body.innerHTML; seen = "read"; }} catch {{}}
      note("frame", seen); done(); }}; document.body.append(f); }}),
];
Promise.all(tries).then(() => (document.title = got.sort().join("; ")));
</script></body>"""  # noqa: E501


@contextmanager
def _foreign_page(origin: str) -> Iterator[str]:
    """A page of another origin on this machine."""
    text = STRANGER.format(origin=origin).encode()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_pulled_plug(browser: Any, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "slider_crank")
    studio = open_studio(file)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = StudioPage(context.new_page(), studio)
        page.page.goto(studio.address)
        page.settle(0)
        page.choose("bodies.rod")
        for mass in ("2.5", "2.75"):
            page.fill("mass", mass)
        page.start("simulate", duration="30000", rtol="1e-11")
        page.page.wait_for_selector("progress[aria-label='progress of run 1'][value]")
        known = page.text()
        studio.kill()  # as a plug that is pulled
        page.page.get_by_text("The connection to the studio is lost").wait_for()
        studio = open_studio(file)
        page = StudioPage(context.new_page(), studio)
        page.page.goto(studio.address)
        page.settle(0)
        assert page.text() == known
        time, _ = page.curve(1, "q.crank")
        assert time[-1] > 0
        page.edit(lambda: page.press("Control+z"))
        page.edit(lambda: page.press("Control+z"))
        assert page.text() == file.read_text(encoding="utf-8")
        page.edit(lambda: page.press("Control+Shift+z"))
        known = page.text()
        secret = context.cookies()
        context.close()  # now the browser
        context = browser.new_context()
        context.add_cookies(secret)
        page = StudioPage(context.new_page(), studio)
        page.page.goto(studio.origin)
        page.settle(0)
        assert page.text() == known
    finally:
        context.close()
        studio.kill()


def test_strangers(open_page: OpenPage, browser: Any, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.choose("bodies.rod")
    page.fill("mass", "3")
    before = page.text()
    other = page.page.context.new_page()  # the same browser, with the studio's cookie
    with _foreign_page(page.studio.origin) as address:
        other.goto(address)
        other.wait_for_function("() => document.title.includes('socket')", timeout=PATIENCE)
        assert other.title() == "fetch no; frame no; post no; script no; socket no"
        other.close()
    assert page.text() == before  # nothing of it reached the document
    hostile = browser.new_context().new_page()
    answer = hostile.goto(page.studio.origin)
    assert answer.status == 401
    hostile.context.close()
    page.fill("mass", "4")
    assert kt.load(page.save()).bodies["rod"].mass == 4


def test_a_file_changed_by_others_is_taken_by_element(open_page: OpenPage, tmp_path: Path) -> None:
    file = copy_model(tmp_path, "slider_crank")
    page = open_page(file)
    page.choose("bodies.rod")
    page.fill("mass", "3")
    theirs = file.read_text(encoding="utf-8").replace("mass: 5", "mass: 7")
    file.write_text(theirs, encoding="utf-8")
    page.page.get_by_text("has changed on the disk").wait_for()
    picture(page, "disk")
    page.edit(page.page.get_by_role("button", name="Take both, by element").click)
    saved = kt.load(page.save())
    assert isinstance(saved, kt.Model)
    assert [body.mass for body in saved.bodies.values()] == [1, 3, 7]


def test_a_pulled_body_takes_the_mechanism_along(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(copy_model(tmp_path, "slider_crank"))
    page.page.wait_for_selector("body[data-scene='0']")
    page.page.get_by_role("button", name="pull", exact=True).click()
    box = page.page.locator(".solid canvas").bounding_box()
    start = page.page.evaluate("() => window.kinetreeWorld.seen('slider')")
    at = (box["x"] + start[0], box["y"] + start[1])
    page.drag(at, (at[0] - 40, at[1]))
    page.page.locator("#pose").wait_for()
    page.edit(page.page.get_by_role("button", name="take as start").click)
    model = kt.load(page.save())
    assert isinstance(model, kt.Model)
    closed = kt.assemble(model)
    assert model.initial()[2] < 2.3  # it was at 2.35 m
    assert abs(closed.q - model.initial()).max() < TRAJECTORY
