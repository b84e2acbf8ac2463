"""Stiff runs of many states: sparse Jacobians in every method that takes one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.integrate
from tests.acausal.grids import Grid, Varistor
from tests.approx import COARSE_RUN, IDENTITY, assert_close

import kinetree as kt
from kinetree.acausal import Component, connect, part, setting
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate.loops import cvode
from kinetree.integrate.sundials import library, session
from kinetree.library import electrical as el

N, END = 130, 0.02


class VaristorLadder(Component):
    """n sections that are not linear: v' = (i(u_k) - i(u_k+1))/C."""

    n = setting(N)
    source, ground = part(el.ConstantVoltage, V=5.0), part(el.Ground)

    def setup(self) -> None:
        self.R = [Varistor(R=1e3, k=1e-4) for _ in range(self.n)]
        self.C = [el.Capacitor(C=1e-6 * (1 + k % 3)) for k in range(self.n)]

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.n, self.ground.p)
        pin = self.source.p
        for R, C in zip(self.R, self.C, strict=True):
            yield connect(pin, R.p)
            yield connect(R.n, C.p)
            yield connect(C.n, self.ground.p)
            pin = R.n


def rates(t: float, v: Array) -> Array:
    """The same by hand."""
    del t
    u = np.concatenate([[5.0], v[:-1]]) - v
    i = u / 1e3 + 1e-4 * u**3
    return (i - np.append(i[1:], 0.0)) / (1e-6 * (1 + np.arange(N) % 3))


@pytest.fixture(scope="module")
def expected() -> Array:
    found = scipy.integrate.solve_ivp(
        rates, (0.0, END), np.zeros(N), "LSODA", rtol=1e-10, atol=1e-12
    )
    return np.asarray(found.y[:, -1])


@pytest.mark.parametrize("method", ["cvode_bdf", "BDF", "Radau", "LSODA"])
def test_runs_with_a_sparse_jacobian(method: str, expected: Array) -> None:
    run = kt.simulate(VaristorLadder(), END, step=END, method=method, rtol=1e-8, atol=1e-10)
    assert run.attrs["jacobians"] > 0 or method == "LSODA"  # which finds that it is hardly stiff
    assert_close(run.x.values[-1], expected, COARSE_RUN)


def test_a_sparse_jacobian_is_that_of_complex_steps() -> None:
    system = dynamics(VaristorLadder().as_mechanism())
    assert system.columns is not None
    assert system.columns.rows.size == 3 * N - 2  # three diagonals
    y = np.linspace(4.0, 0.1, N)
    program, eps = system.forms.rates.program, 1e-30
    given = {"t": 0.0, "y": y + 1j * eps * np.eye(N)}
    rest = [row for row in program.inputs if row.name not in given]
    given |= {row.name: np.zeros(row.shape) for row in rest if row.default is None}
    exact = np.imag(program.evaluate(**program.pick_inputs(given))["yd"]).T / eps
    assert_close(system.jacobian(0.0, y), exact, IDENTITY)


def test_full_jacobians_stay_full() -> None:
    assert dynamics(VaristorLadder(n=20).as_mechanism()).columns is None
    assert dynamics(Grid(n=3).as_mechanism()).columns is None


def test_a_library_without_a_sparse_factorisation_is_told(monkeypatch: Any) -> None:
    found = library.require_library()
    calls = {name: f for name, f in found.calls.items() if name not in library.SPARSE}
    poor = library.SundialsLibrary("sundials4py", calls)
    for user in (cvode, session):
        monkeypatch.setattr(user, "require_library", lambda: poor)
    with pytest.raises(UnsupportedError, match="take method='BDF'"):
        kt.simulate(VaristorLadder(), END, method="cvode_bdf")
