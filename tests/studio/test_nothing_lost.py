"""Nothing is lost and nobody is let in: silent connections, full disks, files with mistakes.

Plugs that are pulled and malformed requests are campaigns of `fuzz`, whose short runs are tests.
"""

from __future__ import annotations

import errno
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import (
    Studio,
    copy_model,
    ended,
    httpx,
    running_studio,
)

from kinetree.errors import FormatError
from kinetree.studio import journal as journals
from kinetree.studio.connections import MOST_CONNECTIONS
from kinetree.studio.serve import studio_server
from kinetree.studio.session import LONGEST


def edit(client: Any, *operations: Any, base: int | None = None) -> Any:
    base = client.get("/api/document").json()["revision"] if base is None else base
    said = {"base": base, "operations": operations, "label": "edit"}
    return client.post("/api/document/edit", json=said)


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


def test_connections_that_say_nothing_keep_nobody_out(studio: Studio) -> None:
    client = studio.client()
    port = int(studio.origin.rpartition(":")[2])
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                  for _ in range(2 * MOST_CONNECTIONS)]  # fmt: skip
        for _ in range(3):
            assert client.get("/api/document").status_code == 200
        with httpx.Client(base_url=studio.origin, cookies=client.cookies) as other:
            assert other.get("/api/document").status_code == 200
        silent[0].settimeout(20)
        assert silent[0].recv(1) == b""  # who came first was closed first


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
