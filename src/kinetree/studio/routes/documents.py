"""Requests about the folder, the text of the open file, and its history."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from kinetree.errors import FormatError
from kinetree.formats.edits.dependents import dependents
from kinetree.formats.edits.splices import Splice
from kinetree.studio.desk import Desk
from kinetree.studio.merging import difference_lines
from kinetree.studio.messages import (
    DependentsMessage,
    DifferenceMessage,
    DocumentChange,
    DocumentState,
    DocumentText,
    EditMessage,
    EmptyMessage,
    HistoryMessage,
    NewMessage,
    OpenMessage,
    ResolveMessage,
    SpliceMessage,
)
from kinetree.studio.panes.views import elements_message
from kinetree.studio.routes.answering import Handler, answer, message, to_json
from kinetree.studio.session import EditSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response


def document_answers(desk: Desk) -> dict[str, Handler]:
    """Who answers, by the name of the row of the interface."""

    async def document(_: Request) -> Response:
        return to_json(_text(desk.session))

    async def history(_: Request) -> Response:
        past, future = desk.session.past, desk.session.future
        return to_json(
            HistoryMessage(past=[r.label for r in past], future=[r.label for r in future[::-1]])
        )

    async def elements(_: Request) -> Response:
        text, revision = desk.session.text, desk.session.revision
        return await answer(lambda: elements_message(text, revision))

    async def diff(request: Request) -> Response:
        against = request.query_params.get("against", "saved")
        return await answer(lambda: _difference(desk, against))

    async def three_way(_: Request) -> Response:
        return await answer(desk.session.three_way)

    async def element_dependents(request: Request) -> Response:
        element, text = request.query_params.get("element", ""), desk.session.text
        return await answer(lambda: _dependents(text, element))

    return {"document": document, "history": history, "elements": elements, "diff": diff,
            "three_way": three_way, "dependents": element_dependents,
            **_changes(desk), **_folder(desk)}  # fmt: skip


def _changes(desk: Desk) -> dict[str, Handler]:
    """What changes the text."""

    async def edit(request: Request) -> Response:
        said, session = await message(request, EditMessage), desk.session
        return await answer(
            lambda: _change(session, session.edit(said.base, said.operations, said.label))
        )

    async def resolve(request: Request) -> Response:
        said, session = await message(request, ResolveMessage), desk.session
        return await answer(lambda: _change(session, session.resolve(said.choice, said)))

    def verb(make: Callable[[EditSession], Splice | None]) -> Handler:
        async def handler(request: Request) -> Response:
            await message(request, EmptyMessage)
            session = desk.session
            return await answer(lambda: _change(session, make(session)))

        return handler

    return {"edit": edit, "resolve": resolve, "undo": verb(EditSession.undo),
            "redo": verb(EditSession.redo), "save": verb(EditSession.save)}  # fmt: skip


def _folder(desk: Desk) -> dict[str, Handler]:
    """Files of the folder."""

    async def files(_: Request) -> Response:
        return await answer(desk.files)

    async def open_file(request: Request) -> Response:
        said = await message(request, OpenMessage)

        def give() -> DocumentText:
            desk.open(said.name)
            return _text(desk.session)

        return await answer(give)

    async def new_file(request: Request) -> Response:
        said = await message(request, NewMessage)

        def give() -> DocumentText:
            desk.make(said)
            return _text(desk.session)

        return await answer(give)

    return {"files": files, "open": open_file, "new": new_file}


def _text(session: EditSession) -> DocumentText:
    return DocumentText(text=session.text, **_state(session).model_dump())


def _change(session: EditSession, splice: Splice | None) -> DocumentChange:
    made = None if splice is None else SpliceMessage(**asdict(splice))
    return DocumentChange(splice=made, **_state(session).model_dump())


def _state(session: EditSession) -> DocumentState:
    """What panes need to know beside the text."""
    return DocumentState(
        file=session.path.name,
        revision=session.revision,
        saved=session.is_saved,
        recovered=session.recovered,
        undo=session.past[-1].label if session.past else None,
        redo=session.future[-1].label if session.future else None,
    )


def _difference(desk: Desk, against: str) -> DifferenceMessage:
    """How the text differs from the file, from what was read of it, or from that of a run."""
    session = desk.session
    if against == "saved":
        old = session.saved or ""
    elif against == "disk":
        old = session.disk() or ""
    elif against.isdecimal() and len(against) < 10:
        old = desk.jobs.get(int(against)).text()
    else:
        raise FormatError(
            f"'{against[:40]}' is not a valid text to compare with", element="against",
            cure="use saved, disk or the number of a run",
        )  # fmt: skip
    return DifferenceMessage(against=against, lines=difference_lines(old, session.text))


def _dependents(text: str, element: str) -> DependentsMessage:
    path = tuple(element.split("."))
    is_read = isinstance(elements_message(text, 0).data, dict)
    found = dependents(text, path) if is_read else []
    return DependentsMessage(element=element, dependents=[".".join(map(str, r)) for r in found])
