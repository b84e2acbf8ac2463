"""The routes of the studio: thin, each a function of the session or of its text.

| | |
|---|---|
| GET /api/document | text, revision, whether it is saved, what was recovered |
| POST /api/document/edit, undo, redo, save | a change of the text, told as one splice |
| GET /api/check, /api/diagram | functions of the text |
| POST /api/runs, GET, DELETE /api/runs/ID | simulations in processes of their own |
| GET /api/runs/ID/signals, /api/runs/ID/page | curves of a run; a page on which it moves |
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from kinetree.errors import FormatError, KinetreeError
from kinetree.formats.edits.operations import Splice
from kinetree.formats.yaml_file import read
from kinetree.results.files import load_run
from kinetree.studio.checks import check, picture
from kinetree.studio.jobs import Jobs, curves
from kinetree.studio.messages import EditMessage, EmptyMessage, RunMessage
from kinetree.studio.session import EditSession, StaleEditError
from kinetree.view.diagram.svg import STYLE
from kinetree.view.page import animate

PAGE = Path(__file__).with_name("page")
PAGE_POLICY = "sandbox allow-scripts; frame-ancestors 'self'"
"""Of a page that moves: its scripts have a policy of its own, and may not speak with the studio."""
M = TypeVar("M", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]


def application(session: EditSession, jobs: Jobs) -> Starlette:
    """The studio of one model file."""
    shown, changing = _document(session), _edits(session)
    return Starlette(routes=[*_files(), *shown, *changing, *_runs(session, jobs)])


def _files() -> list[Route]:
    """The page itself."""
    names = {"/": "index.html", "/studio.js": "studio.js", "/studio.css": "studio.css"}

    async def diagram_style(_: Request) -> Response:
        return Response(STYLE, media_type="text/css")

    files = (Route(path, _file(PAGE / name)) for path, name in names.items())
    return [*files, Route("/diagram.css", diagram_style)]


def _file(path: Path) -> Handler:
    async def handler(_: Request) -> Response:
        return FileResponse(path)

    return handler


def _document(session: EditSession) -> list[Route]:
    """Routes that show the text and what follows from it."""

    async def document(_: Request) -> Response:
        return JSONResponse({"text": session.text, **_state(session)})

    async def checks(_: Request) -> Response:
        text, revision = session.text, session.revision
        return await _answer(lambda: {"revision": revision, **check(text).data()})

    async def diagram(request: Request) -> Response:
        styled = "plain" not in request.query_params  # a page has the style as a file
        drawn = await run_in_threadpool(picture, session.text, styled=styled)
        if drawn is None:
            return JSONResponse({"error": "the text describes no model yet"}, 409)
        return Response(drawn, media_type="image/svg+xml")

    return [
        Route("/api/document", document),
        Route("/api/check", _tell_mistakes(checks)),
        Route("/api/diagram", _tell_mistakes(diagram)),
    ]


def _edits(session: EditSession) -> list[Route]:
    """Routes that change the text."""

    def change_text(change: Callable[[], Splice | None]) -> dict[str, Any]:
        splice = change()
        return {**_state(session), "splice": None if splice is None else asdict(splice)}

    async def edit(request: Request) -> Response:
        said = await _message(request, EditMessage)
        return await _answer(
            lambda: change_text(lambda: session.edit(said.base, said.operations, said.label))
        )

    def verb(change: Callable[[], Splice | None]) -> Handler:
        async def handler(request: Request) -> Response:
            await _message(request, EmptyMessage)
            return await _answer(lambda: change_text(change))

        return handler

    handlers = {"edit": edit, "undo": verb(session.undo), "redo": verb(session.redo),
                "save": verb(session.save)}  # fmt: skip
    return [
        Route(f"/api/document/{name}", _tell_mistakes(handler), methods=["POST"])
        for name, handler in handlers.items()
    ]


def _state(session: EditSession) -> dict[str, Any]:
    """What panes need to know beside the text."""
    return {
        "file": session.path.name,
        "revision": session.revision,
        "saved": session.is_saved,
        "recovered": session.recovered,
        "undo": session.past[-1].label if session.past else None,
        "redo": session.future[-1].label if session.future else None,
    }


def _runs(session: EditSession, jobs: Jobs) -> list[Route]:
    """Routes of simulations."""

    async def listed(_: Request) -> Response:
        return await _answer(lambda: {"runs": [job.state() for job in jobs.jobs.values()]})

    async def start(request: Request) -> Response:
        said = await _message(request, RunMessage)
        text = session.text
        return await _answer(lambda: jobs.start(text, said.model_dump()).state(), 202)

    async def one(request: Request) -> Response:
        number = int(request.path_params["number"])
        if request.method == "DELETE":
            return await _answer(lambda: jobs.cancel(number).state())
        return await _answer(lambda: jobs.get(number).state())

    async def signals(request: Request) -> Response:
        number = int(request.path_params["number"])
        names = request.query_params.getlist("name")
        return await _answer(lambda: curves(jobs.get(number), names))

    async def page(request: Request) -> Response:
        number = int(request.path_params["number"])
        text = await run_in_threadpool(_moving_page, jobs, number)
        return HTMLResponse(text, headers={"content-security-policy": PAGE_POLICY})

    return [
        Route("/api/runs", _tell_mistakes(listed)),
        Route("/api/runs", _tell_mistakes(start), methods=["POST"]),
        Route("/api/runs/{number:int}", _tell_mistakes(one), methods=["GET", "DELETE"]),
        Route("/api/runs/{number:int}/signals", _tell_mistakes(signals)),
        Route("/api/runs/{number:int}/page", _tell_mistakes(page)),
    ]


def _moving_page(jobs: Jobs, number: int) -> str:
    """The page of a run."""
    job = jobs.get(number)
    model = read((job.folder / "model.yaml").read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        page = animate(model, load_run(job.file), Path(folder) / "page.html")
        return page.read_text(encoding="utf-8")


async def _message(request: Request, kind: type[M]) -> M:
    """What a request says.

    Raises:
        FormatError: where it is not such a message.
    """
    try:
        return kind.model_validate(json.loads(await request.body() or b"{}"))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in found["loc"]) or "the request"
        raise FormatError(found["msg"], element=where, cure="see the documentation") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(
            "the request is not JSON", element="the request", cure="send JSON"
        ) from error


async def _answer(made: Callable[[], Any], status: int = 200) -> Response:
    """What a function gives, made beside the loop of events."""
    return JSONResponse(await run_in_threadpool(made), status)


def _tell_mistakes(handler: Handler) -> Handler:
    """The same route; a mistake of the user's is one sentence."""

    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except StaleEditError as error:
            return JSONResponse({"error": str(error)}, 409)
        except KinetreeError as error:
            return JSONResponse({"error": str(error)}, 422)
        except ClientDisconnect:
            return JSONResponse({"error": "the request was too long or broken off"}, 413)

    return guarded
