"""Strangers on this machine: a page of another origin, and somebody who sends rubbish."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.studio.malformed import RawRequest, by_hand, draw

if TYPE_CHECKING:
    from tests.studio.conftest import Studio

PAUSE = 0.1
"""Between two malformed requests [s]: the machine has other work, too."""
FOREIGN_PAGE = """<!doctype html><title>trying</title><body><script>
const studio = "{origin}", got = [];
const note = (what, how) => got.push(what + " " + how);
const element = (name, given) => document.body.appendChild(Object.assign(document.createElement(name), given));
const tries = [
  fetch(studio + "/api/document", {{credentials: "include"}})
    .then(async (r) => note("fetch", "read " + (await r.text()).length), () => note("fetch", "no")),
  fetch(studio + "/api/document/undo", {{method: "POST", credentials: "include", mode: "no-cors",
    headers: {{"content-type": "text/plain"}}, body: "{{}}"}}).then(() => note("post", "sent"), () => note("post", "no")),
  new Promise((done) => {{
    const frame = element("iframe", {{name: "answer", onload: () => {{
      let seen = "no";
      try {{ void frame.contentWindow.document.body.innerHTML; seen = frame.contentWindow.location.href === "about:blank" ? "" : "read"; }} catch {{}}
      if (seen) {{ note("form", seen); done(); }}
    }} }});
    const form = element("form", {{action: studio + "/api/document/undo", method: "post", enctype: "text/plain", target: "answer"}});
    form.append(Object.assign(document.createElement("input"), {{name: '{{"a', value: '":1}}'}}));
    form.submit();
  }}),
  new Promise((done) => element("script", {{src: studio + "/api/document",
    onload: () => {{ note("script", "ran"); done(); }}, onerror: () => {{ note("script", "no"); done(); }} }})),
  new Promise((done) => {{ const s = new WebSocket(studio.replace("http", "ws") + "/api/events");
    s.onopen = () => {{ note("socket", "open"); done(); }}; s.onerror = () => {{ note("socket", "no"); done(); }}; }}),
  new Promise((done) => {{
    const frame = element("iframe", {{src: studio + "/", onload: () => {{
      let seen = "no";
      try {{ void frame.contentWindow.document.body.innerHTML; seen = "read"; }} catch {{}}
      note("frame", seen); done();
    }} }});
  }}),
];
Promise.all(tries).then(() => (document.title = [...new Set(got)].sort().join("; ")));
</script></body>"""  # noqa: E501
IN_VAIN = "fetch no; form no; frame no; post no; script no; socket no"
"""Title of the foreign page that got nothing."""


@contextmanager
def foreign_page(origin: str) -> Iterator[str]:
    """Address of a page of another origin on this machine, which tries what it can."""
    text = FOREIGN_PAGE.format(origin=origin).encode()

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


@dataclass
class Rubbish:
    """Malformed requests that go on beside a story.

    Attributes:
        answers: status of every one; 0 where the connection was left.
        wrong: those that were answered otherwise than with a refusal.
    """

    answers: list[int] = field(default_factory=list)
    wrong: list[tuple[int, RawRequest]] = field(default_factory=list)

    def send(self, port: int, stop: threading.Event) -> None:
        """Send requests without the secret until somebody says stop."""
        chance = random.Random(4)
        while not stop.wait(PAUSE):
            request = by_hand(chance) if chance.random() < 0.4 else draw(chance)
            known = {"Cookie": "kinetree_studio_1=guess"} if chance.random() < 0.5 else {}
            status = request.send(port, known)
            self.answers.append(status)
            if not (status == 0 or 400 <= status < 500):
                self.wrong.append((status, request))


@contextmanager
def besieged(studio: Studio, page: Any) -> Iterator[Rubbish]:
    """A foreign page in the same browser, and rubbish, while something else goes on in front."""
    stop, rubbish = threading.Event(), Rubbish()
    port = int(studio.origin.rpartition(":")[2])
    sender = threading.Thread(target=rubbish.send, args=(port, stop))
    with ExitStack() as stack:
        address = stack.enter_context(foreign_page(studio.origin))
        other = page.context.new_page()
        stack.callback(other.close)
        other.goto(address)
        page.bring_to_front()  # what is behind others is drawn once a second
        sender.start()
        try:
            yield rubbish
        finally:
            stop.set()
            sender.join()
        other.wait_for_function("() => document.title.includes('socket')")
        assert other.title() == IN_VAIN
