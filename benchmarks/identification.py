"""Identification: noise against the bound of Cramér and Rao, a planned motion, a recorded Panda.

The recording is read where the environment variable KINETREE_RECORDINGS names its folder.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import identification_mujoco, report
from benchmarks.models import ROOT

DRAWS, SIGMA = 500, 0.05
PUBLISHED = (0.134, 0.182, 0.116, 0.160, 0.067, 0.034, 0.049)
"""Residuals of plain weighted least squares on the held-out part of the recorded Panda [N.m]."""


def noise(draws: int) -> list[list[Any]]:
    """Squared errors of all parameters over many draws, in units of the bound and of the report."""
    model = kt.load(ROOT / "examples" / "models" / "arm7.urdf")
    plan = kt.excite(model, 10.0, 4, speed=2.0, position=2.5, starts=1, step=0.05)
    data = {name: plan[name].values for name in ("time", "q", "qd", "qdd", "tau")}
    how: dict[str, Any] = {"friction": ("viscous",), "cutoff": 0, "held_out": 0.0}
    exact = kt.identify(model, data, **how)
    names = list(exact.parameters)
    true, table = np.array(list(exact.parameters.values())), exact.columns
    motion = (data["q"], data["qd"], data["qdd"])
    W = table.table(*motion)[:, :, table.base[0]].reshape(-1, len(names))
    bound = SIGMA**2 * np.linalg.inv(W.T @ W)
    random, found, said = np.random.default_rng(1), [], []
    for _ in range(draws):
        tau = data["tau"] + random.normal(scale=SIGMA, size=data["tau"].shape)
        fit = kt.identify(model, {**data, "tau": tau}, **how)
        e = np.array([fit.parameters[name] for name in names]) - true
        found.append(e @ np.linalg.solve(bound, e) / len(names))
        said.append(np.mean(np.array([fit.deviations[n] for n in names]) ** 2 / np.diag(bound)))
    return [
        [f"{draws} draws: squared error over the bound", float(np.mean(found)), None],
        ["the same of reported variances", float(np.mean(said)), None],
    ]


def panda() -> list[list[Any]]:
    """The Panda: its planned motion, and its recorded one."""
    from tests.crosscheck.robots import package_folder

    model = kt.load(package_folder() / "panda_description/urdf/panda.urdf")
    still = {"panda_finger_joint1": 0.0}
    began = time.process_time()
    plan = kt.excite(model, 20.0, locked=still)
    rows: list[list[Any]] = [
        ["excite, 20 s: condition number", float(plan.attrs["condition"]), 80.0],
        ["excite: processor time [s]", time.process_time() - began, 60.0],
    ]
    folder = os.environ.get("KINETREE_RECORDINGS")
    for method in ("least_squares", "consistent") if folder else ():
        file = Path(folder or "") / "panda.csv"
        fit = kt.identify(model, file, method, cutoff=8.0, locked=still)
        ratio = (fit.data.rms_held.values / np.array(PUBLISHED)).max()
        rows.append([f"recorded Panda, {method}: rms over published, largest", float(ratio), 1.1])
    return rows


def measure(quick: bool = False) -> dict[str, Any]:
    """All rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [*noise(50 if quick else DRAWS), *panda(), *identification_mujoco.compare()]
    report.show("identification", ("what", "found", "at most"), rows)
    return {"rows": rows}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
