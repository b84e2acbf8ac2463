"""The saloon on the hydraulic roll suspension: one system of mechanics and fluid power."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, simpson
from tests.approx import TRAJECTORY
from tests.reference.iltis import ROOT
from tests.reference.test_h2 import GAS, RATIO, STORES, counted, energy
from tools import saloon_h2

import kinetree as kt

MODEL = ROOT / "examples" / "models" / "saloon_h2.yaml"
JUMPS, END = (1.0, 4.0), 4.4
"""When the speed of the rack jumps, and the end of the run [s]."""
SOON = 1e-9


def test_file_is_what_the_hardpoints_and_the_circuit_make() -> None:
    assert MODEL.read_text(encoding="utf-8") == saloon_h2.saloon_h2()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The lane change with the works of all forces, of the rack and of the oil as states."""
    model = counted("mass", tmp_path_factory.mktemp("car"), MODEL)
    works = {
        "springs": [f"{c}_spring" for c in RATIO],
        "tyres": [f"{c}_tyre" for c in RATIO],
        "bushings": [name for name, force in model.forces.items() if force.kind == "bushing"],
    }
    for what, forces in works.items():
        model.state(what, 0.0, sum_of([f"{name}.power" for name in forces]))
    spin = {f"{c}_spin": 10 / 0.33 for c in RATIO}
    told = ["rack.reaction.fy", "energy.kinetic", "energy.potential"]
    told += [f"{name}.stored" for name in STORES]
    told += [f"{name}.energy" for name in (*works["springs"], *works["bushings"])]
    return kt.simulate(model, END, qd={"x": 10.0, **spin}, method="dopri5", rtol=1e-8, atol=1e-10,
                       step=4e-4, outputs=told)  # fmt: skip


def sum_of(names: list[str]) -> Callable[..., Any]:
    """A law that adds outputs."""
    return lambda outputs: sum(outputs[name] for name in names)


def test_energy_of_mechanics_is_kept(run: Any) -> None:
    """Motion, weight and springs change by what tyres, bushings, pistons and the rack put in.

    Over all that the rack does, with what it puts in at once as its speed jumps.
    """
    works = {str(name): run.x.sel(state=name).values for name in run.state.values}
    elastic = sum(run[name].values for name in run.data_vars if str(name).endswith(".energy"))
    rows = {
        "motion": run["energy.kinetic"].values, "weight": run["energy.potential"].values - elastic,
        **{name: -works[name] for name in ("springs", "tyres", "bushings")},
        "pistons": works["work"],
    }  # fmt: skip
    terms = {name: float(row[-1] - row[0]) for name, row in rows.items()}
    jumps, put_in = jumps_of_rack(run), work_of_rack(run)
    left = sum(terms.values()) - put_in - sum(jumps)
    assert abs(left) < TRAJECTORY * max(map(abs, terms.values()))
    assert min(terms["tyres"], put_in, terms["pistons"]) > 1  # none of them is idle
    assert min(map(abs, jumps)) > 1e3 * abs(left), "what is put in at once is seen"


def work_of_rack(run: Any) -> float:
    """Between the jumps of its speed [J]; right beside them its power is extrapolated."""
    first, last = (row_at(run, t) for t in JUMPS)
    power = run["rack.reaction.fy"] * run.qd.sel(velocity="rack", drop=True)
    P = power.values[first : last + 1].copy()
    P[0], P[-1] = 3 * P[1] - 3 * P[2] + P[3], 3 * P[-2] - 3 * P[-3] + P[-4]
    return float(simpson(P, x=run.time.values[first : last + 1]))


def jumps_of_rack(run: Any) -> list[float]:
    """Kinetic energy that the rack puts in as its speed jumps: all loops closed again [J]."""
    model = kt.load(MODEL)
    forward, energy = kt.derive(model, "forward", parameters="folded"), kt.derive(model, "energy")

    def kinetic(row: Any, t: float) -> float:
        own = row.x.sel(state=list(model.states)).values
        given = {"q": row.q.values, "qd": row.qd.values, "x": own, "tau": np.zeros(model.nv)}
        closed = forward.evaluate(**forward.pick_inputs({**given, "t": np.array(t)}))
        at = {"q": closed["q_closed"], "qd": closed["qd_closed"]}
        return float(energy.evaluate(**energy.pick_inputs(at))["kinetic"])

    begin, end = ((run.isel(time=row_at(run, t)), t) for t in JUMPS)
    return [
        kinetic(begin[0], begin[1] + SOON) - kinetic(*begin),
        kinetic(*end) - kinetic(end[0], end[1] - SOON),
    ]


def row_at(run: Any, t: float) -> int:
    """Number of the row of a time."""
    return int(run.indexes["time"].get_indexer([t], method="nearest")[0])


def test_energy_of_the_oil_is_kept(run: Any) -> None:
    """The work of the pistons is found again in gas, oil, lines and losses."""
    last = {str(name): float(run.x.sel(state=name)[-1]) for name in run.state.values}
    stored = sum(float(run[f"{name}.stored"][-1] - run[f"{name}.stored"][0]) for name in STORES)
    gas = sum(quad(energy, last[name], 1.0, epsabs=0, epsrel=1e-11)[0] for name in GAS)
    terms = last["work"], gas, stored, last["lost"]
    assert abs(terms[0] - sum(terms[1:])) < TRAJECTORY * max(map(abs, terms))
