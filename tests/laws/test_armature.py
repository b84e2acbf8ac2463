"""Rotor inertia adds diag(A) to M: the same in every formalism, in loops, in runs and in files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.approx import CLOSED, EFFORTS, EQUAL_STEPS, FORMALISM, IDENTITY, assert_close
from tests.laws.tools import values

import kinetree as kt

ROTORS = {"q1": 0.8, "q2": 0.3, "q3": 2.0}


def slider_crank(rotors: dict[str, float]) -> kt.Model:
    """The slider crank with rotors on its two hinges and on its slide."""
    model = mechanisms.slider_crank()
    model.joints = {
        name: replace(joint, armature=(rotors[name],) if name in rotors else ())
        for name, joint in model.joints.items()
    }
    return model


def spun(seed: int = 0) -> tuple[kt.Model, kt.Model, np.ndarray]:
    """A tree of every kind of joint without and with rotors, and their inertias."""
    links = zoo.every_kind_links(seed)
    bare = zoo.build(links)
    made = zoo.build([replace(link, armature=0.2 + 0.3 * k) for k, link in enumerate(links)])
    A = [0.2 + 0.3 * k for k, joint in enumerate(made.joints.values()) for _ in range(joint.nv)]
    return bare, made, np.array(A)


@pytest.mark.parametrize("way", ["newton_euler", "virtual_power", "dalembert"])
def test_inverse_dynamics_takes_armature_times_qdd_more(way: str) -> None:
    bare, made, A = spun()
    state = zoo.state(made, 2)
    first = values(kt.derive(bare, "inverse", way), **state)["tau"]
    second = values(kt.derive(made, "inverse", way), **state)["tau"]
    assert_close(second - first, A * state["qdd"], FORMALISM, scale=float(np.abs(second).max()))


def test_mass_matrix_energy_and_regressor() -> None:
    bare, made, A = spun()
    state = zoo.state(made, 3)
    M = values(kt.derive(made, "mass_bias"), **state)["M"]
    assert_close(M - values(kt.derive(bare, "mass_bias"), **state)["M"], np.diag(A), FORMALISM)
    T = values(kt.derive(made, "energy"), **state)["kinetic"]
    assert_close(T, state["qd"] @ M @ state["qd"] / 2, FORMALISM)
    out = kt.derive(made, "regressor", base_parameters=False)
    assert "j0.armature" in out.output("pi").labels
    assert "j6.armature_3" in out.output("pi").labels


def test_a_rotor_on_the_first_axis_joins_the_moment_of_its_body() -> None:
    out = kt.derive(pendulum(armature=0.25), "regressor")
    labels = out.output("pi").labels
    pi = dict(zip(labels, values(out, q=[0.3], qd=[1], qdd=[1])["pi"], strict=True))
    assert labels == ("bob.h_x", "bob.h_z", "bob.I_yy")
    assert_close(pi["bob.I_yy"], 0.2 + 2 * 0.5**2 + 0.25, IDENTITY)


def kkt(q: Any, qd: Any, tau: Any) -> np.ndarray:
    """Accelerations of the slider crank by one linear system, the rotors put on its diagonal."""
    bare = mechanisms.slider_crank()
    tree = values(kt.derive(bare, "mass_bias"), q=q, qd=qd)
    loop = values(kt.derive(bare, "constraints"), q=q, qd=qd)
    M, J = tree["M"] + np.diag(list(ROTORS.values())), loop["J"]
    J, gamma = J[:2], -loop["Jdqd"][:2]
    zero = np.zeros((len(J), len(J)))
    system = np.block([[M, -J.T], [J, zero]])
    return np.linalg.solve(system, np.concatenate([tau - tree["c"], gamma]))[:3]


@pytest.mark.parametrize("loops", ["explicit", "multipliers", "projection"])
@pytest.mark.parametrize("way", ["newton_euler", "order_n", "virtual_power", "lagrange"])
def test_closed_loops(loops: str, way: str) -> None:
    model = slider_crank(ROTORS)
    q = kt.assemble(model).q
    program = kt.derive(model, "forward", way, loops=loops)
    tau = np.array([3.0, -1.0, 2.0])
    out = values(program, q=q, qd=np.array([0.7, 0.0, 0.0]), tau=tau)
    expected = kkt(out["q_closed"], out["qd_closed"], tau)
    extra = 0.0
    if loops == "multipliers":  # Baumgarte's terms vanish on the loops only
        qd = values(kt.derive(model, "forward"), q=q, qd=np.array([0.7, 0, 0]), tau=tau)
        out = values(program, q=q, qd=qd["qd_closed"], tau=tau)
        expected = kkt(q, qd["qd_closed"], tau)
        extra = 1e-9  # gap that assembly leaves, times Baumgarte's constants
    assert_close(out["qdd"], expected, FORMALISM + extra, f"{loops} by {way}")


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global", "explicit"])
def test_fixed_steps_reach_what_the_adaptive_run_reaches(formulation: str) -> None:
    model = slider_crank(ROTORS)
    exact = kt.simulate(model, 0.5, rtol=1e-11, atol=1e-12)
    rule = "rk4" if formulation == "explicit" else "trapezoidal"
    steps = [
        kt.simulate(model, 0.5, formulation=formulation, method=rule, step=h).q[-1]
        for h in (2e-3, 1e-3)
    ]
    coarse, fine = (float(np.abs(q - exact.q[-1]).max()) for q in steps)
    bare = kt.simulate(slider_crank({}), 0.5).q[-1]
    assert fine < EQUAL_STEPS * float(np.abs(bare - exact.q[-1]).max())
    assert fine < CLOSED or 3.5 < coarse / fine < 20


def test_the_global_formulation_refuses_rotors_of_quaternion_joints_by_name() -> None:
    model = zoo.build(
        [replace(link, armature=0.5) for link in zoo.chain_links(1, 0, ["spherical"])]
    )
    with pytest.raises(kt.errors.UnsupportedError, match=r"joint 'j0'.*armature.*hybrid"):
        kt.simulate(model, 0.1, formulation="global", step=1e-3)


def pendulum(**joint: Any) -> kt.Model:
    model = kt.Model("pendulum")
    bob = model.body("bob", 2.0, (0.5, 0, 0), (0.1, 0.2, 0.3))
    model.revolute("swing", model.ground, bob, axis="y", **joint)
    return model


def test_armature_is_a_parameter_at_run_time() -> None:
    program = kt.derive(pendulum(armature=0.25), "mass_bias")
    row = program.input("p")
    assert row.units[row.labels.index("swing.armature")] == "kg.m2"
    p = list(row.default)
    p[row.labels.index("swing.armature")] = 3.0
    assert_close(values(program, q=[0.1], qd=[0], p=p)["M"], [[0.7 + 3.0]], IDENTITY)
    assert "swing.armature" not in kt.derive(pendulum(armature=0), "mass_bias").input("p").labels


def test_expressions_of_parameters() -> None:
    model = kt.Model("gear")
    n, J = model.parameter("n", 10.0), model.parameter("J", 0.01, unit="kg.m2")
    model.revolute("swing", model.ground, model.body("bob", 1.0, (1, 0, 0)), "y", armature=n**2 * J)
    assert_close(values(kt.derive(model, "mass_bias"), q=[0.1], qd=[0])["M"], [[2.0]], IDENTITY)


def test_a_link_without_mass_may_have_a_rotor() -> None:
    model = kt.Model("rotor")
    model.revolute("spin", model.ground, model.body("shaft"), armature=0.5)
    run = kt.simulate(model, 1.0, tau={"spin": 2.0})
    assert_close(run.q[-1], [2.0], EFFORTS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"armature": -0.1}, r"joint 'swing'.*armature -0\.1 kg\.m2 is negative"),
        ({"armature": (1, 2)}, r"joint 'swing' armature.*has 2 values.*give 1"),
        ({"armature": (None,)}, r"joint 'swing' armature\[0\].*None is not a number"),
    ],
)
def test_wrong_armatures_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(kt.errors.ModelError, match=said):
        kt.derive(pendulum(**given), "forward")


def test_a_fixed_joint_has_none() -> None:
    model = kt.Model("weld")
    with pytest.raises(kt.errors.ModelError, match=r"joint 'weld' armature.*no rotor"):
        model.fixed("weld", model.ground, model.body("b", 1.0), armature=0.1)


def test_files_keep_armatures(tmp_path: Any) -> None:
    model = pendulum(armature=0.25)
    J = model.parameter("J", 0.01)
    arm = model.body("arm", 1.0, (0.1, 0.2, 0.3), (1, 1, 1))
    model.universal("hook", model.bodies["bob"], arm, armature=(J * 4, 0.5))
    kt.save(model, tmp_path / "m.yaml")
    again = kt.load(tmp_path / "m.yaml")
    assert again.content_hash() == model.content_hash() != pendulum().content_hash()
    assert "armature: [4*J, 0.5]" in (tmp_path / "m.yaml").read_text()
