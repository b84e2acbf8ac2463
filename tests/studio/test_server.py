"""The studio as scripts use it: edits, history, checks, runs; nothing lost, nobody let in."""

from __future__ import annotations

import http.client
import random
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from tests.studio.conftest import Studio, copy_model, ended, open_studio, running_studio

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.studio import app
from kinetree.studio.session import EditSession


def edit(client: Any, *operations: Any, base: int | None = None) -> Any:
    revision = client.get("/api/document").json()["revision"] if base is None else base
    body = {"base": revision, "operations": list(operations), "label": "test"}
    return client.post("/api/document/edit", json=body)


def test_edits_are_one_history_and_the_file_changes_on_save(studio: Studio) -> None:
    client = studio.client()
    before = studio.file.read_bytes()
    assert client.get("/api/document").json()["text"].encode() == before
    assert edit(client, ["set", ["bodies", "rod", "mass"], 2.5]).json()["revision"] == 1
    assert edit(client, ["rename", ["bodies", "rod"], "link"], ["place", "link", 3, 4]).is_success
    assert studio.file.read_bytes() == before
    text = client.get("/api/document").json()["text"]
    assert "link: [3, 4]" in text
    assert "parent: crank.tip, child: link" in text
    said = client.post("/api/document/undo", json={}).json()
    assert (said["redo"], said["saved"]) == ("test", False)
    assert client.post("/api/document/redo", json={}).json()["redo"] is None
    assert client.get("/api/document").json()["text"] == text
    assert client.post("/api/document/save", json={}).json()["saved"]
    assert studio.file.read_text(encoding="utf-8") == text
    lines = zip(before.decode().splitlines(), text.splitlines(), strict=False)
    assert sum(a != b for a, b in lines) == 4  # name, mass, joint and closure of the rod


def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(studio: Studio) -> None:
    client = studio.client()
    text = client.get("/api/document").json()["text"]
    bad = {
        ("unset", ("bodies", "rdo")): "did you mean 'rod'",
        ("explode", ()): "there is no operation 'explode'",
        ("set",): "cannot be made",
        ("set", 3, 4): "cannot be made",
        ("rename", ("bodies", "rod"), "crank"): "there is one already",
        ("remove", "bodies.rod"): "path 'bodies.rod': it is a word; give its steps",
    }
    for operation, sentence in bad.items():
        answer = edit(client, ["set", ["bodies", "rod", "mass"], 1], list(operation))
        assert answer.status_code == 422
        assert sentence in answer.json()["error"]
    assert edit(client, ["place", "rod", 1, 1], base=7).status_code == 409
    assert client.post("/api/document/edit", json={"base": 0}).status_code == 422
    assert client.post("/api/document/undo", json={"what": 1}).status_code == 422
    for body in (b"", b"{", b"[" * 100_000, b"\xff\xfe", b'{"base": 1e400}'):
        answer = client.post(
            "/api/document/edit", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 422, answer.text
    assert client.get("/api/document").json()["text"] == text
    # changed on the disk meanwhile: not overwritten
    studio.file.write_text(text + "# by another hand\n", encoding="utf-8")
    edit(client, ["place", "rod", 1, 1])
    answer = client.post("/api/document/save", json={})
    assert answer.status_code == 409
    assert "changed on the disk" in answer.json()["error"]
    assert studio.file.read_text(encoding="utf-8").endswith("# by another hand\n")


def test_checks_are_at_their_lines_and_the_drawing_stays(studio: Studio) -> None:
    client = studio.client()
    said = client.get("/api/check").json()
    assert said["loops"]["mobility"] == 1
    assert client.get("/api/diagram").headers["content-type"].startswith("image/svg+xml")
    edit(client, ["set", ["joints", "rod", "child"], "rdo"])
    (finding,) = client.get("/api/check").json()["findings"]
    text = client.get("/api/document").json()["text"].splitlines()
    assert text[finding["line"] - 1].startswith("  rod: {kind: revolute")
    assert "did you mean 'rod'" in finding["cure"]
    assert client.get("/api/diagram").status_code == 409
    edit(client, ["splice", 0, 3, "]["])
    (finding,) = client.get("/api/check").json()["findings"]
    assert (finding["severity"], finding["line"]) == ("error", 1)


def test_a_run_is_the_one_that_python_makes(studio: Studio) -> None:
    client = studio.client()
    edit(client, ["set", ["bodies", "rod", "mass"], 2.5])
    job = client.post("/api/runs", json={"options": {"duration": 0.5, "step": 0.01}}).json()
    assert ended(client, job["id"])["state"] == "finished"
    listed = client.get(f"/api/runs/{job['id']}/signals").json()["signals"]
    assert "q.crank" in listed
    got = client.get(f"/api/runs/{job['id']}/signals", params={"name": "q.crank"}).json()
    client.post("/api/document/save", json={})
    run = kt.simulate(kt.load(studio.file), 0.5, step=0.01)
    assert np.array_equal(got["curves"]["q.crank"], run.q.sel(coordinate="crank").values)
    assert client.get(f"/api/runs/{job['id']}/signals?name=q.crnk").status_code == 422
    assert client.get("/api/runs/77").status_code == 422
    assert client.post("/api/runs", json={"options": {"duration": -1}}).status_code == 422
    edit(client, ["set", ["joints", "rod", "child"], "rdo"])
    bad = client.post("/api/runs", json={"options": {"duration": 0.5}}).json()
    assert "did you mean 'rod'" in ended(client, bad["id"])["error"]


def test_a_long_run_is_cancelled_and_keeps_what_was_computed(studio: Studio) -> None:
    client = studio.client()
    body = {"options": {"duration": 1e5, "step": 0.01, "rtol": 1e-12}}
    number = client.post("/api/runs", json=body).json()["id"]
    file = studio.file.parent / ".kinetree" / "runs" / "slider_crank" / str(number) / "run.nc"
    while not file.exists():
        assert client.get(f"/api/runs/{number}").json()["state"] == "going"
        time.sleep(0.05)
    assert edit(client, ["place", "rod", 1, 1]).is_success  # it answers meanwhile
    client.delete(f"/api/runs/{number}")
    began = time.perf_counter()
    assert ended(client, number)["state"] == "cancelled"
    assert time.perf_counter() - began < 30
    assert len(client.get(f"/api/runs/{number}/signals?name=q.crank").json()["time"]) > 1


def test_a_killed_studio_loses_nothing_that_was_acknowledged(model_file: Path) -> None:
    chance = random.Random(3)
    revision, text = 0, model_file.read_text(encoding="utf-8")
    for _ in range(2):
        studio = open_studio(model_file)
        client = studio.client()
        now = client.get("/api/document").json()
        assert (now["revision"], now["text"]) == (revision, text)
        for _ in range(chance.randint(1, 6)):
            number = chance.randint(-50, 50)
            assert edit(client, ["place", "rod", number, number + 1]).is_success
        if chance.random() < 0.5:
            client.post("/api/document/undo", json={})
        now = client.get("/api/document").json()
        revision, text = now["revision"], now["text"]
        studio.kill()
    assert "layout" not in model_file.read_text(encoding="utf-8")
    studio = open_studio(model_file)
    client = studio.client()
    assert studio.said[0].startswith("recovered ")
    while client.get("/api/document").json()["undo"] is not None:
        client.post("/api/document/undo", json={})
    assert client.get("/api/document").json()["text"].encode() == model_file.read_bytes()
    studio.kill()


@pytest.mark.parametrize(
    ("torn", "kept"),
    [(b'{"kind": "edit", "lab', 0), ('{"kind": "edit", "label": "ü'.encode()[:-1], 0),
     (b'{"kind"\n{"kind": "save"}\n', 1)],
)  # fmt: skip
def test_a_journal_that_was_being_written_or_is_of_another_text_is_no_obstacle(
    model_file: Path, torn: bytes, kept: int
) -> None:
    """What comes after a damaged line is read again, too."""
    with running_studio(model_file) as studio:
        edit(studio.client(), ["place", "rod", 1, 2])
    journal = model_file.parent / ".kinetree" / "slider_crank.yaml.jsonl"
    with journal.open("ab") as file:
        file.write(torn)
    damaged = journal.read_bytes()
    with running_studio(model_file) as studio:
        client = studio.client()
        assert "rod: [1, 2]" in client.get("/api/document").json()["text"]
        edit(client, ["place", "rod", 3, 4])
    with running_studio(model_file) as studio:
        found = studio.client().get("/api/document").json()
        assert (found["revision"], "rod: [3, 4]" in found["text"]) == (2, True)
    assert [file.read_bytes() for file in journal.parent.glob("*.1.jsonl")] == [damaged] * kept
    for file in journal.parent.glob("*.1.jsonl"):
        file.unlink()
    model_file.write_text("name: other\n", encoding="utf-8")
    with running_studio(model_file) as studio:
        assert studio.client().get("/api/document").json()["text"] == "name: other\n"
    assert journal.with_suffix(".1.jsonl").read_text(encoding="utf-8").count('"edit"') == 2


def test_a_studio_that_ended_between_saving_and_noting_it_has_its_history(
    model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = model_file.read_text(encoding="utf-8")
    session = EditSession(model_file)
    session.edit(0, [["place", "rod", 1, 2]], "place")

    def gone(_: Any) -> None:
        raise OSError("the plug was pulled")

    monkeypatch.setattr(session.journal, "write", gone)
    with pytest.raises(OSError, match="plug"):
        session.save()
    again = EditSession(model_file)
    assert again.is_saved
    again.undo()
    assert again.text == first
    assert EditSession(model_file).text == first


JSON = "application/json"
STRANGERS: list[tuple[str, dict[str, str], int]] = [
    ("GET", {}, 401),
    ("GET", {"Authorization": "Bearer wrong"}, 401),
    ("GET", {"Cookie": "kinetree_studio_{port}=wrong"}, 401),
    ("GET", {"Host": "evil.example:{port}"}, 403),
    ("GET", {"Host": "127.0.0.1"}, 403),
    ("GET", {"Cookie": "{cookie}", "Host": "evil.example"}, 403),
    ("GET", {"Cookie": "{cookie}", "Origin": "http://evil.example"}, 403),
    ("GET", {"Cookie": "{cookie}", "Origin": "null"}, 403),
    ("POST", {"Cookie": "{cookie}", "Content-Type": "text/plain"}, 415),
    ("POST", {"Cookie": "{cookie}", "Content-Length": "99999999", "Content-Type": JSON}, 413),
    ("PUT", {"Cookie": "{cookie}", "Content-Type": JSON}, 405),
]  # fmt: skip


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = copy_model(tmp_path_factory.mktemp("guard"), "four_bar")
    with running_studio(file) as studio:
        yield studio, studio.client()


@pytest.mark.parametrize("case", range(len(STRANGERS)))
def test_strangers_are_kept_out(case: int, guarded: Any) -> None:
    studio, client = guarded
    method, headers, status = STRANGERS[case]
    port = studio.origin.rpartition(":")[2]
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    filled = {k: v.replace("{port}", port).replace("{cookie}", cookie) for k, v in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    path = "/api/document/edit" if method == "POST" else "/api/document"
    connection.putrequest(method, path, skip_host="Host" in filled)
    for name, value in filled.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    told = answer.read().decode()
    connection.close()
    assert answer.status == status
    assert "bodies" not in told
    policy = answer.getheader("content-security-policy") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_token_is_good_once_and_files_outside_are_not_served(guarded: Any) -> None:
    studio, client = guarded
    assert httpx.get(studio.address).status_code == 401
    for path in ("/../../etc/passwd", "/%2e%2e/four_bar.yaml", "/page/index.html", "/api/runs/-1"):
        assert client.get(path).status_code in (404, 405, 422)
    assert client.get("/").headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("there", ["studio.js", "index.html"])
def test_a_front_end_of_older_sources_is_told(
    there: str, model_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "BUNDLE", tmp_path / "bundle")
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / there).write_text("of another time", encoding="utf-8")
    with running_studio(model_file) as studio:
        said = studio.client().get("/")
        assert (said.status_code, "make web" in said.text) == (200, True)


def test_a_second_studio_and_a_missing_file_are_told(model_file: Path) -> None:
    other = open_studio(model_file)
    assert other.process is not None
    missing = model_file.with_name("no.yaml")
    for file, sentence in ((model_file, "another studio has it open"), (missing, "no such file")):
        with pytest.raises(FormatError, match=sentence), running_studio(file):
            pass
    lock = model_file.parent / ".kinetree" / "slider_crank.yaml.lock"
    assert int(lock.read_text(encoding="utf-8")) == other.process.pid
    other.kill()
