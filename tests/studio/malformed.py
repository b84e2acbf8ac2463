"""Requests that no honest page makes: drawn from the description of the interface, and by hand."""

from __future__ import annotations

import json
import random
import socket
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from kinetree.studio.interface import SOCKET, openapi

WORDS: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, 1e400, 0.5, "", "\x00", "x" * 3000, "../../etc/passwd", "%2e%2e/",
    "joints.rod", "😀\ud800", "<script>alert(1)</script>", "'; DROP TABLE runs;--", [], {}, [[]],
    {"a": {"a": {}}}, ["set"], ["set", [], []], ["splice", -5, 10**9, "x"],
    ["rename", ["bodies"], 1],
    ["mirror", 3, 4, 5], ["place", "rod", "a", {}], ["add", "layout", "diagram", []],
    ["enable", ["bodies", "rod"], 3], ["move", ["a"], 1], ["remove", [], True], float("nan"),
)  # fmt: skip
HARMLESS = ("undo", "redo", "save", "resolve", "open", "new", "start", "import", "edit")
"""Requests that would change something where they are right: they get what is wrong for sure."""


SHAKE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
         "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}  # fmt: skip
"""Begins a conversation over a socket."""


@dataclass
class RawRequest:
    """One request as bytes on the wire.

    Attributes:
        method, path: of the first line.
        headers: beside Host and Content-Length.
        body: of the request.
        cut: bytes after which the connection is left.
    """

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: int | None = None

    def send(self, port: int, headers: dict[str, str]) -> int:
        """The status that is answered; 0 where the connection was left or refused."""
        return self.exchange(port, headers)[0]

    def exchange(self, port: int, headers: dict[str, str]) -> tuple[int, bytes]:
        """The status, 0 where the connection was left or refused, and all that is answered."""
        rows = {"Host": f"127.0.0.1:{port}", **headers, **self.headers}
        rows = {name: value.replace("PORT", str(port)) for name, value in rows.items()}
        if "Upgrade" not in rows:
            rows = {"Content-Length": str(len(self.body)), "Connection": "close", **rows}
        head = [f"{self.method} {self.path} HTTP/1.1", *(f"{k}: {v}" for k, v in rows.items())]
        whole = "\r\n".join([*head, "", ""]).encode("latin-1", "replace")
        whole = (whole + self.body)[: self.cut]
        answer = b""
        with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
            try:
                wire.sendall(whole)
                if self.cut is not None:
                    return 0, b""
                while part := wire.recv(65_536):
                    answer += part
                    if answer.startswith(b"HTTP/1.1 101"):  # it goes on until somebody leaves
                        wire.settimeout(0.3)
            except OSError:
                pass
        words = answer.split(b" ")
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, answer


def draw(chance: random.Random) -> RawRequest:
    """A request."""
    if chance.random() < 0.35:
        return by_hand(chance)
    description = openapi()
    path = chance.choice(list(description["paths"]))
    method = chance.choice(list(description["paths"][path]))
    row = description["paths"][path][method]
    made = path
    for parameter in row.get("parameters", ()):
        value = quote(_spell(chance.choice(WORDS)), safe="")
        if parameter["in"] == "path":
            made = made.replace("{" + parameter["name"] + "}", value or "0")
        elif chance.random() < 0.8:
            made += ("&" if "?" in made else "?") + f"{parameter['name']}={value}"
    body = b""
    if "requestBody" in row:
        schema = row["requestBody"]["content"]["application/json"]["schema"]
        body = json.dumps(_value(schema, description, chance, row["operationId"])).encode()
    return RawRequest(method.upper(), made, {"Content-Type": "application/json"}, body)


def _spell(word: Any) -> str:
    text = word if isinstance(word, str) else json.dumps(word)
    return text.encode("utf-8", "replace").decode("latin-1")


def _value(schema: Any, whole: Any, chance: random.Random, name: str) -> Any:
    """A body of the right form with wrong content, or of another form."""
    if chance.random() < 0.15:
        return chance.choice(WORDS)
    if "$ref" in schema:
        schema = whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    fields = list(schema.get("properties", ()))
    made = {key: chance.choice(WORDS) for key in fields if chance.random() < 0.9}
    if name in HARMLESS or chance.random() < 0.2:
        made["junk"] = chance.choice(WORDS)  # no message takes a field that it does not know
    return made


def by_hand(chance: random.Random) -> RawRequest:
    """A request of a kind that descriptions do not have."""
    json_kind = {"Content-Type": "application/json"}
    deep = b"[" * 20_000 + b"]" * 20_000
    edit = "/api/document/edit"
    return chance.choice([
        RawRequest("GET", "/api/document", {"Host": "evil.example"}),
        RawRequest("GET", "/api/document", {"Origin": "http://evil.example"}),
        RawRequest("GET", "/api/document", {"Origin": "null"}),
        RawRequest("GET", "/api/document", {"Cookie": "kinetree=1; \x01=\x02"}),
        RawRequest("POST", edit, json_kind, b"{" + b"\xff\xfe" * 50 + b"}"),
        RawRequest("POST", edit, json_kind, deep),
        RawRequest("POST", edit, {**json_kind, "Content-Length": "9" * 30}),
        RawRequest("POST", edit, {**json_kind, "Content-Length": "50"}, b"{}", cut=200),
        RawRequest("POST", edit, {"Content-Type": "text/plain"}, b"{}"),
        RawRequest("POST", edit, json_kind, b"x" * 300_000),
        RawRequest("GET", "/../../../etc/passwd"),
        RawRequest("GET", "/%2e%2e/%2e%2e/etc/passwd"),
        RawRequest("GET", "/api/runs/1/curves.%00?name=a"),
        RawRequest("GET", "/api/runs/99999999999999999999999999/signals"),
        RawRequest("TRACE", "/api/document"),
        RawRequest("PUT", edit, json_kind, b"{}"),
        RawRequest("GET", "/" + "a" * 20_000),
        RawRequest("GET", SOCKET, {"Upgrade": "websocket", "Connection": "Upgrade"}),
        RawRequest("GET", SOCKET, {**SHAKE, "Origin": "http://evil.example"}),
        RawRequest("GET", SOCKET, {**SHAKE, "Origin": "http://127.0.0.1:PORT"}, _garbage(chance)),
        RawRequest("\x16\x03\x01", "/"),
        RawRequest("GET", "/api/document", cut=15),
    ])  # fmt: skip


def _garbage(chance: random.Random) -> bytes:
    """What is no message, after the conversation has begun."""
    return chance.choice([
        chance.randbytes(200), b"\x81\x05hello", b"\x81\xff" + b"\xff" * 8, b"\xff" * 20,
        b"\x09\xfe" + b"x" * 300, b"\x82\xfe\xff\xff" + bytes(4) + b"y" * 65_535,
    ])  # fmt: skip
