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
    refused = {"FormatError", "ModelError", "AssemblyError", "UnsupportedError", "ExpressionError"}
    assert outcomes.keys() <= {"model", "component", "mesh", "run", "UnknownNameError", *refused}
    assert outcomes["model"] > 20
    assert outcomes["component"] > 2
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


WORDS = Path(__file__).parents[2] / "data" / "robots" / "words.xml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('eulerseq="xYz"', 'eulerseq="inf"', "'inf' is not a valid sequence of axes"),
        ('inertiagrouprange="0 4"', 'inertiagrouprange="0"', "range has 1 values; give 2"),
        ('inertiagrouprange="0 4"', 'inertiagrouprange="0 x"', "'x' is not a whole number"),
        ('group="3"', f'group="{HUGE}"', "group: '9+' is not a whole number"),
        ('gravcomp="0"', 'gravcomp="a"', "gravcomp: 'a' is not a finite number"),
        ('range="-1 2"', 'range="-1"', "joint 'turn' range: it has 1 values; give 2"),
        ('axis="1 0 0"', 'axis="0 0 0"', "joint 'slide' axis: its length is zero"),
        ('axisangle="0 1 0 0.4"', 'axisangle="0 0 0 1"', "axisangle: its length is zero"),
        ('zaxis="0 1 1"', 'zaxis="0 0 0"', "zaxis: its length is zero"),
        ('refquat="1 0 0 0"', 'refquat="0 0 0 0"', "mesh 'wedge' refquat: its length is zero"),
        ("0 1 0 0 0 1\" refpos", "0 1 0 1 1 0\" refpos", "mesh 'wedge': its volume is"),
        ('face="0 2 1', 'face="0 1e300 1', "mesh 'faced': a face has no vertex"),
        ('size="0.1 0.2 0.3"', 'size="0.1 0.2 0"', "geom size: its volume is 0"),
        ('joint1="lever"', 'joint1="wrist"', "joint 'wrist' has more than one coordinate"),
    ],
)  # fmt: skip
def test_what_stands_in_a_file_of_mujoco_is_refused_in_a_sentence(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = WORDS.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "words.xml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        kt.load(path)


@pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")
def test_the_file_of_many_words_loads() -> None:
    assert kt.load(WORDS).nv == 9


def test_replicas_of_replicas_without_end_are_refused(tmp_path: Path) -> None:
    text = '<body><joint axis="0 0 1"/><geom type="sphere" size="1"/></body>'
    for _ in range(9):
        text = f'<replicate count="1000" offset="1 0 0">{text}</replicate>'
    path = tmp_path / "many.xml"
    path.write_text(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    with pytest.raises(FormatError, match="it becomes more than 1,000,000 elements"):
        kt.load(path)


def test_frames_and_axes_of_sdf_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    linkage = (WORDS.parent / "linkage.sdf").read_text(encoding="utf-8")
    path = tmp_path / "a.sdf"
    path.write_text(linkage.replace("<xyz>1 0 0</xyz>", "<xyz>0 0 0</xyz>"))
    with pytest.raises(FormatError, match="joint 'slide': its axis has no length"):
        kt.load(path)
    ring = '<frame name="a" attached_to="b"/><frame name="b" attached_to="a"/>'
    path.write_text(
        linkage.replace('<link name="crank">', ring + '<link name="crank">', 1).replace(
            "<child>rod</child>", "<child>a</child>"
        )
    )
    with pytest.raises(FormatError, match="frame 'a': it is attached to itself"):
        kt.load(path)


@pytest.mark.parametrize(
    ("solid", "said"),
    [
        ("<heightmap/>", "the mass of a heightmap is not computed here"),
        ("<mesh filename='m.msh'/>", "its length does not fit its counts"),
        ("<mesh filename='m.obj'/>", "a line of it cannot be read"),
    ],
)
def test_solids_that_weigh_nothing_are_told(solid: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "m.msh").write_bytes(b"abc")
    (tmp_path / "m.obj").write_text("v 0 0 x\n")
    link = f"<link name='l'><collision><geometry>{solid}</geometry></collision></link>"
    path = tmp_path / "a.urdf"
    path.write_text(f"<robot name='r'>{link}</robot>")
    with pytest.raises(FormatError, match=said):
        kt.load(path, density=1000.0)
