"""Who is let in: this machine's own pages with the session's secret, and nobody else.

A server on loopback can be reached by every page in the browser: the Host must be ours (a name that
was bound anew is not), the Origin ours or none, the secret known, and bodies small.  The printed
address has a token that is good once; it is exchanged for a cookie that scripts cannot read.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.responses import JSONResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2_000_000
"""Largest body of a request [B]."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer carries, unless it says another thing itself."""


class Guard:
    """Lets requests through to an application, or answers them itself.

    Attributes:
        secret: what a cookie or an Authorization header must have.
        token: what an address may have, once.
        port: of the server, part of every Host that is ours.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app, self.port = app, port
        self.secret = secrets.token_urlsafe(32)
        self.token: str | None = secrets.token_urlsafe(32)
        names = ("127.0.0.1", "localhost", "[::1]")
        self.hosts = {f"{name}:{port}" for name in names}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.cookie = f"kinetree_studio_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        problem = self._problem(scope, headers)
        if problem is None:
            await self.app(scope, _limit_body(receive), _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await problem(scope, receive, _with_headers(send))

    def _problem(self, scope: Scope, headers: dict[str, str]) -> Any:
        """The answer to a request that is not let through; None for one that is."""
        if headers.get("host") not in self.hosts:
            return _refusal(403, "this address is not the studio's")
        if headers.get("origin", "") not in {"", *self.origins}:
            return _refusal(403, "another page may not speak with the studio")
        if not self._is_known(headers):
            return self._exchange(scope)
        if _size(headers) > MOST_BYTES:
            return _refusal(413, f"more than {MOST_BYTES} bytes were sent")
        kind = headers.get("content-type", "").partition(";")[0].strip()
        if (
            scope.get("method") not in (None, "GET", "HEAD", "DELETE")
            and kind != "application/json"
        ):
            return _refusal(415, "the body is not application/json")
        return None

    def _is_known(self, headers: dict[str, str]) -> bool:
        """Whether a request has the secret."""
        given = headers.get("authorization", "").removeprefix("Bearer ")
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            morsel = None
        known = (given, morsel.value if morsel is not None else "")
        return any(hmac.compare_digest(word.encode(), self.secret.encode()) for word in known)

    def _exchange(self, scope: Scope) -> Any:
        """The cookie for the token of the printed address, or a refusal."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        first = scope.get("method") == "GET" and scope.get("path") == "/"
        if (
            not first
            or self.token is None
            or not hmac.compare_digest(given.encode(), self.token.encode())
        ):
            return _refusal(401, "open the address that kinetree studio printed")
        self.token = None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.secret, httponly=True, samesite="strict")
        return answer


def _refusal(status: int, problem: str) -> JSONResponse:
    return JSONResponse({"error": problem}, status)


def _size(headers: dict[str, str]) -> int:
    given = headers.get("content-length", "0")
    return int(given) if given.isdecimal() and len(given) < 20 else MOST_BYTES + 1


def _limit_body(receive: Receive) -> Receive:
    """The same messages, up to the largest body."""
    left = MOST_BYTES

    async def limited() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b"") or b"")
        return message if left >= 0 else {"type": "http.disconnect"}

    return limited


def _with_headers(send: Send) -> Send:
    """The same answer with the headers that all have."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {key.decode("latin-1").lower() for key, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *((k.encode(), v.encode()) for k, v in HEADERS.items() if k not in there),
            ]
        await send(message)

    return sending
