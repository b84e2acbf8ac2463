"""What was derived is kept, and found again only where everything it depends on is the same."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import TRAJECTORY

import kinetree as kt
from kinetree.analysis.runs import forms
from kinetree.errors import ModelWarning
from kinetree.targets import kept
from kinetree.targets.native.compile import jit


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Names of the models whose dynamics are derived; the store is empty, and takes everything."""
    names: list[str] = []
    derive = forms.derive

    def count(model: kt.Model, *args: Any, **kwargs: Any) -> Any:
        names.append(model.name)
        return derive(model, *args, **kwargs)

    monkeypatch.setattr(forms, "derive", count)
    monkeypatch.setenv("KINETREE_CACHE", str(tmp_path))
    monkeypatch.setattr(kept, "LARGE", 0)
    monkeypatch.setattr(kept, "LONG", 0.0)
    kept.forget()
    return names


def swing(length: float = 1.0, damping: float = 0.0) -> kt.Model:
    model = kt.Model("swing")
    arm = model.body("arm", mass=1.0, com=(length, 0, 0))
    model.revolute("a", model.ground, arm, axis="y")
    model.joint_law("d", "a", lambda qd: -damping * qd["a"])
    return model


def last(model: kt.Model, **given: Any) -> float:
    return float(kt.simulate(model, 0.2, step=0.1, **given)["q"][-1, 0])


def test_equal_models_are_derived_once(derived: list[str]) -> None:
    values = [last(swing()), last(swing()), last(swing(), q=[0.0], method="RK45")]
    assert derived == ["swing"]
    assert values[0] == values[1]
    assert values[2] == pytest.approx(values[0], rel=TRAJECTORY)


def test_any_change_is_derived_anew(derived: list[str]) -> None:
    model = swing()
    first = last(model)
    longer, damped = last(swing(2.0)), last(swing(damping=3.0))
    assert len({first, longer, damped}) == 3
    model.joint_spring("spring", "a", stiffness=5.0)
    assert last(model) not in (first, longer, damped)
    assert len(derived) == 4
    assert last(swing()) == first
    assert len(derived) == 4


def test_values_of_parameters_are_not_part_of_it(derived: list[str]) -> None:
    values = [last(swing(), parameters={"gravity_z": g}) for g in (-9.81, -5.0, 0.0)]
    assert derived == ["swing"]
    assert values[0] == last(swing())
    assert values[2] == 0.0
    assert values[0] > values[1] > 0


def test_a_new_process_finds_it_on_disk(derived: list[str]) -> None:
    model = mechanisms.slider_crank(q2=-0.7420699814, q3=2.8192702668)
    first = kt.simulate(model, 0.2, step=0.1)
    kept.forget()
    again = kt.simulate(model, 0.2, step=0.1)
    assert derived == ["slider_crank"]
    np.testing.assert_array_equal(again["q"], first["q"])


def test_a_damaged_file_is_made_anew(derived: list[str], tmp_path: Path) -> None:
    first = last(swing())
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-7])
    kept.forget()
    assert last(swing()) == first
    assert derived == ["swing"] * 2


def test_other_sources_find_nothing(derived: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    last(swing())
    kept.forget()
    monkeypatch.setattr(kept, "sources", lambda: "changed")
    last(swing())
    assert derived == ["swing"] * 2


def test_warnings_of_a_model_come_every_time(derived: list[str]) -> None:
    model = swing()
    body = model.body("doubtful", mass=1.0, inertia=(1.0, 1.0, 9.0))
    model.revolute("b", model.bodies["arm"], body, axis="y")
    for _ in range(2):
        with pytest.warns(ModelWarning, match="doubtful"):
            kt.simulate(model, 0.1, step=0.1)
    assert derived == ["swing"]


def test_threads_that_ask_at_once_get_the_same_loop() -> None:
    made: list[object] = []

    @jit.one_library
    def loop(name: str) -> Any:
        time.sleep(0.05)
        made.append(object())
        return made[-1], name

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(loop, ["a"] * 4))
    assert len(made) == 1
    assert all(one is found[0] for one in found)
    assert loop("b")[1] == "b"
