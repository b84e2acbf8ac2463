"""A function for progress is told how far a run is, and ends it; what was computed stays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.analysis import systems
from tests.identification.arms import arm, motion, recorded

import kinetree as kt
from kinetree.errors import EndedError
from kinetree.targets.kept import forget

ROOT = Path(__file__).resolve().parents[2]
Analysis = Callable[[Any], Any]
"""Makes an analysis that tells a function how far it is."""


class Listener:
    """Keeps what it is told, and has enough from a share on."""

    def __init__(self, enough: float = 2.0) -> None:
        self.enough, self.told = enough, list[float]()

    def __call__(self, share: float) -> bool:
        self.told.append(share)
        return share >= self.enough


@cache
def driven() -> kt.Model:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + 3 * t)
    return model


@cache
def swing() -> Any:
    return kt.simulate(systems.double_pendulum(), 1.0, step=1e-4, q=[0.3, 0.4])


@cache
def turn() -> Any:
    return kt.simulate(mechanisms.slider_crank(), 0.2, step=0.01)


def gradient(*extra: str, duration: float | None = 20.0, **given: Any) -> Analysis:
    """Derivatives of a double pendulum."""
    measures = {"end": kt.final("q_a"), **{name: kt.peak("q_b") for name in extra}}
    how = {"by": ["upper.mass", "lower.mass"], "q": [0.3, 0.4], **given}
    return lambda told: kt.sensitivity(
        systems.double_pendulum(), duration, measures, progress=told, **how
    )


ALONG: dict[str, Any] = {
    "inverse": lambda told, **how: kt.inverse(
        systems.double_pendulum(), swing(), progress=told, **how
    ),
    "inverse of loops": lambda told, **how: kt.inverse(
        mechanisms.slider_crank(), turn(), progress=told, **how
    ),
    "reactions": lambda told, **how: kt.reactions(
        systems.double_pendulum(), swing(), progress=told, **how
    ),
    "outputs": lambda told, **how: kt.outputs(
        systems.double_pendulum(), swing(), ["energy.total"], progress=told, **how
    ),
    "kinematics": lambda told, **how: kt.kinematics(driven(), 0.5, step=0.02, progress=told, **how),
}
"""Analyses that keep the rows that they have reached."""
STEPS: dict[str, Any] = {"integrator": "trapezoidal", "step": 0.002}
MANY: dict[str, Any] = {"q": np.linspace([0.1, 0.2], [0.5, 0.6], 12)}
EXCITED: dict[str, Any] = {"position": 1.2, "speed": 2.0, "acceleration": 6.0}
WHOLE: dict[str, Analysis] = {
    "sensitivity, direct": gradient(method="direct"),
    "sensitivity, adjoint": gradient("top", method="adjoint"),
    "sensitivity, continuous": gradient(method="adjoint", integrator="DOP853"),
    "sensitivity, in steps": gradient(**STEPS),
    "sensitivity, back over steps": gradient(**STEPS, method="adjoint"),
    "sensitivity, second order": gradient(order=2),
    "sensitivity, along": gradient(order=2, along={"upper.mass": 1.0}),
    "sensitivity, second order in steps": gradient(**STEPS, order=2),
    "sensitivity, along in steps": gradient(**STEPS, order=2, along={"upper.mass": 1.0}),
    "sensitivity of many": gradient(**MANY, duration=0.5),
    "sensitivity of many in lanes": gradient(**MANY, **STEPS, duration=0.05, method="adjoint"),
    "sensitivity of rest": gradient(duration=None, at="equilibrium", q=[-1.5, 0.0]),
    "identify": lambda told: kt.identify(
        arm(), recorded(arm(), motion(301)), friction=(), progress=told
    ),
    "identify by motion": lambda told: kt.identify(
        systems.pendulum(), recorded(systems.pendulum(), motion(301, joints=1)), "output_error",
        friction=(), progress=told,
    ),
    "equilibrium": lambda told: kt.equilibrium(mechanisms.slider_crank(), progress=told),
    "linearise": lambda told: kt.linearise(mechanisms.slider_crank(), progress=told),
    "modes": lambda told: kt.modes(mechanisms.slider_crank(), progress=told),
}  # fmt: skip
"""Analyses that have nothing to show before their end."""
pytestmark = pytest.mark.filterwarnings("ignore::kinetree.errors.ModelWarning")


@pytest.mark.parametrize("method", ["auto", "rk4", "BDF", "trapezoidal"])
def test_a_function_is_told_and_may_end_the_run(method: str) -> None:
    told: list[float] = []

    def stop(t: float) -> bool:
        told.append(t)
        return t > 1.0

    run = kt.simulate(systems.double_pendulum(), 2000.0, method=method, step=0.01, q=[0.3, 0.4],
                      progress=stop)  # fmt: skip
    assert told == sorted(told)
    assert 1.0 < told[-1] < 2000.0
    assert run.attrs["termination"].startswith("interrupted")
    assert 0.9 < float(run.time[-1]) < 2000.0
    same = kt.simulate(systems.double_pendulum(), 0.5, method=method, step=0.01, q=[0.3, 0.4],
                       progress=lambda t: None)  # fmt: skip
    assert same.attrs["termination"] == "finished"


def planned(told: Any) -> Any:
    return kt.excite(arm(), 10.0, 3, friction=(), starts=2, **EXCITED, step=0.02, progress=told)


ALL = {**ALONG, **WHOLE, "excite": planned}


@pytest.mark.parametrize("name", ALL)
def test_what_is_told_rises_on_the_way_and_ends_at_one(name: str) -> None:
    told = Listener()
    ALL[name](told)
    assert told.told == sorted(told.told)
    assert told.told[-1] == 1.0
    assert len({share for share in told.told if 0.0 < share < 1.0}) >= 2


@pytest.mark.parametrize("name", ALONG)
def test_rows_that_were_reached_stay_and_are_those_of_the_whole(name: str) -> None:
    whole = ALONG[name](False)
    with pytest.warns(kt.errors.ModelWarning, match="interrupted at t = .* up to there are kept"):
        part = ALONG[name](Listener(0.6))
    assert part.attrs["termination"] == f"interrupted at t = {float(part.time[-1]):.6g} s"
    assert whole.attrs["termination"] == "finished"
    rows = part.sizes["time"]
    assert 0 < rows < whole.sizes["time"]
    for variable in whole.data_vars:
        if "time" in whole[variable].dims:
            assert np.array_equal(part[variable], whole[variable][:rows]), variable


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("enough", [0.0, 0.35])
def test_an_analysis_without_a_half_says_that_it_was_ended(name: str, enough: float) -> None:
    told = Listener(enough)
    with pytest.raises(EndedError, match=r"^\w+: it was ended at \d+ %, and has nothing to show"):
        WHOLE[name](told)
    assert enough <= told.told[-1] < 1.0


def test_the_best_motion_so_far_stays() -> None:
    with pytest.warns(kt.errors.ModelWarning, match="best motion so far"):
        part = planned(Listener(0.4))
    assert part.attrs["termination"].startswith("interrupted")
    for name, most in (("q", "position"), ("qd", "speed"), ("qdd", "acceleration")):
        assert np.abs(part[name]).max() <= EXCITED[most]
    with pytest.raises(EndedError, match=r"excite: it was ended at \d %"):
        planned(Listener(0.0))


@pytest.fixture
def nothing_known(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All equations are derived and compiled anew."""
    monkeypatch.setenv("KINETREE_CACHE", str(tmp_path / "cache"))
    forget()
    yield
    forget()


@pytest.mark.usefixtures("nothing_known")
def test_what_is_being_made_is_told_beside_the_share() -> None:
    said: list[Any] = []
    run = turn()
    forget()
    kt.inverse(mechanisms.slider_crank(), run, progress=said.append)
    doing = [share.doing for share in said if share.doing]
    assert any(re.fullmatch(r"deriving, \d+ blocks derived", text) for text in doing)
    assert any(re.fullmatch(r"simplifying, \d+ blocks derived", text) for text in doing)
    assert any(re.search(r"^compiling, .* \d+ functions? compiled", text) for text in doing)
    assert said == sorted(said)
    assert len({share for share in said if share.doing}) > 10  # the share moves, too


@pytest.mark.usefixtures("nothing_known")
@pytest.mark.parametrize("method", ["auto", "trapezoidal"])
def test_a_run_can_be_ended_while_its_equations_are_made(method: str) -> None:
    def enough(t: Any) -> bool:
        return bool(t.doing.startswith("deriving"))

    with pytest.raises(EndedError, match="simulate: it was ended before its first step"):
        kt.simulate(systems.double_pendulum(), 1.0, method=method, progress=enough)


def test_a_film_that_is_ended_is_not_there(tmp_path: Any) -> None:
    model, run, told = systems.double_pendulum(), swing().isel(time=slice(0, 2001)), Listener()
    kt.animate(model, run, tmp_path / "whole.gif", progress=told)
    assert told.told == sorted(told.told)
    assert told.told[-1] == 1.0
    with pytest.raises(EndedError, match=r"animate: it was ended at 5[0-9] %"):
        kt.animate(model, run, tmp_path / "part.gif", progress=Listener(0.5))
    assert [file.name for file in tmp_path.iterdir()] == ["whole.gif"]


def test_a_sweep_that_is_ended_goes_on_from_its_folder(tmp_path: Any) -> None:
    plan = kt.grid({"lower.mass": [0.4, 0.5, 0.6, 0.7]})
    given: dict[str, Any] = {"q": [0.3, 0.4], "part": 1, "into": tmp_path / "sweep"}
    ask = (systems.double_pendulum(), 0.1, plan, {"end": kt.final("q_a")})
    with pytest.raises(EndedError, match=r"ended with 2 of 4 runs, which stay in folder"):
        kt.sweep(*ask, **given, progress=lambda done, _: done == 2)
    told: list[int] = []
    again = kt.sweep(*ask, **given, progress=lambda done, _: told.append(done))
    assert told == [3, 4]
    del given["into"]
    assert np.array_equal(again.end, kt.sweep(*ask, **given).end)
    with pytest.raises(EndedError, match="1 of 4 runs, nothing of which is kept; give into="):
        kt.sweep(*ask, **given, progress=lambda done, _: True)


@pytest.mark.parametrize("starts", [1, 3])
def test_an_optimisation_that_is_ended_has_the_best_so_far(starts: int) -> None:
    rows: list[Any] = []

    def told(row: Any) -> bool:
        rows.append(row)
        return len(rows) >= 4

    best = kt.optimise(
        systems.double_pendulum(), 0.2, kt.final("(q_a - 0.25)**2"), over={"lower.mass": (0.1, 3)},
        q=[0.3, 0.4], starts=starts, progress=told,
    )  # fmt: skip
    assert not best.converged
    assert best.message == "it was ended on the way"
    assert best.value == float(best.history.value.min())
    assert len(rows) == 4


KILLED = """
import os, sys
from tests.analysis import test_progress_call as here
import kinetree.results.growing as growing
growing.EVERY = growing.SHARE = 0.0  # rows reach the disk at once
for name, analysis in here.ALONG.items():
    analysis(False, file="first.nc")
    if not os.fork():  # what is imported and compiled is shared
        analysis(lambda share: share >= 0.8 and os.kill(os.getpid(), 9), file=f"{name}.nc")
    assert os.waitstatus_to_exitcode(os.wait()[1]) == -9
"""


def test_what_is_killed_leaves_the_rows_that_it_reached(tmp_path: Any) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{ROOT}"}
    subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=True, env=environment)
    for name, analysis in ALONG.items():
        whole, part = analysis(False, file=tmp_path / "whole.nc"), tmp_path / f"{name}.nc"
        _compare_rows(whole, kt.load_run(tmp_path / "whole.nc"), kt.load_run(part))


def _compare_rows(whole: Any, kept: Any, part: Any) -> None:
    assert part.attrs["termination"] == "unfinished"
    assert set(part.data_vars) == set(whole.data_vars) == set(kept.data_vars)
    rows = part.sizes["time"]
    assert 0 < rows < whole.sizes["time"] == kept.sizes["time"]
    for variable in whole.data_vars:
        assert np.array_equal(kept[variable], whole[variable]), variable
        if "time" in whole[variable].dims:
            assert np.array_equal(part[variable], whole[variable][:rows]), variable
