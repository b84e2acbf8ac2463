"""Nothing is lost and nobody is let in: malformed requests, killed servers, full disks."""

from __future__ import annotations

import errno
import os
import random
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import (
    MODELS,
    Studio,
    copy_model,
    ended,
    httpx,
    open_studio,
    running_studio,
)
from tests.studio.malformed import draw

from kinetree.errors import FormatError
from kinetree.formats.edits.operations import OPERATIONS
from kinetree.studio import journal as journals
from kinetree.studio.serve import studio_server
from kinetree.studio.session import LONGEST

REQUESTS = int(os.environ.get("KINETREE_REQUESTS", "80"))
"""Malformed requests; a release makes a thousand."""
KILLS = int(os.environ.get("KINETREE_KILLS", "3"))
"""Moments at which a server is killed; a release takes two hundred."""


def edit(client: Any, *operations: Any, base: int | None = None) -> Any:
    base = client.get("/api/document").json()["revision"] if base is None else base
    said = {"base": base, "operations": operations, "label": "edit"}
    return client.post("/api/document/edit", json=said)


def test_malformed_requests_do_not_disturb_a_session(tmp_path: Path) -> None:
    chance = random.Random(12)
    outside = tmp_path / "secret.yaml"
    outside.write_text("name: secret\n", encoding="utf-8")
    folder = tmp_path / "in"
    folder.mkdir()
    file = copy_model(folder, "double_pendulum")
    with running_studio(file) as studio:
        client = studio.client()
        port = int(studio.origin.rpartition(":")[2])
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        hanging = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for k in range(REQUESTS):
            request = draw(chance)
            known = {} if chance.random() < 0.2 else {"Cookie": cookie}
            status = request.send(port, known)
            assert status < 500, request
            if k % 10 == 0:  # the session goes on
                assert edit(client, ["place", "upper", k, 1]).status_code == 200
        for wire in hanging:
            wire.close()
        text = client.get("/api/document").json()["text"]
        assert "secret" not in client.get("/api/files").text
        assert f"upper: [{(REQUESTS - 1) // 10 * 10}, 1]" in text
    assert file.read_bytes() == (MODELS / "double_pendulum.yaml").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == [".kinetree", "double_pendulum.yaml"]
    assert outside.read_text(encoding="utf-8") == "name: secret\n"


def test_killed_at_any_moment_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    """Edits and saves, a run beside them, until the server is killed; then all is read again."""
    chance = random.Random(5)
    file = copy_model(tmp_path, "slider_crank")
    texts = [file.read_text(encoding="utf-8")]  # acknowledged last, and what was under way
    allowed = {texts[0]}  # texts that the file may have
    for _ in range(KILLS):
        studio = open_studio(file)
        try:
            client = studio.client()
            found = client.get("/api/document").json()["text"]
            assert found in texts, "an acknowledged edit is missing"
            assert file.read_text(encoding="utf-8") in allowed
            texts = work_until_killed(studio, client, chance, found, allowed)
        finally:
            studio.kill()
    with running_studio(file) as last:
        assert last.client().get("/api/document").json()["text"] in texts
    assert file.read_text(encoding="utf-8") in allowed


def work_until_killed(
    studio: Studio, client: Any, chance: random.Random, text: str, allowed: set[str]
) -> list[str]:
    """Edit and save until a timer kills the server; the text it had acknowledged, and the next."""
    assert studio.process is not None
    timer = threading.Timer(chance.uniform(0.05, 0.6), studio.process.kill)
    timer.start()
    after = text
    try:
        if chance.random() < 0.5:
            client.post("/api/runs", json={"options": {"duration": 100}})
        revision = client.get("/api/document").json()["revision"]
        while True:
            move = ["set", ["bodies", "slider", "mass"], chance.randint(1, 10**6)]
            after = OPERATIONS["set"](text, *move[1:])
            revision = edit(client, move, base=revision).json()["revision"]
            text = after
            if chance.random() < 0.3:
                allowed.add(text)
                client.post("/api/document/save", json={})
    except httpx.HTTPError:  # it is gone
        timer.join()
    return [text, after]


def test_a_full_disk_is_told_and_nothing_changes(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = studio.client()
    before = client.get("/api/document").json()
    edit(client, ["set", ["bodies", "slider", "mass"], 8])

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journals.os, "fsync", full)
    told = edit(client, ["set", ["bodies", "slider", "mass"], 9])
    assert (told.status_code, "space" in told.json()["error"]) == (422, True)
    told = client.post("/api/document/save", json={})
    assert told.status_code == 422
    monkeypatch.undo()
    assert client.get("/api/elements").json()["data"]["bodies"]["slider"]["mass"] == 8
    assert studio.file.read_text(encoding="utf-8") == before["text"]
    assert client.post("/api/document/save", json={}).json()["saved"]


def test_a_taken_port_a_large_file_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    file = copy_model(tmp_path, "four_bar")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(FormatError, match=f"port {port} is taken"), studio_server(file, port):
            pass
    file.write_text("# " + "x" * LONGEST, encoding="utf-8")
    with pytest.raises(FormatError, match="more than"), running_studio(file):
        pass
    file.write_bytes(b"name: \xff\xfe")
    with pytest.raises(FormatError), running_studio(file):
        pass
    file.write_text("name: fine\n", encoding="utf-8")
    with running_studio(file) as studio:  # nobody's lock is left behind
        assert studio.client().get("/api/document").status_code == 200


BROKEN = {
    "not YAML": "name: [1, 2\nbodies: {", "empty": "", "a list": "- 1\n- 2\n",
    "an unknown field": "name: a\nboddies: {}\n", "one word": "hello\n",
    "a law without value": "name: a\nbodies: {b: {mass: 1/0}}\n",
    "recursion": "name: a\nbodies: {b: {mass: " + 400 * "(" + "1" + 400 * ")" + "}}\n",
    "not a mapping": "name: a\nbodies: 3\n", "aliases": "a: &a [1]\nb: [*a, *a]\nname: x\n",
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_a_file_with_mistakes_opens_as_text_with_findings_at_lines(
    case: str, tmp_path: Path
) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(BROKEN[case], encoding="utf-8")
    with running_studio(file) as studio:
        client = studio.client()
        assert client.get("/api/document").json()["text"] == BROKEN[case]
        found = client.get("/api/check").json()["findings"]
        assert found
        assert found[0]["severity"] == "error"
        assert "Traceback" not in str(found)
        derived = ("equations", "shares") if case == "not YAML" else ()
        for path in ("drawing", "scene", "values", "diagram", *derived):
            assert client.get(f"/api/{path}").status_code in (200, 409, 422), path
        for operation in (["place", "b", 1, 2], ["set", ["name"], "z"], ["splice", 0, 0, "# x\n"]):
            assert edit(client, operation).status_code in (200, 422)
        assert client.post("/api/pose", json={}).status_code in (200, 422)


def test_a_run_of_a_file_with_mistakes_says_why_it_failed(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("name: a\nboddies: {}\n", encoding="utf-8")
    with running_studio(file) as studio:
        client = studio.client()
        asked = client.post("/api/runs", json={"analysis": "partition"}).json()
        state = ended(client, asked["id"])
        assert (state["state"], "did you mean 'bodies'" in state["error"]) == ("failed", True)
