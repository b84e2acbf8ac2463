"""The routes of the studio: thin, each a function of the open file or of its text.

What there is stands in the table of `interface`; every row is answered by the function of its name
in `routes`.  Page and socket are there at once; the rooms that answer, which know all kinds,
methods and formalisms, are loaded beside.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from kinetree.studio.desk import Desk
from kinetree.studio.interface import ENDPOINTS, SOCKET, Endpoint, openapi
from kinetree.studio.routes.answering import Handler, tell_mistakes
from kinetree.studio.shared import beside
from kinetree.studio.telling import DeskNews, tell

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

PAGE = Path(__file__).with_name("page")
"""What the browser gets first."""
BUNDLE = Path(__file__).with_name("bundle")
"""The front end: web/studio built by `make web`."""
KINDS = {".js": "text/javascript", ".css": "text/css"}
"""Files of the front end."""
ASKED_FIRST = ", ".join(
    f"<{path}>; rel=preload; as=fetch; crossorigin"
    for path in ("/api/files", "/api/document", "/api/view")
)
"""Told with the page: the browser asks for what is shown first while it reads the scripts."""


def application(desk: Desk, then: Callable[[], object] = lambda: None) -> Starlette:
    """The studio of one folder.

    Args:
        desk: the folder, and the file that is open.
        then: called when everything is loaded and the text was checked for the first time.
    """
    answers = LoadedAnswers(desk, then)
    routes = [_route(row, answers.handler(row.name)) for row in ENDPOINTS]

    async def events(socket: WebSocket) -> None:
        await tell(socket, DeskNews(desk))

    return Starlette(routes=[*_files(desk), *routes, WebSocketRoute(SOCKET, events)])


class LoadedAnswers:
    """Who answers, loaded in a thread; requests that come before wait."""

    def __init__(self, desk: Desk, then: Callable[[], object]) -> None:
        self._desk, self._then = desk, then
        self._found: Future[dict[str, Handler]] = Future()
        threading.Thread(target=self._load, daemon=True).start()

    def handler(self, name: str) -> Handler:
        """Answers to a row of the interface."""

        async def handle(request: Request) -> Response:
            if not self._found.done():
                await asyncio.shield(asyncio.wrap_future(self._found))
            return await self._found.result()[name](request)

        return handle

    def _load(self) -> None:
        try:
            self._found.set_result(_answers(self._desk))
        except BaseException as error:
            self._found.set_exception(error)
            raise
        _look_ahead(self._desk)
        self._then()


def _answers(desk: Desk) -> dict[str, Handler]:
    """Who answers, by the name of the row of the interface."""
    from kinetree.studio.routes.documents import document_answers  # noqa: PLC0415  see above
    from kinetree.studio.routes.panes import pane_answers  # noqa: PLC0415
    from kinetree.studio.routes.runs import run_answers  # noqa: PLC0415

    return {**document_answers(desk), **pane_answers(desk), **run_answers(desk),
            "openapi": _description}  # fmt: skip


def _look_ahead(desk: Desk) -> None:
    """Check texts before the page asks; what is wrong with them is told when it does."""
    from kinetree.studio.panes.checks import check  # noqa: PLC0415  see above

    desk.expect = beside(check)
    with suppress(Exception):
        check(desk.session.text)


def _route(row: Endpoint, answer: Handler) -> Route:
    return Route(row.path, tell_mistakes(answer), methods=[row.method])


def _files(desk: Desk) -> list[BaseRoute]:
    """The page itself; a sentence where the front end is not built, or by older sources."""
    built = all((BUNDLE / name).is_file() for name in ("index.html", "studio.js"))
    found = [file for file in sorted(BUNDLE.iterdir()) if file.suffix in KINDS] if built else []
    first = _file(BUNDLE / "index.html" if built else PAGE / "unbuilt.html")

    async def page(request: Request) -> Response:
        answer = await first(request)
        if built and desk.is_open:
            answer.headers["link"] = ASKED_FIRST
        return answer

    return [Route("/", page), *(Route(f"/{file.name}", _file(file)) for file in found)]


def _file(path: Path) -> Handler:
    kind = KINDS.get(path.suffix, "text/html")

    async def handler(_: Request) -> Response:
        return Response(path.read_bytes(), media_type=kind)

    return handler


async def _description(_: Request) -> Response:
    return JSONResponse(openapi())
