"""What runs tell of contacts: depths and energies of equal steps, starts that are too deep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, GOLDEN, IDENTITY
from typer.testing import CliRunner

import kinetree as kt
from kinetree.cli import app
from kinetree.errors import ModelError

SQUARE = {"chain": ((0.3, -0.2), (0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2)), "closed": True}
SMALL = {"chain": ((0.05, -0.05), (0.05, 0.05), (-0.05, 0.05), (-0.05, -0.05)), "closed": True}
FLOOR = {"chain": ((5.0, 0.0), (-5.0, 0.0))}
BALL = {"circle": (0.0, 0.0), "radius": 0.1}
STICKY = {"friction": 0.4, "stick_stiffness": 1e4}
MASS, STIFF = 0.3, 1e4


def falling(first: Any = BALL, second: Any = FLOOR, law: Any = "linear", **data: Any) -> kt.Model:
    """A body in the plane that meets the ground."""
    model = kt.Model("falling", gravity=(0, -9.81, 0))
    model.planar("p", model.ground, model.body("b", mass=MASS, inertia=(1, 1, 0.01)))
    given = {"stiffness": STIFF} if law in ("linear", "hunt_crossley") else {}
    model.plane_contact("touch", "b", model.ground, first, second, law, **given, **data)
    return model


def energy(run: Any, y: int = 1) -> Any:
    """Of the motion without the contact, at the ends of a run [J]."""
    q, qd = run.q.values[[0, -1]], run.qd.values[[0, -1]]
    moves = MASS * (qd[:, 0] ** 2 + qd[:, y] ** 2) / 2 + 0.01 * qd[:, 2] ** 2 / 2
    return moves + MASS * 9.81 * q[:, y]


@pytest.mark.parametrize("step", [1e-3, 3e-3])
def test_equal_steps_tell_the_energy_that_a_bounce_has_made(step: float) -> None:
    """An elastic ball that bounces once: what it has too much, by its height and speed."""
    run = kt.simulate(falling(), 0.3, q=[0, 0.2, 0], qd=[0, -1.0, 0], step=step,
                      method="trapezoidal", outputs=["touch.depth"])  # fmt: skip
    assert run["touch.depth"].values[-1] == 0, "it has left"
    before, after = energy(run)
    assert run.attrs["contact_energy"] == pytest.approx(after - before, rel=COARSE_RUN)
    assert abs(after - before) > 1e-6, "such steps do make or lose some"
    k = int(np.argmax(run["touch.depth"].values))
    assert run.attrs["contact_depth"] == run["touch.depth"].values[k]
    assert run.attrs["contact_deepest"] == f"touch at t = {run.time.values[k]:.6g} s"


def test_what_a_contact_loses_is_no_error_of_the_steps() -> None:
    model = falling(SQUARE, law="hunt_crossley", dissipation=0.3, **STICKY)
    fine = kt.simulate(model, 0.3, q=[0, 0.25, 0.1], qd=[1, -1, 0.5], step=1e-4,
                       method="trapezoidal")  # fmt: skip
    before, after = energy(fine)
    assert after < before - 0.05, "it has lost energy"
    assert abs(fine.attrs["contact_energy"]) < 0.01 * (before - after)


@pytest.mark.parametrize(
    ("law", "data"),
    [("linear", {"damping": 30.0}), ("hunt_crossley", {"dissipation": 0.5}),
     ("felt", {"force": 10.0, "depth": 0.01, "exponent": 1.8, "dissipation": 0.5}),
     ("lankarani_nikravesh", {"stiffness": 1e4, "restitution": 0.5, "impact_speed": 1.0}),
     (lambda depth, rate: 8e3 * depth + 1e5 * depth**2 + 3 * rate * depth, {}), ("linear", STICKY)],
)  # fmt: skip
def test_power_is_what_leaves_the_store_and_is_not_lost(law: Any, data: dict[str, Any]) -> None:
    """power = -(d stored/dt + loss), loss ≥ 0, for every law and for friction that sticks."""
    model = falling(SQUARE, law=law, **data)
    program, n = kt.derive(model, "forces"), 40
    random = np.random.default_rng(5)
    q = random.uniform((-1, 0.15, -0.3), (1, 0.25, 0.3), (n, 3))
    given = {"q": q, "qd": random.uniform(-1, 1, (n, 3))}
    rates = {"q": given["qd"]}
    if model.states:
        given["x"] = random.uniform(-1e-3, 1e-3, (n, len(model.states)))
        forward = kt.derive(model, "forward")
        rates["x"] = forward.evaluate(**forward.pick_inputs({**given, "tau": np.zeros((n, 3))}))[
            "xd"
        ]
    out = program.evaluate(**program.pick_inputs(given))
    ahead = {k: v + 1e-30j * rates[k] if k in rates else v for k, v in given.items()}
    moved = program.evaluate(**program.pick_inputs(ahead))["touch.stored"].imag / 1e-30
    scale = max(1.0, float(np.abs(out["touch.power"]).max()))
    close = 1e-4 if law == "felt" else GOLDEN  # a store by quadrature of other powers
    assert np.abs(out["touch.power"] + moved + out["touch.loss"]).max() < close * scale
    assert out["touch.loss"].min() >= -IDENTITY * scale
    assert (out["touch.load"] > 0).sum() > 10


DEEP = {
    "a box in the floor": (SQUARE, FLOOR, (0, 0.05, 0), "0.15 m"),
    "a floor upside down": (BALL, {"chain": ((-5, 0), (5, 0))}, (0, 0.2, 0), "0.3 m"),
    "a box in a box": (SMALL, SQUARE, (0, 0.01, 0), "0.16 m"),
    "a ball in a box": (
        {"circle": (0, 0), "radius": 0.05},
        SQUARE,
        (0.03, 0, 0),
        "more than 0.2 m",
    ),
}


@pytest.mark.parametrize("case", DEEP)
@pytest.mark.parametrize("method", ["auto", "trapezoidal"])
def test_bodies_that_start_deep_inside_each_other_are_told(case: str, method: str) -> None:
    first, second, q, deep = DEEP[case]
    with pytest.raises(ModelError, match=rf"force 'touch': its bodies begin .*{deep}"):
        kt.simulate(falling(first, second), 0.1, q=list(q), step=1e-3, method=method)
    apart = (q[0], q[1] + 5.0, q[2])
    if case != "a floor upside down":
        kt.simulate(falling(first, second), 0.01, q=list(apart), step=1e-3, method=method)


def test_what_begins_just_at_touching_or_in_line_is_not_deep() -> None:
    for first, second, q in (
        (SQUARE, FLOOR, [0, 0.2, 0]), (SQUARE, SQUARE, [0.6, 0, 0]),
        (SMALL, SQUARE, [0.35, 0.15, 0]), (SMALL, SQUARE, [0.25, 0.25, 0]),
        (BALL, SQUARE, [0.4, 0.2, 0]),
    ):  # fmt: skip
        kt.simulate(falling(first, second), 0.001, q=q, step=1e-3, method="trapezoidal")


def test_the_command_line_tells_what_equal_steps_made_of_contacts(tmp_path: Path) -> None:
    kt.save(falling(), tmp_path / "ball.yaml")
    said = CliRunner().invoke(
        app, ["simulate", str(tmp_path / "ball.yaml"), "--duration", "0.3", "--step", "0.001",
              "--method", "trapezoidal", "--q", "p_2=0.15"],
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    assert "contacts: up to 0.0" in said.output
    assert "m deep, touch at t = " in said.output
    assert "equal steps added" in said.output
