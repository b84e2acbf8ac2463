"""URDF: what is taken over, and what is refused with which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinetree.errors import FormatError
from kinetree.formats import yaml_file
from kinetree.formats.urdf import read
from kinetree.model import Float, Limits, Mimic, Shift, Turn
from kinetree.storage.load import load

LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    "</link>"
)


def robot(*parts):
    return ('<robot name="r">' + "".join(parts) + "</robot>").encode()


def links(*names):
    return "".join(LINK.format(name) for name in names)


def joint(name="j", kind="revolute", parent="a", child="b", inner=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inner}</joint>"
    )


def said(source):
    with pytest.raises(FormatError) as caught:
        read(source)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("kind", "motions"),
    [
        ("revolute", (Turn((0, 1, 0)),)),
        ("continuous", (Turn((0, 1, 0)),)),
        ("prismatic", (Shift((0, 1, 0)),)),
        ("planar", (Shift((0, 0, 1)), Shift((1, 0, 0)), Turn((0, 1, 0)))),
        ("floating", (Float(),)),
        ("fixed", ()),
    ],
)
def test_joint_types(kind, motions):
    model = read(robot(links("a", "b"), joint(kind=kind, inner='<axis xyz="0 2 0"/>')))
    assert model.joints["j"].motions == motions


def test_the_default_axis_is_x():
    assert read(robot(links("a", "b"), joint())).joints["j"].motions == (Turn((1, 0, 0)),)


def test_axes_in_any_direction():
    model = read(robot(links("a", "b"), joint(inner='<axis xyz="1 -1 4e-12"/>')))
    half = math.sqrt(0.5)
    assert model.joints["j"].motions[0].axis == (pytest.approx(half), pytest.approx(-half), 0)


def test_origins_and_quarter_turns():
    origin = '<origin xyz="1 2 3" rpy="0 -1.57079632679 0"/>'
    point = read(robot(links("a", "b"), joint(inner=origin))).joints["j"].parent
    assert point.path == "a.j"
    assert point.position == (1, 2, 3)
    assert point.rotation == ((0, 0, -1), (0, 1, 0), (1, 0, 0))


def test_a_joint_at_the_origin_needs_no_point():
    model = read(robot(links("a", "b"), joint(inner='<origin xyz="0 0 0"/>')))
    assert model.joints["j"].parent.path == "a"


def inertial(rpy):
    return (
        f'<link name="a"><inertial><origin xyz="0.1 0.2 0.3" rpy="{rpy}"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial></link>'
    )


def test_inertial_frames_are_turned_into_the_link():
    body = read(robot(inertial("0.3 -0.4 0.5"))).bodies["a"]
    c, s = np.cos, np.sin
    r, p, y = 0.3, -0.4, 0.5
    Rx = np.array([[1, 0, 0], [0, c(r), -s(r)], [0, s(r), c(r)]])
    Ry = np.array([[c(p), 0, s(p)], [0, 1, 0], [-s(p), 0, c(p)]])
    Rz = np.array([[c(y), -s(y), 0], [s(y), c(y), 0], [0, 0, 1]])
    R = Rz @ Ry @ Rx
    expected = R @ np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]) @ R.T
    got = body.inertia
    assert np.allclose(got[:3], np.diag(expected))
    assert np.allclose(got[3:], [expected[0, 1], expected[0, 2], expected[1, 2]])
    assert body.com == (0.1, 0.2, 0.3)


def test_quarter_turns_of_the_inertia_leave_no_residue():
    source = inertial("1.5707963267948966 0 0").replace('ixy="0.1" ixz="0.2" iyz="0.3"', "")
    assert read(robot(source)).bodies["a"].inertia == (1, 2.5, 2, 0, 0, 0)


def test_limits_and_dynamics_are_data_and_a_mimic_follows():
    inner = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
    inner += '<dynamics damping="0.5" friction="0.6"/>'
    follow = '<mimic joint="j" multiplier="-1" offset="0.1"/><limit velocity="1" lower="0"/>'
    model = read(
        robot(
            links("a", "b", "c"),
            joint(inner=inner),
            joint("k", "continuous", "b", "c", follow),
        )
    )
    first, second = model.joints["j"], model.joints["k"]
    assert first.limits == Limits(-1, 2, 3, 4)
    assert (first.damping, first.friction) == (0.5, 0.6)
    assert second.mimic == Mimic("j", -1, 0.1)
    assert second.limits == Limits(velocity=1)
    assert model.coordinates == ["j"]


def test_the_root_is_welded_with_its_inertia():
    model = read(robot(links("a", "b"), joint()))
    assert model.joints["root"].kind == "fixed"
    assert model.bodies["a"].mass == 1
    assert model.coordinates == ["j"]


def test_the_root_floats_on_demand(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(robot(links("a", "b"), joint()))
    model = load(path, floating=True)
    assert (model.joints["root"].kind, model.nq, model.nv) == ("free", 8, 7)
    assert model.coordinates[-1] == "j"


def test_a_joint_called_root_keeps_its_name():
    model = read(robot(links("a", "b"), joint("root")))
    assert list(model.joints) == ["root_", "root"]


def test_names_become_paths():
    model = read(
        robot(
            links("a.x", "ground"),
            joint("com", parent="a.x", child="ground", inner='<origin xyz="1 0 0"/>'),
        )
    )
    assert list(model.bodies) == ["a_x", "ground_link"]
    assert model.findings() == ()


def test_joints_may_stand_before_their_parents():
    model = read(robot(links("a", "b", "c"), joint("k", parent="b", child="c"), joint()))
    assert model.coordinates == ["k", "j"]
    assert [j.name for j in model.tree().joints[1:]] == ["root", "j", "k"]


def test_meshes_stay_references():
    visual = (
        '<visual name="v"><origin xyz="1 0 0" rpy="0 0 1"/><geometry>'
        '<mesh filename="package://none/there.stl" scale="1 1 0.001"/></geometry>'
        '<material name="red"><color rgba="1 0 0 1"/></material></visual>'
    )
    collision = '<collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>'
    model = read(robot(f'<link name="a">{visual}{collision}</link>'))
    assert model.shapes == {
        "a": {
            "visual": [
                {
                    "name": "v",
                    "origin": {"xyz": [1, 0, 0], "rpy": [0, 0, 1]},
                    "material": {"name": "red", "rgba": [1, 0, 0, 1]},
                    "mesh": {"filename": "package://none/there.stl", "scale": [1, 1, 0.001]},
                }
            ],
            "collision": [{"cylinder": {"radius": 0.1, "length": 2}}],
        }
    }
    assert yaml_file.read(yaml_file.write(model)).shapes == model.shapes


def test_elements_without_mechanics_are_left_out():
    model = read(robot(links("a"), "<gazebo/><transmission/><material name='m'/>"))
    assert list(model.bodies) == ["a"]


SENTENCES = {
    "cycle": (
        robot(links("a", "b"), joint(), joint("k", parent="b", child="a")),
        "the file: every link is the child of a joint, so the joints form a cycle; let one link",
    ),
    "cycle beside the tree": (
        robot(links("r", "a", "b"), joint(), joint("k", parent="b", child="a")),
        "body 'b': joints 'k', 'j' form a cycle that is not connected to the ground",
    ),
    "missing parent": (
        robot(links("base", "b"), joint(parent="bse")),
        "joint 'j' parent: there is no link 'bse'; did you mean 'base'?",
    ),
    "missing child": (
        robot(links("a", "hand"), joint(parent="a", child="hnd")),
        "joint 'j' child: there is no link 'hnd'; did you mean 'hand'?",
    ),
    "no parent": (
        b'<robot><link name="b"/><link name="a"/><joint name="j"><child link="b"/></joint></robot>',
        "joint 'j' parent: it has no parent link; known links: 'b', 'a'.",
    ),
    "two roots": (
        robot(links("a", "b", "c"), joint()),
        "the file: the links 'a', 'c' are roots; connect all but one of them by a joint.",
    ),
    "two parents": (
        robot(links("a", "b", "c"), joint(), joint("l", child="c"), joint("k", parent="c")),
        "body 'b': it is reached by two joints, 'j' and 'k'; remove one of them",
    ),
    "joint type": (
        robot(links("a", "b"), joint(kind="revolut")),
        "joint 'j': there is no joint type 'revolut'; did you mean 'revolute'?",
    ),
    "zero axis": (
        robot(links("a", "b"), joint(inner='<axis xyz="0 0 0"/>')),
        "joint 'j' axis: the axis has zero length; give a direction",
    ),
    "duplicate link": (
        robot(links("a", "b", "b"), joint()),
        "link 'b': there is a link of this name already; give every link a name of its own.",
    ),
    "duplicate joint": (
        robot(links("a", "b", "c"), joint(), joint(child="c")),
        "joint 'j': there is a joint of this name already",
    ),
    "no name": (robot("<link/>"), "link number 1: it has no name; give it a name."),
    "no number": (
        robot(links("a", "b"), joint(inner='<origin xyz="1,5 0 0"/>')),
        "joint 'j' xyz: '1,5' is not a finite number; write a decimal.",
    ),
    "not finite": (
        robot('<link name="a"><inertial><mass value="nan"/></inertial></link>'),
        "link 'a' value: 'nan' is not a finite number",
    ),
    "two numbers": (
        robot(links("a", "b"), joint(inner='<origin rpy="1 0"/>')),
        "joint 'j' rpy: '1 0' has 2 values; give 3.",
    ),
    "no link": (robot(), "the file: it has no link; give a robot with at least one link."),
    "no robot": (b"<sdf/>", "the file: its root element is <sdf>; give a URDF"),
    "no XML": (b"<robot", "the file: it is not well-formed XML"),
    "empty": (b"", "the file: it is not well-formed XML"),
    "unknown element": (
        robot(links("a"), "<jont/>"),
        "the file: the element <jont> is not known; did you mean 'joint'?",
    ),
    "macro": (
        b'<robot xmlns:xacro="http://x"><xacro:include filename="f"/><link name="a"/></robot>',
        "the file: the element <include> is a macro; expand the file with xacro first.",
    ),
    "entity bomb": (
        b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>',
        "the file: it declares a document type or an entity; remove <!DOCTYPE",
    ),
    "external entity": (
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot><link name="&x;"/></robot>',
        "the file: it declares a document type or an entity",
    ),
    "external type": (
        b'<!DOCTYPE robot SYSTEM "http://nowhere/r.dtd"><robot/>',
        "the file: it declares a document type or an entity",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_bad_robots(case):
    source, words = SENTENCES[case]
    lines = said(source)
    assert any(line.startswith(words) for line in lines), lines


def test_mistakes_come_together():
    source = robot(links("a", "b", "c"), joint(kind="bal"), joint("k", "hing", "b", "c"))
    assert len(said(source)) == 2


def test_an_unknown_entity_is_no_traceback():
    assert "not well-formed" in said(b"<robot><link name='&x;'/></robot>")[0]
