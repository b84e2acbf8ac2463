"""The car axis of the Test Set for IVP Solvers: a moving support, constraints that follow it."""

from __future__ import annotations

from typing import Any

import numpy as np
from ruamel.yaml import YAML
from tests.approx import LONG_RUN, RUN
from tests.reference.closed_numeric import DATA

import kinetree as kt
from kinetree.engine import sin, sqrt

FILE: dict[str, Any] = YAML(typ="safe").load(DATA / "mbs_testset" / "ivp_testset_others.yaml")[
    "car_axis"
]
P: dict[str, float] = FILE["parameters"]


def car_axis() -> kt.Model:
    """Two point masses on springs of 1 N/m, joined by a rod; the right spring stands on a bump."""
    model = kt.Model("car_axis", gravity=(0, -P["g"], 0))
    mass = P["M"] * P["eps"] ** 2 / 2
    places = {"l": FILE["initial"]["q"][:2], "r": FILE["initial"]["q"][2:]}
    for side, place in places.items():
        body = model.body(side, mass=mass)
        model.sequence(
            f"at_{side}",
            model.ground,
            body,
            "T1 T2",
            coordinates=[f"x{side}", f"y{side}"],
            initial=place,
        )
    bump = model.body("bump")
    model.sequence("road", model.ground, bump, "T1 T2", coordinates=["xb", "yb"])
    model.drive("yb", lambda t: P["r"] * sin(P["omega"] * t))
    model.drive("xb", lambda t: sqrt(P["L"] ** 2 - (P["r"] * sin(P["omega"] * t)) ** 2))
    model.spring("left", model.bodies["l"], model.ground, 1.0, P["L0"])
    model.spring("right", model.bodies["r"], bump, 1.0, P["L0"])
    model.constrain("upright", lambda q: q["xb"] * q["xl"] + q["yb"] * q["yl"])
    model.close_rod("axle", model.bodies["l"], model.bodies["r"], P["L"])
    return model


def test_state_after_three_seconds() -> None:
    model = car_axis()
    rates = dict(zip(("xl", "yl", "xr", "yr"), FILE["initial"]["qd"], strict=True))
    run = kt.simulate(model, 3.0, qd=rates, rtol=1e-11, atol=1e-12, method="dop853", step=0.1)
    assert run.attrs["termination"] == "finished"
    last = run.isel(time=-1)
    names = ["xl", "yl", "xr", "yr"]
    expected = np.array(FILE["reference_t_3"])
    assert np.abs(last.q.sel(coordinate=names) - expected[:4]).max() < RUN
    assert np.abs(last.qd.sel(velocity=names) - expected[4:8]).max() < LONG_RUN
    lam = last.lam.to_numpy() * [1.0, 0.5]  # a rod is written (d·d - L²)/2
    assert np.abs(lam - expected[8:]).max() < RUN
