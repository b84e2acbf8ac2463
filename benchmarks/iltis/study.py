"""The whole study: every combination built once, swept, and measured; results as plain data."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.iltis import claims
from benchmarks.iltis.road import DURATION, HARD, ROOT, vehicle
from benchmarks.iltis.runs import POINTS, Reference, Signals, Steps
from benchmarks.iltis.sweep import FAMILIES, FINE, FORMULATIONS, Grid, Row, of, read, sweep, write

DATA = ROOT / "docs" / "data"
G = 9.81
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        formulations, families: which.
        grid: part of the grid of table 3 on the road of the study.
        hard: part of it on the hard road; None: that road is left out.
        coarse: slow formulations, which get the grid of the hard road on both roads.
        batch: parameter variations side by side; 0: none.
        others: whether the explicit model is run too.
    """

    formulations: Sequence[str] = FORMULATIONS
    families: Sequence[str] = FAMILIES
    grid: Grid = field(default_factory=Grid)
    hard: Grid | None = field(default_factory=lambda: Grid(parameters=5))
    coarse: Sequence[str] = ()
    batch: int = claims.BATCH
    others: bool = True


@dataclass
class Study:
    """What was measured.

    Attributes:
        rows: the sweeps.
        facts: everything else, as it goes to JSON.
        curves: name -> column over time, of the reference of the first formulation.
        fastest: the same of the fastest acceptable run.
    """

    rows: list[Row] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    fastest: dict[str, np.ndarray] = field(default_factory=dict)

    def save(self, folder: Path = DATA) -> None:
        """Write everything; one CSV per formulation."""
        folder.mkdir(parents=True, exist_ok=True)
        for formulation in dict.fromkeys(row.formulation for row in self.rows):
            mine = [row for row in self.rows if row.formulation == formulation]
            write(mine, folder / f"iltis_{formulation}.csv")
        (folder / "iltis_facts.json").write_text(json.dumps(self.facts, indent=1) + "\n")
        for name, columns in (("reference", self.curves), ("fastest", self.fastest)):
            if not columns:  # they belong to the first formulation
                continue
            head = ",".join(columns)
            rows = np.stack(list(columns.values()), axis=1)
            np.savetxt(folder / f"iltis_{name}.csv", rows, "%.5g", ",", header=head, comments="")

    def without(self, formulations: Sequence[str]) -> None:
        """Forget what is known of some formulations."""
        self.rows = [row for row in self.rows if row.formulation not in formulations]
        for name in formulations:
            self.facts["formulations"].pop(name, None)
        for measure, rows in self.facts["winners"].items():
            kept = [row for row in rows if row["formulation"] not in formulations]
            self.facts["winners"][measure] = kept

    @classmethod
    def load(cls, folder: Path = DATA) -> Study:
        """What `save` has written."""
        facts = json.loads((folder / "iltis_facts.json").read_text())
        rows = [
            r for name in facts["formulations"] for r in read(folder / f"iltis_{name}.csv", name)
        ]
        curves = (_columns(folder / f"iltis_{name}.csv") for name in ("reference", "fastest"))
        return cls(rows, facts, *curves)


def _columns(path: Path) -> dict[str, np.ndarray]:
    head, *_ = path.read_text().splitlines()
    columns = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)
    return dict(zip(head.split(","), columns, strict=True))


class Program:
    """The study being made."""

    def __init__(self, extent: Extent, tell: Tell = print, kept: Study | None = None) -> None:
        self.extent, self.tell = extent, tell
        self.model: kt.Model = vehicle()
        self.signals = Signals(self.model)
        self.study = kept or Study(facts={"formulations": {}, "winners": {}})
        self.study.facts["processor"] = _processor()
        self.study.without(extent.formulations)
        self.exact: Reference | None = None

    def run(self) -> Study:
        """Measure everything the extent asks for."""
        if self.extent.others:
            self.tell("explicit model")
            self.exact = claims.tight(self.model, self.signals)
            facts = self.study.facts
            facts["explicit"] = claims.explicit(self.model, self.signals, self.exact)
            facts["variable"] = claims.variable(self.model, self.signals, self.exact)
        for formulation in self.extent.formulations:
            self._formulation(formulation)
        return self.study

    def _formulation(self, formulation: str) -> None:
        steps: dict[str, Steps] = {}
        for family in self.extent.families:
            self.tell(f"{formulation}: step of {family}")
            steps[family] = Steps(self.model, formulation, family)
        facts: dict[str, Any] = {"built": {name: round(s.built, 1) for name, s in steps.items()}}
        self.study.facts["formulations"][formulation] = facts
        reference = self._reference(steps["trapezoidal"], facts)
        if reference is None:
            self.tell(f"{formulation}: the reference failed, {facts['failed']}")
            return
        coarse = formulation in self.extent.coarse and self.extent.hard is not None
        grid = self.extent.hard if coarse else self.extent.grid
        self._swept(steps, reference, 1.0, grid or self.extent.grid)
        if self.extent.hard is not None:
            self._hard(steps)
        if self.extent.others:
            facts["orders"] = claims.orders(steps, self.signals, self.model)
        fixed = {f"{h:g}": claims.timed(steps["trapezoidal"], h) for h in (0.01, FINE)}
        facts["fixed"] = fixed
        if formulation == FORMULATIONS[0]:
            self._fastest(steps)

    def _reference(self, steps: Steps, facts: dict[str, Any]) -> Reference | None:
        found = steps.march(FINE)
        facts["state"] = {k: v for k, v in steps.stepper.state.items() if k in ("q", "lam")}
        if found.run is None:
            facts["failed"] = f"at t = {found.reached:g} s"
            return None
        heights = self.signals.heights(found.run)
        facts["violations"] = self.signals.violations(found.run)
        if self.exact is not None:
            facts["agreement"] = claims.agreement(found.run.times, heights, self.exact)
        if steps.formulation == FORMULATIONS[0]:
            self.study.curves = self._curves(found.run, every=10)
            self.study.facts["peaks"] = {"1": self._peaks(found.run)}
        return Reference(found.run.times, heights)

    def _swept(
        self, steps: dict[str, Steps], reference: Reference, road: float, grid: Grid
    ) -> None:
        for family, mine in steps.items():
            self.tell(f"{mine.formulation}: sweep of {family}, road {road:g}")
            self.study.rows += list(sweep(mine, self.signals, reference, grid, road))
            rows = of(self.study.rows, mine.formulation, family, road)
            for measure in ("printed", "rms"):
                best = claims.winners(rows, mine, self.signals, reference, measure)
                if best is not None:
                    self.study.facts["winners"].setdefault(measure, []).append(asdict(best))

    def _hard(self, steps: dict[str, Steps]) -> None:
        assert self.extent.hard is not None
        given = {"road": HARD}
        found = steps["trapezoidal"].march(FINE, parameters=given)
        if found.run is None:
            return
        if steps["trapezoidal"].formulation == FORMULATIONS[0]:
            self.study.facts["peaks"][f"{HARD:g}"] = self._peaks(found.run)
        reference = Reference(found.run.times, self.signals.heights(found.run))
        self._swept(steps, reference, HARD, self.extent.hard)

    def _fastest(self, steps: dict[str, Steps]) -> None:
        """Curves of the fastest run, and the batch with its step."""
        rows = self.winners("printed", steps["trapezoidal"].formulation)
        best = min(rows, key=lambda r: r.seconds)
        run = steps[best.family].march(best.step, best.parameter).run
        self.study.fastest = self._curves(run)
        self.study.facts["violations_fastest"] = self.signals.violations(run)
        if self.extent.batch:
            self.tell("batch of parameter variations")
            mine = steps["newmark"]
            self.study.facts["batch"] = [
                claims.batch(mine, step, basic, self.extent.batch)
                for step, basic in ((best.step, best.parameter), (0.025, -0.3))
            ]

    def winners(self, measure: str, formulation: str, road: float = 1.0) -> list[Row]:
        """The fastest acceptable runs of a formulation, one per family."""
        found = (Row(**row) for row in self.study.facts["winners"].get(measure, []))
        return of(found, formulation, road=road)

    def _peaks(self, run: Any) -> list[float]:
        """Largest vertical accelerations of the three points [g]."""
        return [float(a) for a in np.abs(self.signals.accelerations(run)).max(axis=0) / G]

    def _curves(self, run: Any, every: int = 1) -> dict[str, np.ndarray]:
        heights, second = self.signals.heights(run), self.signals.accelerations(run) / G
        place = run.q[:, self.model.coordinates.index("x")]
        columns = {"time": run.times, "x": place}
        columns |= {f"z_{p}": heights[:, k] for k, p in enumerate(POINTS)}
        columns |= {f"a_{p}": second[:, k] for k, p in enumerate(POINTS)}
        return {name: column[::every] for name, column in columns.items()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return os.uname().machine
    return next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), "")


__all__ = ["DATA", "DURATION", "Extent", "Program", "Study"]
