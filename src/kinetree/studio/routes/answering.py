"""How a request is read, answered and refused, the same for all routes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from kinetree.errors import FormatError, KinetreeError
from kinetree.studio.desk import ClosedDeskError
from kinetree.studio.runs.sentences import for_forms
from kinetree.studio.session import StaleEditError

M = TypeVar("M", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]
PAGE_POLICY = "sandbox allow-scripts; frame-ancestors 'self'"
"""Of a page that moves: its scripts have a policy of its own, and may not speak with the studio."""


async def message(request: Request, kind: type[M]) -> M:
    """What a request says.

    Raises:
        FormatError: where it is not such a message.
    """
    try:
        return kind.model_validate(json.loads(await request.body() or b"{}"))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in found["loc"]) or "the request"
        raise FormatError(found["msg"], element=where, cure="see /api/openapi.json") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(
            "the request is not JSON", element="the request", cure="send JSON"
        ) from error


async def answer(made: Callable[[], BaseModel], status: int = 200) -> Response:
    """What a function gives, made beside the loop of events."""
    return to_json(await run_in_threadpool(made), status)


def to_json(said: BaseModel, status: int = 200) -> Response:
    """A message as an answer."""
    return Response(said.model_dump_json(), status, media_type="application/json")


def page(text: str) -> Response:
    """A page that may not speak with the studio."""
    return HTMLResponse(text, headers={"content-security-policy": PAGE_POLICY})


def whole_number(request: Request, name: str, default: int | None = None) -> int | None:
    """A number in the address; the default where it is missing or none."""
    given = request.query_params.get(name, "")
    return int(given) if given.isdecimal() and len(given) < 10 else default


def number(request: Request, name: str) -> float | None:
    """A finite number in the address; None where it is missing or none."""
    try:
        found = float(request.query_params.get(name, ""))
    except ValueError:
        return None
    return found if abs(found) < 1e300 else None


def tell_mistakes(handler: Handler) -> Handler:
    """The same route; a mistake of the user's is one sentence."""

    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except (StaleEditError, ClosedDeskError) as error:
            return JSONResponse({"error": str(error)}, 409)
        except KinetreeError as error:
            return JSONResponse({"error": for_forms(str(error))}, 422)
        except OSError as error:  # a file or folder that is gone, or that refuses
            name = f"'{Path(error.filename).name}': " if error.filename else ""
            return JSONResponse({"error": f"file {name}{error.strerror or error}."}, 422)
        except ClientDisconnect:
            return JSONResponse({"error": "the request was too long or broken off"}, 413)

    return guarded
