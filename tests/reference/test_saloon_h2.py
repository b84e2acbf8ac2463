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
JUMP, BEGIN, END = 1.0, 1.1, 2.0
"""When the speed of the rack jumps, and times of the balance of the oil [s]."""


def test_file_is_what_the_hardpoints_and_the_circuit_make() -> None:
    assert MODEL.read_text(encoding="utf-8") == saloon_h2.saloon_h2()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A lane change with the works of all forces, of the rack and of the oil as states."""
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
                       step=JUMP / 5000, outputs=told)  # fmt: skip


def sum_of(names: list[str]) -> Callable[..., Any]:
    """A law that adds outputs."""
    return lambda outputs: sum(outputs[name] for name in names)


def test_energy_of_mechanics_is_kept(run: Any) -> None:
    """Motion, weight and springs change by what tyres, bushings, pistons and the rack put in.

    From the start on, with what the rack puts in at once as its speed jumps.
    """
    works = {str(name): run.x.sel(state=name).values for name in run.state.values}
    elastic = sum(run[name].values for name in run.data_vars if str(name).endswith(".energy"))
    rows = {
        "motion": run["energy.kinetic"].values, "weight": run["energy.potential"].values - elastic,
        **{name: -works[name] for name in ("springs", "tyres", "bushings")},
        "pistons": works["work"],
    }  # fmt: skip
    terms = {name: float(row[-1] - row[0]) for name, row in rows.items()}
    jump, put_in = jump_of_rack(run), work_of_rack(run)
    assert abs(sum(terms.values()) - put_in - jump) < TRAJECTORY * max(map(abs, terms.values()))
    assert min(terms["tyres"], put_in, terms["pistons"]) > 1  # none of them is idle
    assert jump > 0.02


def work_of_rack(run: Any) -> float:
    """From the jump of its speed to the end [J]; its power right after that is extrapolated."""
    after = run.time.values > JUMP - 1e-9
    t = run.time.values[after]
    power = (run["rack.reaction.fy"] * run.qd.sel(velocity="rack", drop=True)).values[after]
    power[0] = 3 * power[1] - 3 * power[2] + power[3]
    return float(simpson(power, x=t))


def jump_of_rack(run: Any) -> float:
    """Kinetic energy that the rack puts in as its speed jumps: all loops closed again [J]."""
    model = kt.load(MODEL)
    forward, energy = kt.derive(model, "forward", parameters="folded"), kt.derive(model, "energy")
    row = run.isel(time=run.indexes["time"].get_indexer([JUMP], method="nearest")[0])
    own = row.x.sel(state=list(model.states)).values
    given = {"q": row.q.values, "qd": row.qd.values, "x": own, "tau": np.zeros(model.nv)}
    found = []
    for t in (JUMP, JUMP + 1e-9):
        closed = forward.evaluate(**forward.pick_inputs({**given, "t": np.array(t)}))
        at = {"q": closed["q_closed"], "qd": closed["qd_closed"]}
        found.append(float(energy.evaluate(**energy.pick_inputs(at))["kinetic"]))
    return found[1] - found[0]


def test_energy_of_the_oil_is_kept(run: Any) -> None:
    """The work of the pistons is found again in gas, oil, lines and losses."""
    rose, works = rises(run), {str(name): run.x.sel(state=name) for name in run.state.values}
    stored = sum(rose(run[f"{name}.stored"]) for name in STORES)
    ends = [works[name].sel(time=[BEGIN, END], method="nearest").values for name in GAS]
    gas = sum(quad(energy, last, first, epsabs=0, epsrel=1e-11)[0] for first, last in ends)
    terms = rose(works["work"]), gas, stored, rose(works["lost"])
    assert abs(terms[0] - sum(terms[1:])) < TRAJECTORY * max(map(abs, terms))


def rises(run: Any) -> Callable[[Any], float]:
    """How much something grows between both times."""
    first = run.indexes["time"].get_indexer([BEGIN], method="nearest")[0]
    return lambda row: float(row[-1] - row[first])
