"""Requests for what panes show: functions of the text."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, JSONResponse, Response

from kinetree.formats.schema import SCHEMA_FILE
from kinetree.formats.yaml_file import read
from kinetree.studio.desk import Desk
from kinetree.studio.messages import EmptyMessage, LiveData, PoseMessage, ViewMessage
from kinetree.studio.panes.catalogue import catalogue
from kinetree.studio.panes.checks import check, picture, quick_check
from kinetree.studio.panes.diagrams import diagram_message
from kinetree.studio.panes.equations import quantities
from kinetree.studio.panes.posing import closed_pose
from kinetree.studio.panes.values import values_message
from kinetree.studio.panes.views import ViewMemory
from kinetree.studio.routes.answering import Handler, answer, message, page, to_json, whole_number
from kinetree.studio.session import EditSession
from kinetree.view.page import animate

if TYPE_CHECKING:
    from starlette.requests import Request


def pane_answers(desk: Desk) -> dict[str, Handler]:
    """Who answers, by the name of the row of the interface."""
    drawn = {**_diagram_answers(desk), **_scene_answers(desk)}
    return {**_text_answers(desk), **drawn, **_equation_answers(desk)}


def _text_answers(desk: Desk) -> dict[str, Handler]:
    """Checks, forms, equations."""

    async def schema(_: Request) -> Response:
        return FileResponse(SCHEMA_FILE, media_type="application/json")

    async def kinds(_: Request) -> Response:
        return await answer(catalogue)

    async def checks(request: Request) -> Response:
        text, revision = desk.session.text, desk.session.revision
        look = quick_check if "quick" in request.query_params else check
        return await answer(lambda: look(text).message(revision))

    async def values(_: Request) -> Response:
        text, revision = desk.session.text, desk.session.revision
        return await answer(lambda: values_message(text, revision))

    return {"schema": schema, "catalogue": kinds, "check": checks, "values": values}


def _equation_answers(desk: Desk) -> dict[str, Handler]:
    """Equations, which another process derives."""

    async def helped(name: str, *arguments: object) -> Response:
        text = desk.session.text
        made = await run_in_threadpool(desk.helper.ask, name, text, *arguments)
        return Response(made, media_type="application/json")

    async def element_equations(request: Request) -> Response:
        asked, number = request.query_params, whole_number(request, "page", 0) or 0
        return await helped("equations", asked.get("element", ""), *_what(request), number)

    async def symbol(request: Request) -> Response:
        return await helped("symbol", request.query_params.get("name", ""), *_what(request))

    async def shares(request: Request) -> Response:
        return await helped("shares", *_what(request))

    async def cancel(_: Request) -> Response:
        await run_in_threadpool(desk.helper.cancel)
        return to_json(EmptyMessage())

    async def known(_: Request) -> Response:
        return await answer(quantities)

    return {"equations": element_equations, "symbol": symbol, "shares": shares,
            "cancel_equations": cancel, "quantities": known, **_handing_answers(desk)}  # fmt: skip


def _handing_answers(desk: Desk) -> dict[str, Handler]:
    """Code and pages to hand on, which another process makes."""

    async def helped(name: str, *arguments: object) -> str:
        return await run_in_threadpool(desk.helper.ask, name, desk.session.text, *arguments)

    async def targets(request: Request) -> Response:
        made = await helped("targets", request.query_params.get("target", ""), *_what(request))
        return Response(made, media_type="application/json")

    async def live(_: Request) -> Response:
        return to_json(LiveData(data=json.loads(await helped("live"))["data"]))

    async def live_script(_: Request) -> Response:
        made = json.loads(await helped("live"))["script"]
        return Response(made, media_type="text/javascript")

    async def share(_: Request) -> Response:
        return page(json.loads(await helped("share", str(desk.session.path.parent)))["html"])

    return {"targets": targets, "live": live, "live_script": live_script, "share": share}


def _what(request: Request) -> tuple[str, str]:
    """Quantity and formalism of an address."""
    return request.query_params.get("of", "forward"), request.query_params.get("formalism", "")


def _diagram_answers(desk: Desk) -> dict[str, Handler]:
    """The diagram, as data and as a picture."""

    async def drawing(_: Request) -> Response:
        text, revision = desk.session.text, desk.session.revision
        return await answer(lambda: diagram_message(text, revision))

    async def diagram(request: Request) -> Response:
        styled = "plain" not in request.query_params  # a page has the style as a file
        drawn = await run_in_threadpool(picture, desk.session.text, styled=styled)
        if drawn is None:
            return JSONResponse({"error": "the text describes no model yet"}, 409)
        return Response(drawn, media_type="image/svg+xml")

    return {"drawing": drawing, "diagram": diagram}


def _scene_answers(desk: Desk) -> dict[str, Handler]:
    """3-D, poses, and all that is shown at once."""
    views: WeakKeyDictionary[EditSession, ViewMemory] = WeakKeyDictionary()

    def memory() -> ViewMemory:
        return views.setdefault(desk.session, ViewMemory())

    async def scene(request: Request) -> Response:
        session, since = desk.session, whole_number(request, "since")
        text, revision, folder = session.text, session.revision, session.path.parent
        scenes = memory().scenes
        return await answer(lambda: scenes.message(text, revision, folder, since))

    async def view(request: Request) -> Response:
        session, since = desk.session, whole_number(request, "since")
        text, revision, folder = session.text, session.revision, session.path.parent
        known, may_wait = memory(), "early" not in request.query_params

        def give() -> ViewMessage:
            early = None if may_wait else known.early(text, revision)
            return early or known.message(text, revision, folder, since)

        return await answer(give)

    async def scene_page(_: Request) -> Response:
        text, folder = desk.session.text, desk.session.path.parent
        return page(await run_in_threadpool(_standing_page, text, folder))

    async def pose(request: Request) -> Response:
        said = await message(request, PoseMessage)
        text, revision = desk.session.text, desk.session.revision
        return await answer(lambda: closed_pose(text, revision, said))

    return {"scene": scene, "view": view, "scene_page": scene_page, "pose": pose}


@lru_cache(2)
def _standing_page(text: str, folder: Path) -> str:
    """The page of a model at its closed start."""
    with TemporaryDirectory() as place:
        file = animate(read(text), None, Path(place) / "page.html", shapes=folder)
        return file.read_text(encoding="utf-8")
