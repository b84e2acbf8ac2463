"""Files that are damaged, hostile or unreadable: one sentence each, never a raw exception."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tests.analysis import systems
from tests.mutations import damaged

import kinetree as kt
from kinetree.errors import FormatError, KinetreeError, ModelError

NOBODY = 65534
ARM = (
    "name: a\nbodies: {b: {mass: %s, inertia: [1, 1, 1]}}\n"
    "joints: {j: {kind: revolute, parent: ground, child: b}}\n"
)
ROBOT = "<robot name='r'><link name='l'><inertial><mass value='%s'/></inertial></link></robot>"
HUGE = "9" * 400


def test_files_changed_at_random_load_or_say_why() -> None:
    outcomes = damaged(400, seed=7)
    assert outcomes.keys() <= {"model", "run", "FormatError", "ModelError", "UnsupportedError"}
    assert outcomes["model"] > 20
    assert outcomes["FormatError"] > 100


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ARM % HUGE, r"bodies\.b\.mass, line 2: 9+… is not accepted; should be a finite number"),
        (ARM % ("9" * 5000), r"line 2: a number has 5000 digits; write it with an exponent"),
        (ARM % f"'2*{HUGE}'", r"bodies\.b\.mass, line 2: .* too large"),
        (ARM % ".nan", r"line 2: nan is not accepted; should be a finite number"),
        (ARM % "1e999", r"line 2: inf is not accepted"),
        ("name: a\nparameters:\n  L: " + HUGE, r"parameters\.L.*line 3: .*finite number"),
        ("a: &a [1]\nb: " + "[" * 300, r"line 2: its values are nested more than 200 deep"),
        ("a: *b", "nothing carries the anchor 'b'"),
        ("? [a, b]\n: 1\n", "a mapping or list stands for a name"),
        ("a: 1\n--- \nb: 2", "it holds more than one document"),
        ("a: !!int x", r"'x' does not fit its tag !!int"),
        ("name: a\n<<: 3", "only mappings can be merged"),
        ('name: "\\ud800"', "this is not plain YAML: found invalid Unicode"),
        ("\0", "this is not plain YAML"),
        ("- 1", "it holds no mapping"),
        ("", "it holds no mapping"),
    ],
)  # fmt: skip
def test_what_stands_in_a_model_file_is_refused_in_a_sentence(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(text)
    with pytest.raises(KinetreeError, match=said) as caught:
        kt.load(path).findings()
    assert caught.type is not KinetreeError


@pytest.mark.parametrize("codec", ["utf-16", "latin-1"])
def test_another_encoding_is_named(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_bytes("name: é".encode(codec))
    with pytest.raises(FormatError, match=r"file 'model.yaml': it is not UTF-8 text"):
        kt.load(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ROBOT % HUGE, r"link 'l' value: '9+' is not a finite number"),
        (ROBOT % "nan", "is not a finite number"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]>" + ROBOT % "&a;", "it declares a document type"),
        ("<robot name='r'>" + "<a>" * 100_000, "not well-formed XML"),
        ("<?xml version='1.0' encoding='nonsense'?>" + ROBOT % 1, "not well-formed XML"),
        ("\0" * 100, "not well-formed XML"),
        ("", "not well-formed XML"),
    ],
)
def test_what_stands_in_a_robot_is_refused_in_a_sentence(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(FormatError, match=said):
        kt.load(path)


@pytest.mark.parametrize("size", [1e150, 1e308, -1.7e308])
def test_values_beyond_all_bodies_are_found_before_they_overflow(size: float) -> None:
    model = kt.Model("heavy")
    body = model.body("b", mass=1, inertia=(size, abs(size), abs(size)))
    model.revolute("j", model.ground, body)
    with pytest.raises(ModelError, match=r"'b.inertia_xx': .* so large that products with it"):
        model.check()
    with pytest.raises(ModelError, match="beyond the range of doubles"):
        model.body("c", mass=10**400)


def test_expressions_that_overflow_are_found(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text("parameters: {P: 1e200}\n" + (ARM % 1).replace("[1, 1, 1]", "[1, P*P, P*P]"))
    with pytest.raises(ModelError, match=r"'b.inertia_yy': its expression gives inf"):
        kt.load(path).check()


def test_files_that_may_not_be_read_are_named() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "folder.yaml").mkdir()
        for name in ("model.yaml", "robot.urdf", "run.nc"):
            (folder / name).write_text("name: a")
            (folder / name).chmod(0)
        with as_another():
            attempt(folder)


def attempt(folder: Path) -> None:
    """Read what may not be read."""
    for name, said in (
        ("model.yaml", r"cannot be read \(Permission denied\); see to it that you may"),
        ("robot.urdf", r"cannot be read \(Permission denied\)"),
        ("run.nc", r"cannot be read \(Permission denied\)"),
        ("gone.yaml", "there is no such file"),
        ("folder.yaml", "name a file, not a folder"),
    ):
        with pytest.raises(FormatError, match=said):
            (kt.load_run if name.endswith("nc") else kt.load)(folder / name)


@contextmanager
def as_another() -> Iterator[None]:
    """Act as a user without rights, where the tests are run by one who has all."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_runs_cut_anywhere_are_refused_in_a_sentence(tmp_path: Path) -> None:
    whole = kt.save_run(kt.simulate(systems.pendulum(), 0.1), tmp_path / "run.nc").read_bytes()
    for share in np.linspace(0.0, 0.99, 12):
        (tmp_path / "cut.nc").write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(FormatError, match=r"cannot be read as NetCDF.*save_run wrote"):
            kt.load_run(tmp_path / "cut.nc")


def test_files_of_others_are_no_runs(tmp_path: Path) -> None:
    words = xr.Dataset({"q": (("time", "coordinate"), [["a"], ["b"]])}, {"time": [0.0, 1.0]})
    weather = xr.Dataset({"rain": (("lat", "lon"), np.zeros((2, 3)))})
    weather.to_netcdf(tmp_path / "weather.nc", engine="h5netcdf")
    words.to_netcdf(tmp_path / "words.nc", engine="h5netcdf")
    with pytest.raises(FormatError, match="it holds no run, which has times"):
        kt.load_run(tmp_path / "weather.nc")
    run = kt.load_run(tmp_path / "words.nc")
    model = systems.pendulum()
    with pytest.raises(KinetreeError, match="holds no q over time"):
        kt.animate(model, run, tmp_path / "page.html")
    with pytest.raises(KinetreeError, match="q: it holds more than numbers"):
        kt.inverse(model, run)
    with pytest.raises(KinetreeError, match="there is no signal 'q'"):
        kt.plot(run, ["q"], tmp_path / "q.png")
    assert kt.save_run(run, tmp_path / "words.csv").read_text() == "time\n0.0\n1.0\n"


def test_a_run_whose_texts_lead_nowhere_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "run.nc"
    kt.save_run(kt.simulate(systems.pendulum(), 0.1, step=0.05), file)
    data = bytearray(file.read_bytes())
    at = data.find(b"GCOL")
    assert at > 0
    data[at + 16 : at + 32] = bytes(16)  # an object without size: HDF5 would look at it for ever
    file.write_bytes(data)
    with pytest.raises(FormatError, match="texts are damaged"):
        kt.load_run(file)
