"""The interface as one table: described, told over the socket, and not to be upset."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import ROOT, Studio, copy_model, running_studio
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from kinetree.studio.app import application
from kinetree.studio.desk import Desk
from kinetree.studio.interface import ENDPOINTS, SOCKET, openapi_text
from kinetree.studio.messages import EVENTS
from kinetree.studio.runs.analyses import ANALYSES

DESCRIPTION = ROOT / "docs" / "reference" / "studio_openapi.json"
GUIDE = ROOT / "docs" / "howto" / "studio.md"


def spelled(path: str) -> str:
    for name, word in (("{number:int}", "ID"), ("{other:int}", "OTHER"), ("{kind}", "KIND")):
        path = path.replace(name, word)
    return path


def test_the_description_is_current_and_the_guide_names_every_request(model_file: Path) -> None:
    assert DESCRIPTION.read_text(encoding="utf-8") == openapi_text(), (
        f"write it anew: openapi_text() into {DESCRIPTION}"
    )
    guide = GUIDE.read_text(encoding="utf-8")
    for row in ENDPOINTS:
        assert spelled(row.path).partition("?")[0] in guide, row.path
    for name in ANALYSES:
        assert f"`{name}`" in guide
    made = application(Desk(model_file.parent))
    paths = {getattr(route, "path", "") for route in made.routes}
    assert {row.path for row in ENDPOINTS} | {SOCKET} <= paths


def listen(studio: Studio, client: Any, **headers: str) -> Any:
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    sent = {"Cookie": cookie, **headers}
    origin = sent.pop("Origin", studio.origin)
    return connect(
        studio.origin.replace("http", "ws") + SOCKET, additional_headers=sent, origin=origin,
        open_timeout=20, proxy=None,
    )  # fmt: skip


def test_the_socket_tells_and_takes_nothing(studio: Studio) -> None:
    client = studio.client()
    kinds = {event.model_fields["kind"].default for event in EVENTS}
    with listen(studio, client) as socket:
        first = json.loads(socket.recv(timeout=20))
        assert first == {
            "kind": "revision", "file": "slider_crank.yaml", "revision": 0, "saved": True,
        }  # fmt: skip
        body = {"base": 0, "operations": [["place", "rod", 1, 1]], "label": ""}
        client.post("/api/document/edit", json=body)
        assert json.loads(socket.recv(timeout=20)) == {
            "kind": "revision", "file": "slider_crank.yaml", "revision": 1, "saved": False,
        }  # fmt: skip
        run = client.post("/api/runs", json={"analysis": "partition"}).json()
        seen = []
        while not seen or seen[-1]["run"]["state"] == "going":
            seen.append(json.loads(socket.recv(timeout=60)))
        assert (seen[-1]["kind"], seen[-1]["run"]["id"]) == ("run", run["id"])
        found = client.get(f"/api/runs/{run['id']}/result").json()["result"]
        assert found["mobility"] == 1
        studio.file.write_text("name: other\n", encoding="utf-8")
        assert json.loads(socket.recv(timeout=20)) == {"kind": "file", "state": "changed"}
        studio.file.unlink()
        assert json.loads(socket.recv(timeout=20)) == {"kind": "file", "state": "removed"}
        socket.send("anything")  # ends the conversation, and nothing else
        with pytest.raises(WebSocketException):
            socket.recv(timeout=20)
    assert kinds >= {"revision", "run", "file"}
    assert client.get("/api/document").json()["revision"] == 1


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Cookie": ""}, {"Cookie": "a=b"}]
)
def test_strangers_may_not_listen(headers: dict[str, str], studio: Studio) -> None:
    with pytest.raises(WebSocketException), listen(studio, studio.client(), **headers):
        pass


PLACE = re.compile(r"\{[^}]*\}")
JUNK: tuple[Any, ...] = (
    None, True, -1, 1e400, "", "\x00", "x" * 3000, "../../etc/passwd", [], {}, [[]], {"a": {}},
    "joints.rod", "😀", ["set"], [["set", [], []]], [["splice", -5, 10**9, "x"]],
    [["mirror", ["rod"], "", ""]], [["mirror", 3, 4, 5]], [["rename", ["bodies"], "x"]],
    [["place", "rod", "a", {}]], [["enable", ["bodies", "rod"], 3]], [["move", ["a"], 1]],
)  # fmt: skip


def test_malformed_requests_are_refused_in_one_sentence(tmp_path: Path) -> None:
    chance = random.Random(16)
    file = copy_model(tmp_path, "double_pendulum")
    before = file.read_bytes()
    with running_studio(file) as studio:
        client = studio.client()
        for _ in range(200):
            row = chance.choice(ENDPOINTS)
            path = PLACE.sub(lambda _: str(chance.choice(JUNK[2:9])).strip("\x00"), row.path)
            query = {name: str(chance.choice(JUNK)) for name in row.query}
            body = {
                name: chance.choice(JUNK)
                for name in (row.takes.model_fields if row.takes else ())
                if chance.random() < 0.9
            }
            if body.get("analysis") == "simulate" or row.name in ("undo", "redo", "save"):
                body = {"junk": chance.choice(JUNK)}
            content = json.dumps(body).encode() if row.method == "POST" else None
            answer = client.request(
                row.method, path, content=content, params=query,
                headers={"content-type": "application/json"},
            )  # fmt: skip
            assert answer.status_code < 500, (row, path, query, body, answer.text)
            if answer.status_code >= 400 and "json" in answer.headers.get("content-type", ""):
                assert answer.json()["error"]
        assert client.get("/api/document").status_code == 200
        assert not [job for job in client.get("/api/runs").json()["runs"] if job["id"] > 40]
    assert file.read_bytes() == before


BODIES: tuple[dict[str, Any], ...] = (
    {}, {"name": "gone.csv"}, {"name": "../x"}, {"choice": "lines"}, {"choice": "disk"},
    {"runs": [1, 2]}, {"file": "x.yaml"}, {"text": "a"},
    {"operations": [["set", "a", 1]], "base": 0, "label": ""},
)  # fmt: skip


def test_messages_of_the_right_form_about_what_is_not_there_are_refused(studio: Studio) -> None:
    client = studio.client()
    for row in ENDPOINTS:
        path = re.sub(r"{.*?}", "1", row.path)
        for body in BODIES if row.method != "GET" else BODIES[:1]:
            answer = client.request(row.method, path, json=body if row.method != "GET" else None)
            assert answer.status_code < 500, (row.name, body, answer.text)
