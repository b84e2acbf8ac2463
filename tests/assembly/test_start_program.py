"""The consistent start as a Program: it obeys the loops, is the start of runs, has derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import CLOSED, EFFORTS, IDENTITY, ITERATED, assert_close
from tests.closed import CLOSED as CLOSURES
from tests.steppers import systems

import kinetree as kt
from kinetree.assembly import Wish, consistent_coordinates, consistent_velocities
from kinetree.assembly.loops import loops
from kinetree.errors import KinetreeError
from kinetree.integrate import Stepper, start_program
from kinetree.integrate.start.beginning import Beginning
from kinetree.integrate.start.many import ManyStarts

STEP = 1e-30


def driven_crank() -> kt.Model:
    """A slider-crank whose crank follows a law, with a user state."""
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 3 * t + 0.1)
    model.state("z", 0.3, lambda x, qd: qd["q3"] - 2 * x["z"], "N")
    return model


MODELS: dict[str, Callable[[], kt.Model]] = {
    "slider_crank": mechanisms.slider_crank,
    "two_four_bars": lambda: mechanisms.n_four_bar(2),
    "bricard": mechanisms.bricard,
    "rolling_ball": mechanisms.rolling_ball,
    "driven_crank": driven_crank,
    "thrown": systems.thrown,
    "ball": CLOSURES["ball"],
    "mechanism": CLOSURES["mechanism"],
}


def values(program: kt.Program, seed: int = 0) -> dict[str, Any]:
    """Independent values near those of the model, forces, states; quaternions as they are."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {}
    for row in program.inputs:
        if row.name == "u":
            first = np.array(row.default)
            far = 0.0 if row.quaternions else 0.2
            found["u"] = first + far * rng.uniform(-1, 1, len(first))
        elif row.name in ("ud", "tau", "x"):
            found[row.name] = rng.uniform(-1, 1, row.shape)
        elif row.name == "t":
            found["t"] = np.asarray(0.2)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_it_obeys_loops_and_equations_of_motion(name: str) -> None:
    model = MODELS[name]()
    program = start_program(model)
    given = values(program)
    out = program.evaluate(**given)
    same = {"q": out["q"], "qd": out["qd"], "t": given.get("t"), "x": given.get("x")}
    dynamics = kt.derive(model, "mass_bias")
    found = dynamics.evaluate(
        **dynamics.pick_inputs({k: v for k, v in same.items() if v is not None})
    )
    force = found["M"] @ out["qdd"] + found["c"] - given["tau"]
    if model.closures:
        gaps = kt.derive(model, "constraints")
        at = gaps.evaluate(**gaps.pick_inputs({k: v for k, v in same.items() if v is not None}))
        between = gaps.info.get("rates", "").split(", ")
        positions = [k for k, label in enumerate(gaps.output("h").labels) if label not in between]
        assert np.abs(at["h"][positions]).max(initial=0.0) < CLOSED
        assert np.abs(at["J"] @ out["qd"] + at["ht"]).max() < CLOSED
        assert np.abs(at["J"] @ out["qdd"] + at["Jdqd"]).max() < CLOSED
        lam = dict(zip(program.output("lam").labels, out["lam"], strict=True))
        force = force - at["J"].T @ [lam[label] for label in gaps.output("h").labels]
    free = [k for k, v in enumerate(model.velocities) if v not in model.drives]
    assert np.abs(force[free]).max() < EFFORTS


@pytest.mark.parametrize("name", ["slider_crank", "two_four_bars", "bricard", "driven_crank"])
def test_it_is_the_start_of_every_analysis(name: str) -> None:
    model = MODELS[name]()
    program = start_program(model)
    given = values(program, 3)
    out = program.evaluate(**given)
    system, t = loops(model), float(given.get("t", 0.0))
    named = {x: dict(zip(program.input(x).labels, given[x], strict=True))
             for x in ("u", "ud") if x in given}  # fmt: skip
    wish = Wish(named.get("u"), named.get("ud"), t=t)
    q = consistent_coordinates(system, wish)
    assert_close(out["q"], q, ITERATED)
    assert_close(out["qd"], consistent_velocities(system, q, wish), ITERATED)


@pytest.mark.parametrize("name", ["slider_crank", "driven_crank", "two_four_bars"])
def test_its_derivatives_are_those_of_the_closed_mechanism(name: str) -> None:
    program = start_program(MODELS[name]())
    given = {**values(program, 1), "p": np.array(program.input("p").default)}
    by = [x for x in ("u", "ud", "tau", "p", "t") if x in given]
    of = ("q", "qd", "qdd", "lam")
    slopes = program.derivative(of, by).evaluate(**given)
    for x in by:
        for k in range(np.size(given[x])):
            moved = {n: np.array(v, dtype=complex) for n, v in given.items()}
            moved[x].reshape(-1)[k] += 1j * STEP
            exact = program.evaluate(**moved)
            for y in of:
                column = slopes[f"d{y}_d{x}"].reshape(len(exact[y]), -1)[:, k]
                assert_close(column, exact[y].imag / STEP, EFFORTS, scale=1e2)


def test_by_default_it_is_the_assembled_model_at_rest() -> None:
    model = mechanisms.slider_crank()
    out = start_program(model).evaluate()
    assert_close(out["q"], kt.assemble(model).q, ITERATED)
    assert not out["qd"].any()


def test_many_starts_are_one_call() -> None:
    program = start_program(mechanisms.slider_crank(), independent=["q1"])
    u = np.linspace(0.2, 1.2, 100)[:, None]
    many = program.compile()(u=u, ud=np.ones((100, 1)))
    one = program.evaluate(u=u[37], ud=np.ones(1))
    for name in ("q", "qd", "qdd", "lam"):
        assert_close(many[name][37], one[name], IDENTITY, scale=1e3)


def lengthened(model: kt.Model, share: Any) -> dict[str, Any]:
    """The rod longer by a share."""
    port = kt.derive(model, "constraints").input("p")
    assert port.default is not None
    return {"rod.end_x": port.default[port.labels.index("rod.end_x")] * share}


@pytest.mark.parametrize("rates", [None, {"q1": np.linspace(-1, 1, 300)}])
def test_a_large_batch_starts_as_each_of_its_runs(rates: dict[str, Any] | None) -> None:
    model = mechanisms.slider_crank()
    stepper, first = Stepper(model, "hybrid"), {"q1": np.linspace(0.2, 1.2, 300)}
    longer = np.linspace(0.9, 1.1, 300)
    many = stepper.run(0.01, 0.01, q=first, qd=rates, parameters=lengthened(model, longer))
    for k in (0, 137, 299):
        alone = {name: values[k] for name, values in (rates or {}).items()} or None
        one = stepper.run(
            0.01, 0.01, q={"q1": first["q1"][k]}, qd=alone, parameters=lengthened(model, longer[k])
        )
        for name in ("q", "qd", "qdd", "lam"):
            assert_close(getattr(many, name)[k], getattr(one, name), ITERATED, scale=1e2)


@pytest.mark.parametrize(
    ("build", "q", "sure"),
    [
        (mechanisms.slider_crank, {"q1": np.linspace(0.2, 1.2, 300)}, True),
        (mechanisms.slider_crank, {"q1": np.linspace(0.2, 1.2, 20)}, False),  # does not pay
        (mechanisms.slider_crank, {"q3": np.linspace(2.0, 4.0, 300)}, False),  # some do not close
        (mechanisms.rolling_ball, {"float_px": np.linspace(0, 1, 300)}, False),  # turns freely
        (mechanisms.bricard, {"j5": np.linspace(0.0, 0.1, 300)}, False),  # equations repeat others
        (systems.double_pendulum, {"q1": np.linspace(0, 1, 300)}, False),  # no loops
    ],
)
def test_the_program_starts_many_where_nothing_is_to_be_weighed(
    build: Callable[[], kt.Model], q: dict[str, Any], sure: bool
) -> None:
    assert (ManyStarts(build()).state(Beginning(q)) is not None) == sure


def test_the_search_starts_where_the_user_says() -> None:
    program = start_program(mechanisms.four_bar(), independent=["a"])
    folded = program.evaluate(u=[1.0], v=[-2.5, -0.5])["q"]
    assert np.abs(folded - program.evaluate(u=[1.0])["q"]).max() > 0.1


def test_what_cannot_close_has_no_value() -> None:
    program = start_program(mechanisms.slider_crank(), independent=["q3"])
    assert np.isnan(program.evaluate(u=[5.0])["q"]).any()


def test_refusals_name_the_cure() -> None:
    with pytest.raises(KinetreeError, match=r"independent: model 'double' has no loops.*leave"):
        start_program(systems.double_pendulum(), independent=["q1"])
    with pytest.raises(KinetreeError, match="nowhere"):
        start_program(mechanisms.slider_crank(), independent=["nowhere"])
