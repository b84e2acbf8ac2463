"""What makes the studio quick, as far as it can be said without a clock."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import copy_model, open_studio, running_studio

from kinetree.studio.panes import checks
from kinetree.studio.serve import studio_server
from kinetree.studio.session import EditSession
from kinetree.studio.shared import beside, made_once

MOST_GROWTH = 10.0
"""Of the server over 200 edits of a small model [MB]: of 1000 edits and 50 runs, 50 are wanted."""


def test_the_page_is_served_before_the_rooms_are_loaded() -> None:
    code = "import kinetree.studio.serve, sys; print(*sys.modules)"
    line = [sys.executable, "-c", code]
    loaded = subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()
    heavy = ("formalism", "assembly", "targets", "integrate", "analysis.simulate", "view.payload")
    assert "kinetree.studio.app" in loaded
    assert [room for room in heavy if f"kinetree.{room}" in loaded] == []


def test_answers_are_sent_at_once(model_file: Path) -> None:
    with studio_server(model_file, tell=lambda _: None) as server:
        assert server.listening.proto == socket.IPPROTO_TCP  # else asyncio leaves Nagle's rule on


def test_who_asks_while_something_is_made_waits_for_it() -> None:
    asked: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    @made_once(2)
    def length(text: str) -> int:
        asked.append(text)
        begun.set()
        go_on.wait(30)
        return len(text)

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(length, "abc")
        assert begun.wait(30)
        others = [pool.submit(length, "abc") for _ in range(3)]
        go_on.set()
        assert [row.result(30) for row in (first, *others)] == [3] * 4
    assert asked == ["abc"]
    assert [length("a"), length("ab"), length("abc")] == [1, 2, 3]
    assert asked == ["abc", "a", "ab", "abc"]  # two are kept


def test_what_failed_is_tried_again() -> None:
    asked: list[str] = []

    @made_once(2)
    def broken(text: str) -> int:
        asked.append(text)
        raise ValueError(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="abc"):
            broken("abc")
    assert asked == ["abc", "abc"]


def test_texts_are_looked_at_beside_one_at_a_time() -> None:
    looked: list[str] = []
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def look(text: str) -> None:
        begun.set()
        go_on.wait(30)
        looked.append(text)
        done.set()
        raise ValueError(text)  # told to who asks for the result, not here

    ahead = beside(look)
    ahead("first")
    assert begun.wait(30)
    ahead("while it is looked at")
    go_on.set()
    assert done.wait(30)
    for _ in range(3000):
        done.clear()
        ahead("later")
        if done.wait(0.01):
            break
    assert looked == ["first", "later"]


def test_an_edit_is_expected_before_the_disk_has_it(
    model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    session = EditSession(model_file, order.append)
    monkeypatch.setattr(session.journal, "write", lambda _: order.append("journal"))
    session.edit(0, [["set", ["bodies", "rod", "mass"], 7]], "mass")
    assert order == [session.text, "journal"]


def test_findings_do_not_wait_for_loops_that_are_to_be_derived(tmp_path: Path) -> None:
    """A changed number is only evaluated, and told at once with everything."""
    with running_studio(copy_model(tmp_path, "quarter_car")) as studio:
        client = studio.client()
        assert client.get("/api/check").is_success

        def edited(*operation: object) -> dict[str, Any]:
            base = client.get("/api/document").json()["revision"]
            said = {"base": base, "operations": [operation], "label": "edit"}
            client.post("/api/document/edit", json=said).raise_for_status()
            found: dict[str, Any] = client.get(f"/api/view?since={base}&early=1").json()
            return found

        assert not edited("set", ["bodies", "wheel", "mass"], 3)["partial"]
        checks.DOCTOR._kept.clear()  # as where a joint or a closure is new
        hold = checks.DOCTOR._lock
        with hold:  # loops are looked at, and not ready
            early = edited("set", ["bodies", "wheel", "mass"], -3)
        assert early["partial"]
        assert early["check"]["findings"]
        assert early["elements"]["data"]["bodies"]["wheel"]["mass"] == -3
        assert (early["drawing"], early["scene"]) == (None, None)
        whole = client.get("/api/view?since=1").json()
        assert not whole["partial"]
        assert whole["scene"]["masses"]


def test_edits_leave_nothing_behind(model_file: Path) -> None:
    studio = open_studio(model_file)
    try:
        client = studio.client()
        assert studio.process is not None
        status = Path(f"/proc/{studio.process.pid}/status")
        if not status.is_file():
            pytest.skip("this platform does not tell what a process holds")

        def held() -> float:
            rows = status.read_text(encoding="utf-8").splitlines()
            return next(float(row.split()[1]) / 1024 for row in rows if row.startswith("VmRSS"))

        def edit(first: int, last: int) -> None:
            for k in range(first, last):
                operation = ["set", ["bodies", "rod", "mass"], 2.0 + k]
                said = {"base": k, "operations": [operation], "label": "mass"}
                assert client.post("/api/document/edit", json=said).status_code == 200
                assert client.get("/api/view", params={"since": k}).status_code == 200

        edit(0, 60)
        before = held()
        edit(60, 260)
        assert held() - before < MOST_GROWTH
    finally:
        studio.kill()
