"""Requests about analyses, and what they found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from kinetree.errors import FormatError
from kinetree.studio.desk import Desk
from kinetree.studio.messages import (
    AnalysisList,
    CompareMessage,
    CurvesMessage,
    EmptyMessage,
    FolderMessage,
    ImportMessage,
    ResultMessage,
    RunList,
    RunMessage,
    TitleMessage,
)
from kinetree.studio.routes.answering import (
    Handler,
    answer,
    message,
    number,
    page,
    to_json,
    whole_number,
)
from kinetree.studio.runs.analyses import ANALYSES
from kinetree.studio.runs.comparing import compare, difference_curve
from kinetree.studio.runs.curves import RunCurves, curves_bytes, curves_message
from kinetree.studio.runs.efforts import efforts
from kinetree.studio.runs.exports import (
    archive,
    csv_table,
    film_of,
    manifest,
    motion,
    moving_page,
    picture,
    write_beside,
)
from kinetree.studio.runs.jobs import Job

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.requests import Request

PIXELS = 1000
"""Parts of a picture, unless others are asked for."""


def run_answers(desk: Desk) -> dict[str, Handler]:
    """Who answers, by the name of the row of the interface."""
    return {**_list_answers(desk), **_curve_answers(desk), **_file_answers(desk)}


def _job(desk: Desk, request: Request, name: str = "number") -> Job:
    return desk.jobs.get(int(request.path_params[name]))


def _of(desk: Desk, give: Callable[[Job], BaseModel]) -> Handler:
    """The answer about the run of the address."""

    async def handler(request: Request) -> Response:
        return await answer(lambda: give(_job(desk, request)))

    return handler


def _list_answers(desk: Desk) -> dict[str, Handler]:
    """Runs: started, cancelled, named, removed."""

    async def analyses(_: Request) -> Response:
        return to_json(AnalysisList(analyses=[row.message() for row in ANALYSES.values()]))

    async def runs(_: Request) -> Response:
        return await answer(lambda: _all(desk))

    async def start(request: Request) -> Response:
        said = await message(request, RunMessage)
        text, jobs = desk.session.text, desk.jobs
        return await answer(lambda: jobs.start(text, said.analysis, said.options).state(), 202)

    async def measured(request: Request) -> Response:
        said = await message(request, ImportMessage)
        file = None if said.content else desk.path(said.name)
        text, jobs = desk.session.text, desk.jobs
        return await answer(lambda: jobs.import_curves(text, said, file).state(), 202)

    async def title(request: Request) -> Response:
        said = await message(request, TitleMessage)
        return await answer(
            lambda: desk.jobs.rename(_job(desk, request).number, said.title).state()
        )

    async def remove(request: Request) -> Response:
        await message(request, EmptyMessage)

        def give() -> RunList:
            desk.jobs.remove(_job(desk, request).number)
            return _all(desk)

        return await answer(give)

    return {"analyses": analyses, "runs": runs, "start": start, "import": measured, "title": title,
            "remove": remove, "run": _of(desk, Job.state), "manifest": _of(desk, manifest),
            "cancel": _of(desk, lambda job: desk.jobs.cancel(job.number).state()),
            "result": _of(desk, lambda job: ResultMessage(result=job.answer()))}  # fmt: skip


def _all(desk: Desk) -> RunList:
    return RunList(runs=[job.state() for job in list(desk.jobs.jobs.values())])


def _curve_answers(desk: Desk) -> dict[str, Handler]:
    """Curves, and how two runs differ."""

    async def signals(request: Request) -> Response:
        return await answer(lambda: _curves(request, _run_curves(desk, request)))

    async def numbers(request: Request) -> Response:
        def give() -> bytes:
            names, stretch, pixels = _curve_query(request)
            return curves_bytes(_run_curves(desk, request), names, stretch, pixels)

        made = await run_in_threadpool(give)
        return Response(made, media_type="application/octet-stream")

    async def comparison(request: Request) -> Response:
        said = await message(request, CompareMessage)
        jobs = desk.jobs
        first, second = (jobs.get(run) for run in said.runs)
        return await answer(lambda: compare(jobs.curves, first, second, said))

    async def difference(request: Request) -> Response:
        def give() -> CurvesMessage:
            first, second = _job(desk, request), _job(desk, request, "other")
            names = _curve_query(request)[0]
            return _curves(request, difference_curve(desk.jobs.curves, first, second, names))

        return await answer(give)

    return {"signals": signals, "numbers": numbers, "compare": comparison,
            "difference": difference, "motion": _of(desk, motion),
            "efforts": _of(desk, efforts)}  # fmt: skip


def _run_curves(desk: Desk, request: Request) -> RunCurves:
    job = _job(desk, request)
    return desk.jobs.curves.get(job.file, f"run {job.number}")


def _curve_query(request: Request) -> tuple[list[str], tuple[float | None, float | None], int]:
    """Names, stretch of time and pixels of an address."""
    names = request.query_params.getlist("name")
    stretch = (number(request, "from"), number(request, "to"))
    return names, stretch, whole_number(request, "pixels", PIXELS) or PIXELS


def _curves(request: Request, curves: RunCurves) -> CurvesMessage:
    whole = request.query_params.get("whole") == "1"
    return curves_message(curves, *_curve_query(request), whole=whole)


def _file_answers(desk: Desk) -> dict[str, Handler]:
    """Files to hand on."""

    async def table(request: Request) -> Response:
        curves = await run_in_threadpool(_run_curves, desk, request)
        return Response(await run_in_threadpool(csv_table, curves), media_type="text/csv")

    async def netcdf(request: Request) -> Response:
        job = _job(desk, request)
        if not job.file.exists():
            raise FormatError(
                "it has no curves", element=f"run {job.number}", cure="wait for them, or simulate"
            )
        return FileResponse(job.file, media_type="application/x-netcdf", filename="run.nc")

    async def code(request: Request) -> Response:
        made = await run_in_threadpool(archive, _job(desk, request))
        return Response(made, media_type="application/zip")

    async def unpack(request: Request) -> Response:
        said, job = await message(request, FolderMessage), _job(desk, request)
        return await answer(lambda: write_beside(job, desk.session.path.parent, said.name))

    async def film(request: Request) -> Response:
        return FileResponse(await run_in_threadpool(film_of, _job(desk, request)))

    async def drawn(request: Request) -> Response:
        job, kind = _job(desk, request), request.path_params["kind"]
        names, x = request.query_params.getlist("name"), request.query_params.get("x", "time")
        made = await run_in_threadpool(picture, job, names, x, kind)
        return Response(made, media_type={"svg": "image/svg+xml", "png": "image/png"}[kind])

    async def moving(request: Request) -> Response:
        job, folder = _job(desk, request), desk.session.path.parent
        return page(await run_in_threadpool(moving_page, job, folder))

    return {"table": table, "netcdf": netcdf, "archive": code, "picture": drawn, "page": moving,
            "film": film, "unpack": unpack}  # fmt: skip
