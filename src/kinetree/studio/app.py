"""The routes of the studio: thin, each a function of the open file or of its text.

What there is stands in the table of `interface`; every row is answered by the function of its name
in `routes`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from kinetree.studio.desk import Desk
from kinetree.studio.interface import ENDPOINTS, SOCKET, Endpoint, openapi
from kinetree.studio.routes.answering import Handler, tell_mistakes
from kinetree.studio.routes.documents import document_answers
from kinetree.studio.routes.panes import pane_answers
from kinetree.studio.routes.runs import run_answers
from kinetree.studio.telling import DeskNews, tell

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

PAGE = Path(__file__).with_name("page")
"""What the browser gets first."""
BUNDLE = Path(__file__).with_name("bundle")
"""The front end: web/studio built by `make web`."""
KINDS = (".js", ".css")
"""Files of the front end."""


def application(desk: Desk) -> Starlette:
    """The studio of one folder."""
    answers: dict[str, Handler] = {
        **document_answers(desk), **pane_answers(desk), **run_answers(desk),
        "openapi": _description,
    }  # fmt: skip
    routes = [_route(row, answers[row.name]) for row in ENDPOINTS]

    async def events(socket: WebSocket) -> None:
        await tell(socket, DeskNews(desk))

    return Starlette(routes=[*_files(), *routes, WebSocketRoute(SOCKET, events)])


def _route(row: Endpoint, answer: Handler) -> Route:
    return Route(row.path, tell_mistakes(answer), methods=[row.method])


def _files() -> list[BaseRoute]:
    """The page itself; a sentence where the front end is not built."""
    built = (BUNDLE / "studio.js").is_file()
    found = [file for file in sorted(BUNDLE.iterdir()) if file.suffix in KINDS] if built else []
    first = PAGE / ("index.html" if built else "unbuilt.html")
    return [Route("/", _file(first)), *(Route(f"/{file.name}", _file(file)) for file in found)]


def _file(path: Path) -> Handler:
    async def handler(_: Request) -> Response:
        return FileResponse(path)

    return handler


async def _description(_: Request) -> Response:
    return JSONResponse(openapi())
