"""The folder, files that change on the disk, and what is removed together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.studio.conftest import MODELS, Studio, copy_model, running_studio

from kinetree.errors import FormatError
from kinetree.formats.edits.dependents import dependents
from kinetree.formats.edits.operations import remove
from kinetree.formats.yaml_file import read
from kinetree.studio.desk import Desk
from kinetree.studio.merging import merge
from kinetree.studio.serve import studio_server


def edit(client: Any, *operations: Any) -> Any:
    base = client.get("/api/document").json()["revision"]
    return client.post(
        "/api/document/edit", json={"base": base, "operations": operations, "label": "edit"}
    )


def test_a_folder_offers_files_examples_and_imports(tmp_path: Path) -> None:
    copy_model(tmp_path, "four_bar")
    (tmp_path / "arm7.urdf").write_bytes((MODELS / "arm7.urdf").read_bytes())
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with running_studio(tmp_path) as studio:
        client = studio.client()
        assert client.get("/api/document").status_code == 409
        listed = client.get("/api/files").json()
        assert [row["name"] for row in listed["files"]] == ["arm7.urdf", "four_bar.yaml"]
        assert listed["open"] is None
        assert "slider_crank" in listed["examples"]
        made = client.post("/api/files/new", json={"name": "mine.yaml"}).json()
        assert made["text"].startswith("kinetree: 1\nname: mine\n")
        robot = client.post("/api/files/new", json={"name": "arm.yaml", "source": "arm7.urdf"})
        assert len(read(robot.json()["text"]).joints) >= 7
        client.post("/api/files/new", json={"name": "crank.yaml", "example": "slider_crank"})
        assert client.get("/api/check").json()["loops"]["mobility"] == 1
        assert client.post("/api/files/open", json={"name": "four_bar.yaml"}).status_code == 200
        assert client.get("/api/files").json()["open"] == "four_bar.yaml"
        client.post("/api/files/new", json={"name": "bare"})
        assert client.get("/api/files").json()["open"] == "bare.yaml"
        notes = client.post("/api/files/open", json={"name": "notes.txt"}).json()["error"]
        assert "this ending; open one that ends in .yaml or .yml" in notes
        for name in ("mine.yaml", "../x.yaml", "a/../../x.yaml", "x.txt", "x.yaml\x00",
                     str(tmp_path / "abs.yaml"), "no/such/example.py"):  # fmt: skip
            answer = client.post("/api/files/new", json={"name": name})
            assert answer.status_code == 422, name
        assert not (tmp_path.parent / "x.yaml").exists()


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_is_none_is_refused(port: int, tmp_path: Path) -> None:
    with (
        pytest.raises(FormatError, match=f"there is no port {port}"),
        studio_server(tmp_path, port),
    ):
        pass


def test_a_urdf_of_300_links_opens(tmp_path: Path) -> None:
    links = "".join(
        f'<link name="l{k}"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial><visual><geometry><box size="0.1 0.1 0.4"/></geometry>'
        "</visual></link>"
        for k in range(300)
    )
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{(k - 1) // 2}"/>'
        f'<child link="l{k}"/><origin xyz="0.1 0 0.4"/><axis xyz="0 1 0"/></joint>'
        for k in range(1, 300)
    )
    (tmp_path / "many.urdf").write_text(f'<robot name="many">{links}{joints}</robot>')
    with running_studio(tmp_path) as studio:
        client = studio.client()
        asked = {"name": "many.yaml", "source": "many.urdf"}
        text = client.post("/api/files/new", json=asked).json()["text"]
        assert len(read(text).joints) >= 299
        assert client.get("/api/check").json()["findings"] == []
        bodies = {f"l{k}" for k in range(300)}
        drawn = {row["name"] for row in client.get("/api/drawing").json()["bodies"]}
        assert bodies <= drawn
        scene = client.get("/api/scene").json()
        boxes = {row["name"]: part for row in scene["bodies"] for part in row["parts"]}
        assert {boxes[name]["kind"] for name in bodies} == {"box"}
        assert edit(client, ["set", ["bodies", "l299", "mass"], 3]).status_code == 200


@pytest.mark.parametrize(("name", "sentence"), [
    ("arm.urdf", "another format; import it .* or write kinetree convert arm.urdf arm.yaml"),
    ("run.csv", "it holds curves, and no model; open a model, and choose measured"),
])  # fmt: skip
def test_files_of_other_formats_are_told_what_to_do_with(
    name: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("time,a\n", encoding="utf-8")
    with pytest.raises(FormatError, match=sentence):
        Desk(tmp_path, name)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "secret.yaml"
    inside.mkdir()
    outside.write_text("name: secret\n", encoding="utf-8")
    (inside / "link.yaml").symlink_to(outside)
    with running_studio(inside) as studio:
        client = studio.client()
        assert client.get("/api/files").json()["files"] == []
        answer = client.post("/api/files/open", json={"name": "link.yaml"})
        assert (answer.status_code, "secret" in answer.text) == (422, False)


def test_history_and_differences(studio: Studio) -> None:
    client = studio.client()
    edit(client, ["set", ["bodies", "slider", "mass"], 8])
    edit(client, ["place", "rod", 1, 2, "round"])
    client.post("/api/document/undo", json={})
    assert client.get("/api/document/history").json() == {"past": ["edit"], "future": ["edit"]}
    found = client.get("/api/document/diff", params={"against": "saved"}).json()["lines"]
    assert "".join(row[0] for row in found if row[0] in "+-") == "-+"
    assert client.get("/api/document/diff", params={"against": "nothing"}).status_code == 422
    for name in ("joints.nobody", "", "name"):
        asked = client.get("/api/document/dependents", params={"element": name})
        assert asked.status_code in (200, 422), name


def test_a_file_changed_on_the_disk_is_shown_three_ways_and_nothing_is_overwritten(
    studio: Studio,
) -> None:
    client, file = studio.client(), studio.file
    edit(client, ["set", ["bodies", "slider", "mass"], 8], ["set", ["bodies", "rod", "mass"], 3])
    other = file.read_text(encoding="utf-8").replace("mass: 5", "mass: 6").replace(
        "name: slider_crank", "name: other"
    )  # fmt: skip
    file.write_text(other, encoding="utf-8")
    assert client.post("/api/document/save", json={}).status_code == 409
    assert file.read_text(encoding="utf-8") == other
    seen = client.get("/api/document/disk").json()
    assert (seen["state"], seen["disk"], seen["can_merge"]) == ("changed", other, True)
    (conflict,) = seen["conflicts"]
    assert conflict["path"] == ["bodies", "slider", "mass"]
    assert (conflict["base"], conflict["mine"], conflict["disk"]) == (5, 8, 6)
    merged = client.post("/api/document/resolve", json={"choice": "both"}).json()
    assert not merged["saved"]
    data = client.get("/api/elements").json()["data"]
    assert (data["name"], data["bodies"]["slider"]["mass"], data["bodies"]["rod"]["mass"]) == (
        "other", 8, 3,
    )  # fmt: skip
    assert client.post("/api/document/save", json={}).json()["saved"]
    client.post("/api/document/undo", json={})
    assert client.get("/api/elements").json()["data"]["name"] == "slider_crank"


def test_lines_are_put_together_as_chosen_and_not_of_other_texts(studio: Studio) -> None:
    client, file = studio.client(), studio.file
    edit(client, ["set", ["bodies", "slider", "mass"], 8])
    mine = client.get("/api/document").json()["text"]
    first = file.read_text(encoding="utf-8")
    file.write_text("a: [\n" + first.replace("mass: 5", "mass: 6"), encoding="utf-8")
    seen = client.get("/api/document/disk").json()
    assert (seen["can_merge"], seen["apart"], len(seen["lines"])) == (False, 1, 1)
    other = first.replace("mass: 5", "mass: 6")
    file.write_text(other, encoding="utf-8")
    said = {"choice": "lines", "picks": [{"take": "both"}], "stamp": seen["stamp"]}
    refused = client.post("/api/document/resolve", json=said)
    assert (refused.status_code, "look at the lines again" in refused.json()["error"]) == (
        409,
        True,
    )
    said["stamp"] = client.get("/api/document/disk").json()["stamp"]
    few = client.post("/api/document/resolve", json=said | {"picks": []})
    assert "0 choices for 1 conflicts" in few.json()["error"]
    assert client.get("/api/document").json()["text"] == mine
    made = client.post("/api/document/resolve", json=said)
    assert not made.json()["saved"]
    text = client.get("/api/document").json()["text"]
    (row,) = (k for k, line in enumerate(mine.splitlines()) if "mass: 8" in line)
    own, theirs = mine.splitlines(True)[row], other.splitlines(True)[row]
    assert text == mine.replace(own, own + theirs)
    assert file.read_text(encoding="utf-8") == other
    client.post("/api/document/undo", json={})
    assert client.get("/api/document").json()["text"] == mine


def test_a_file_that_is_gone_or_read_only_is_told(studio: Studio) -> None:
    client, file = studio.client(), studio.file
    edit(client, ["set", ["bodies", "slider", "mass"], 8])
    file.chmod(0o444)
    told = client.post("/api/document/save", json={})
    assert (told.status_code, "read-only" in told.json()["error"]) == (422, True)
    file.chmod(0o644)
    file.unlink()
    assert client.post("/api/document/save", json={}).status_code == 409
    assert client.get("/api/document/disk").json()["state"] == "removed"
    assert client.post("/api/document/resolve", json={"choice": "disk"}).status_code == 422
    client.post("/api/document/resolve", json={"choice": "mine"})
    assert client.post("/api/document/save", json={}).json()["saved"]
    assert "mass: 8" in file.read_text(encoding="utf-8")


def test_what_was_looked_at_on_the_disk_is_known_after_a_restart(model_file: Path) -> None:
    with running_studio(model_file) as studio:
        client = studio.client()
        edit(client, ["set", ["bodies", "slider", "mass"], 8])
        model_file.write_text(
            model_file.read_text(encoding="utf-8").replace("name: slider_crank", "name: other"),
            encoding="utf-8",
        )
        client.post("/api/document/resolve", json={"choice": "both"})
    with running_studio(model_file) as studio:
        data = studio.client().get("/api/elements").json()["data"]
        assert (data["name"], data["bodies"]["slider"]["mass"]) == ("other", 8)


def test_merging_takes_removals_and_new_elements() -> None:
    base = "name: a\nbodies:\n  x: {mass: 1}\n  y: {mass: 2}\n"
    mine = base.replace("mass: 1", "mass: 5")
    disk = "name: a\nbodies:\n  x: {mass: 1}\n  z: {mass: 3}\n"
    assert merge(base, mine, disk) == "name: a\nbodies:\n  x: {mass: 5}\n  z: {mass: 3}\n"


@pytest.mark.parametrize(
    "file",  # without files of hundreds of bodies, each of which would be removed
    sorted(file for file in MODELS.glob("*.yaml") if file.stat().st_size < 25_000),
    ids=lambda path: path.stem,
)
def test_a_removed_body_takes_along_what_stands_on_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    model = read(text)
    body = next(iter(model.bodies))
    gone = dependents(text, ("bodies", body))
    rest = read(remove(text, ["bodies", body], True))
    standing = {("joints", joint.name) for joint in model.body_joints
                if body in (joint.parent.body.name, joint.child.body.name)}  # fmt: skip
    assert set(gone) >= standing
    assert set(rest.bodies) == {*model.bodies} - {body}
    for section, name in gone:
        assert name not in getattr(rest, str(section))
