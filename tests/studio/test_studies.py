"""Studies and code through the studio give what Python gives."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, IDENTITY, TRAJECTORY
from tests.studio.conftest import Studio, copy_model, ended, finished, running_studio

import kinetree as kt
from kinetree.cli import app
from kinetree.errors import KinetreeError
from kinetree.formats.yaml_file import read as reading
from kinetree.studio.panes.handing_on import targets
from kinetree.studio.runs.analyses import ANALYSES, VERB, options_of, words
from kinetree.studio.runs.studies import make
from kinetree.studio.runs.wording import limits_of, measures_of, ranges_of
from kinetree.studio.runs.worker import PROGRESS

OSCILLATOR = """kinetree: 1
name: oscillator
gravity: [0, 0, 0]
parameters:
  stiffness: {value: 1, unit: N/mm}
bodies:
  body: {mass: 1}
joints:
  y: {kind: prismatic, parent: ground, child: body, axis: x, initial: [0.1]}
forces:
  spring: {kind: joint_spring, joint: y, stiffness: stiffness, damping: 2}
"""


@pytest.fixture(scope="module")
def oscillator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    file = tmp_path_factory.mktemp("studies") / "oscillator.yaml"
    file.write_text(OSCILLATOR, encoding="utf-8")
    with running_studio(file) as studio:
        yield studio


@pytest.fixture(scope="module")
def client(oscillator: Studio) -> Any:
    return oscillator.client()


def result(client: Any, analysis: str, **options: Any) -> Any:
    number = finished(client, analysis, **options)
    return number, client.get(f"/api/runs/{number}/result").json()["result"]


def test_sensitivity_and_sweep(client: Any, oscillator: Studio) -> None:
    model = kt.load(oscillator.file)
    _, found = result(client, "sensitivity", duration=0.1, measures="end=final(q_y)",
                      by="spring.damping")  # fmt: skip
    wanted = kt.sensitivity(model, 0.1, {"end": kt.final("q_y")}, by=["spring.damping"])
    (row,) = found["measures"]
    assert abs(row["value"] - float(wanted.value[0])) < IDENTITY
    assert abs(row["spring.damping"] - float(wanted.gradient[0, 0])) < IDENTITY
    _, many = result(client, "sweep", duration=0.1, measures="top=peak(q_y)", plan="grid", runs=3,
                     over="spring.damping=1:3")  # fmt: skip
    assert [run["spring.damping"] for run in many["runs"]] == [1.0, 2.0, 3.0]
    assert all(np.isfinite(run["top"]) for run in many["runs"])


def test_best_values_are_an_edit_in_the_units_of_the_file(client: Any) -> None:
    _, found = result(client, "optimise", duration=0.2, objective="integral(q_y**2)",
                      over="stiffness=500:2000", evaluations=20)  # fmt: skip
    ((name, path, value),) = found["operations"]
    assert (name, path) == ("set", ["parameters", "stiffness", "value"])
    assert value == pytest.approx(found["parameters"]["stiffness"] / 1000)  # N/mm
    assert 0.5 <= value <= 2.0


def test_a_constraint_holds_the_best_value_back(client: Any, oscillator: Studio) -> None:
    """The stiffer the spring, the faster it goes back."""
    asked = {"duration": 0.2, "objective": "peak(qd_y)", "over": "stiffness=500:2000"}
    _, free = result(client, "optimise", **asked)
    _, found = result(client, "optimise", **asked, subject_to="speed=peak(qd_y) >= 2.5")
    assert free["parameters"]["stiffness"] == pytest.approx(500)
    best = kt.sensitivity(kt.load(oscillator.file), 0.2, {"speed": kt.measure("peak(qd_y)")},
                          by=["stiffness"], parameters=found["parameters"])  # fmt: skip
    assert float(best.value[0]) == pytest.approx(2.5, abs=COARSE_RUN)


@pytest.mark.parametrize(("analysis", "options"), [
    ("sweep", {"measures": "top=peak(q_y)", "over": "spring.damping=1:3", "runs": 10_000}),
    ("optimise", {"objective": "integral(q_y**2)", "over": "stiffness=500:2000",
                  "method": "differential_evolution", "evaluations": 100_000, "duration": 1e5}),
])  # fmt: skip
def test_a_study_that_is_cancelled_has_what_it_found(
    client: Any, analysis: str, options: dict[str, Any]
) -> None:
    asked = {"analysis": analysis, "options": {"duration": 0.2, **options}}
    path = f"/api/runs/{client.post('/api/runs', json=asked).json()['id']}"
    while not (found := client.get(f"{path}/result").json()["result"]):  # so far, while it goes
        assert client.get(path).json()["state"] in ("waiting", "going")
        time.sleep(0.05)
    client.delete(path)
    assert ended(client, int(path.rpartition("/")[2]))["state"] == "cancelled"
    kept = client.get(f"{path}/result").json()["result"]
    if analysis == "sweep":
        assert len(found["runs"]) <= len(kept["runs"]) < options["runs"]
        assert all(1 <= row["spring.damping"] <= 3 and row["top"] > 0 for row in kept["runs"])
    else:
        assert 0 < kept["value"] <= found["value"]
        assert 500 <= kept["parameters"]["stiffness"] <= 2000
        assert not kept["converged"]
        is_other = kept["parameters"]["stiffness"] != pytest.approx(1000)  # than that of the text
        assert bool(kept["operations"]) == is_other


def test_an_analysis_tells_its_share_and_says_what_a_cancelled_one_has(
    client: Any, oscillator: Studio
) -> None:
    asked = {"analysis": "sensitivity", "options": {
        "duration": 1e5, "measures": "end=final(q_y)", "by": "spring.damping"}}  # fmt: skip
    path = f"/api/runs/{client.post('/api/runs', json=asked).json()['id']}"
    while not (client.get(path).json()["progress"] or 0.0) > 0.0:
        time.sleep(0.05)
    client.delete(path)
    run = ended(client, int(path.rpartition("/")[2]))
    assert (run["state"], run["error"]) == ("cancelled", "cancelled before it had anything to show")


def test_a_run_says_what_was_left_out_and_what_it_warns_of(client: Any, oscillator: Studio) -> None:
    said = client.get("/api/document").json()
    for operation in (["enable", ["forces", "spring"], False], ["set", ["gravity"], [1, 0, 0]]):
        change = {"base": said["revision"], "operations": [operation]}
        said = client.post("/api/document/edit", json=change).json()
    number, _ = result(client, "modes")
    first, second = client.get(f"/api/runs/{number}").json()["notes"]
    assert first == "switched off, and left out: forces.spring"
    assert second.startswith("the state is not an equilibrium")
    for _ in range(2):
        client.post("/api/document/undo", json={})


def test_a_study_tells_its_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"duration": 0.1, "measures": "end=final(q_y)", "by": "body.com_y"}
    said = make("sensitivity", reading(OSCILLATOR), given, "")
    assert said["warnings"] == ["nothing depends on 'body.com_y': the derivatives by it are zero"]


def test_best_values_go_into_the_text_wherever_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.yaml").write_text(OSCILLATOR, encoding="utf-8")
    over = "body.com_x=0.1:0.4, body.mass=1:3, q0.y=0.05:0.2"
    given = {"duration": 0.1, "objective": "final(q_y**2)", "over": over}
    said = make("optimise", reading(OSCILLATOR), given, "")
    assert said["no values of the text"] == "q0.y"
    made = {tuple(path): value for _, path, value in said["operations"]}
    assert made["bodies", "body", "com"] == [said["parameters"]["body.com_x"], 0, 0]


@pytest.mark.parametrize("name", [row.name for row in ANALYSES.values() if row.module == VERB])
def test_an_analysis_that_tells_does_so_in_the_folder_of_its_run(name: str) -> None:
    row = ANALYSES[name]
    (verb,) = (one for one in app.registered_commands if one.callback.__name__ == name)
    assert row.tells == ("progress" in signature(verb.callback).parameters)
    assert row.tells == (f"--progress={PROGRESS}" in words(name, {}, "run.nc"))


def test_a_planned_motion_identifies_what_the_text_has_wrong(client: Any) -> None:
    number, said = result(client, "excite", duration=2, harmonics=3, starts=1, friction="none",
                          position="y=0.2", speed="y=2", acceleration="y=20")  # fmt: skip
    assert said["condition"] >= 1
    curve = client.get(f"/api/runs/{number}/signals", params={"name": "q.y"}).json()
    assert 0.01 < max(map(abs, curve["curves"]["q.y"])) <= 0.2
    change = {"base": client.get("/api/document").json()["revision"],
              "operations": [["set", ["bodies", "body", "mass"], 3]]}  # fmt: skip
    client.post("/api/document/edit", json=change)
    _, found = result(client, "identify", run=number, friction="none")
    client.post("/api/document/undo", json={})
    ((name, path, value),) = found["operations"]
    assert (name, path) == ("set", ["bodies", "body", "mass"])
    assert abs(value - 1.0) < TRAJECTORY


def test_code_of_the_studio_is_that_of_python(client: Any, oscillator: Studio) -> None:
    number, _ = result(client, "generate", target="python", of="forward")
    whole = client.get(f"/api/runs/{number}/archive.zip").content
    assert whole == client.get(f"/api/runs/{number}/archive.zip").content
    with zipfile.ZipFile(io.BytesIO(whole)) as files:
        made = {name: files.read(name).decode() for name in files.namelist()}
    program = kt.derive(kt.load(oscillator.file), "forward")
    (name,) = made
    wanted = program.write("python", oscillator.file.parent / "code")
    assert made[name] == Path(wanted[0]).read_text(encoding="utf-8")
    assert client.get("/api/runs/9999/archive.zip").status_code == 422


def test_code_goes_into_a_new_folder_beside_the_model(client: Any, oscillator: Studio) -> None:
    number, _ = result(client, "generate", target="c", of="inverse")
    written = client.post(f"/api/runs/{number}/folder", json={"name": "c code"}).json()
    folder = oscillator.file.parent / "c code"
    assert written == {"folder": "c code", "files": sorted(path.name for path in folder.iterdir())}
    program = kt.derive(kt.load(oscillator.file), "inverse")
    for path in program.write("c", oscillator.file.parent / "own"):
        assert (folder / path.name).read_bytes() == Path(path).read_bytes()
    again = client.post(f"/api/runs/{number}/folder", json={"name": "c code"})
    assert "there are files in it" in again.json()["error"]
    (oscillator.file.parent / "elsewhere").symlink_to(folder.parent.parent)
    for name in ("..", "../outside", ".kinetree", "a/b", "", "elsewhere", oscillator.file.name):
        answer = client.post(f"/api/runs/{number}/folder", json={"name": name})
        assert answer.status_code == 422, name
    assert client.post("/api/runs/9999/folder", json={"name": "x"}).status_code == 422


def test_a_run_becomes_a_film(client: Any) -> None:
    run, _ = result(client, "simulate", duration=0.2, step=0.01)
    assert "it has no film" in client.get(f"/api/runs/{run}/film").json()["error"]
    number, said = result(client, "film", run=run)
    film = client.get(f"/api/runs/{number}/film")
    assert film.headers["content-type"] == "image/gif"
    assert film.content.startswith(b"GIF8")
    assert said == {"file": "film.gif", "size B": len(film.content)}


def test_what_a_target_cannot_express_is_said_before_it_starts(tmp_path: Path) -> None:
    text = copy_model(tmp_path, "four_bar").read_text(encoding="utf-8")
    refused = targets(text, "sympy").model_dump()
    assert "SymPy has no expression" in refused["problem"]
    fine = targets(text, "matlab").model_dump()
    assert not fine["problem"]
    assert fine["files"]
    assert {"fmu", "c-package", "c", "html"} <= {row["name"] for row in fine["targets"]}
    with pytest.raises(KinetreeError, match="did you mean 'matlab'"):
        targets(text, "matlb")


def test_the_text_simulates_in_the_browser_and_on_a_page(client: Any) -> None:
    data = client.get("/api/live").json()["data"]
    assert data["bodies"] == ["body"]
    assert "globalThis.kinetreeLive" in client.get("/api/live.js").text
    answer = client.get("/api/share")
    assert "kinetree-data" in answer.text or answer.status_code == 422  # the viewer is not built
    if answer.status_code == 200:
        assert "sandbox" in answer.headers["content-security-policy"]


def test_inverse_reactions_and_outputs_are_curves_along_a_run(client: Any) -> None:
    run, _ = result(client, "simulate", duration=0.1, step=0.01)
    for name, more in (
        ("inverse", {}),
        ("reactions", {}),
        ("outputs", {"output": "spring.force"}),
    ):
        number, _ = result(client, name, run=run, **more)
        listed = client.get(f"/api/runs/{number}/signals").json()["signals"]
        assert listed, name
        assert "time" not in listed


def test_every_analysis_has_a_form_and_refuses_what_it_does_not_take() -> None:
    for name, row in ANALYSES.items():
        schema = row.message().options
        assert schema["additionalProperties"] is False
        assert all("description" in field for field in schema["properties"].values()), name
        with pytest.raises(KinetreeError):
            options_of(name, {"nonsense": 1})
    for bad in ("peak(q_y", "pek(q_y)", "x=", "peak q"):
        with pytest.raises(KinetreeError):
            measures_of(bad)
    for bad in ("peak(q_y)", "peak(q_y) < 1", "peak(q_y) <= much", "pek(q_y) <= 1"):
        with pytest.raises(KinetreeError):
            limits_of(bad)
    with pytest.raises(KinetreeError, match="range"):
        ranges_of("a=1")
    assert ranges_of("a=1:2, b.c=1e3:2e3") == {"a": (1, 2), "b.c": (1000, 2000)}
