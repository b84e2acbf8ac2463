"""Speed side by side: kinetree, Pinocchio and CasADi's generated C, native to native, in one run.

Every contender gets the same 64 random states and the same timing loop (native/timing.h). Rounds
alternate between the contenders, and the minimum over all rounds counts, so that a slow phase of
the machine hits all of them alike. Our values are compared with Pinocchio's in the same run.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks import casadi_side, kinetree_side, pinocchio_side, report
from benchmarks.models import NAMES, ROBOTS

QUANTITIES = tuple(q for q in pinocchio_side.ALGORITHMS if q != "mass")
REPEAT_SECONDS = 1e-3


def wanted_against_pinocchio(model: str, quantity: str) -> float | None:
    """The least ratio Pinocchio / kinetree that the project promises."""
    arm = model in {"ur5", "panda"}
    match quantity:
        case "inverse" if model in ROBOTS:
            return 8.0 if arm else 4.0
        case "forward" if model in ROBOTS:
            return 6.0 if arm else 3.0
        case "forward" if model[-3:] in {"100", "300"}:
            return 1.5
        case "forward_derivatives" if model in ROBOTS:
            return 3.0
    return None


def wanted_against_casadi(model: str, quantity: str) -> float | None:
    """The least ratio CasADi / kinetree that the project promises."""
    promised = model in {"ur5", "panda"} and quantity in {"inverse", "forward"}
    return 1.3 if promised else None


@dataclass
class Row:
    """Times of one quantity of one model, nanoseconds per call."""

    model: str
    quantity: str
    times: dict[str, float] = field(default_factory=dict)
    operations: dict[str, int] = field(default_factory=dict)
    error: float | None = None

    def best(self, side: str) -> float | None:
        """The best time of a side ("pinocchio", "casadi", "kinetree")."""
        found = [t for name, t in self.times.items() if name.startswith(side)]
        return min(found) if found else None

    def way(self, side: str) -> str:
        """The name of a side's best contender, empty where it has none."""
        found = [name for name in self.times if name.startswith(side)]
        return min(found, key=self.times.__getitem__, default="")

    def ratio(self, side: str) -> float | None:
        """How many times faster kinetree is than that side."""
        theirs, ours = self.best(side), self.best("kinetree")
        return theirs / ours if theirs and ours else None


class Arena:
    """One model with all its contenders."""

    def __init__(self, name: str, driver: pinocchio_side.Driver) -> None:
        self.name, self.driver = name, driver
        self.peer = pinocchio_side.read_model(name)
        self.states = pinocchio_side.random_states(self.peer)
        driver.load(name, self.peer, self.states)
        self.own = kinetree_side.Side(name, self.states)

    def timers(self, quantity: str, row: Row, repeats: int) -> dict[str, Any]:
        """Contender -> function that times it once more."""
        found: dict[str, Any] = {}
        for algorithm in pinocchio_side.ALGORITHMS[quantity]:
            found[f"pinocchio {algorithm}"] = lambda a=algorithm: self.driver.time(
                a, repeats, REPEAT_SECONDS
            )
        for label, rival in casadi_side.contenders(self.name, self.peer, quantity).items():
            row.operations[f"casadi {label}"] = rival.operations
            found[f"casadi {label}"] = lambda r=rival: r.time(self.states, repeats, REPEAT_SECONDS)
        for label, function in self.own.contenders(quantity).items():
            row.operations[f"kinetree {label}"] = function.operations
            found[f"kinetree {label}"] = lambda f=function: f.time(repeats, REPEAT_SECONDS)
        return found

    def measure(self, quantity: str, rounds: int, repeats: int) -> Row:
        """Times of all contenders for one quantity."""
        row = Row(self.name, quantity)
        timers = self.timers(quantity, row, repeats)
        reference = self.driver.evaluate(pinocchio_side.ALGORITHMS[quantity][0], 0)
        row.error = self.own.error(quantity, reference)
        for _ in range(rounds):
            for name, timer in timers.items():
                row.times[name] = min(timer(), row.times.get(name, float("inf")))
        return row


def table_row(row: Row) -> list[Any]:
    """What the screen shows of a row."""
    sides = ("kinetree", "pinocchio", "casadi")
    ways = {side: row.way(side) for side in sides}
    ratios = (
        report.verdict(row.ratio("pinocchio"), wanted_against_pinocchio(row.model, row.quantity)),
        report.verdict(row.ratio("casadi"), wanted_against_casadi(row.model, row.quantity)),
    )
    counts = (row.operations.get(ways[side]) for side in ("kinetree", "casadi"))
    labels = (way.partition(" ")[2] for side, way in ways.items() if side != "casadi")
    times = (row.best(side) for side in sides)
    return [row.model, row.quantity, *times, *ratios, *counts, *labels, row.error]


COLUMNS = (
    "model", "quantity", "kinetree ns", "Pinocchio ns", "CasADi ns", "Pinocchio / kinetree",
    "CasADi / kinetree", "our ops", "CasADi ops", "our way", "Pinocchio's way", "error",
)  # fmt: skip


def compare(models: list[str], quantities: list[str], rounds: int, repeats: int) -> list[Row]:
    """Measure everything asked for; prints as it goes."""
    rows = []
    with pinocchio_side.Driver() as driver:
        for name in models:
            arena = Arena(name, driver)
            for quantity in quantities:
                rows.append(arena.measure(quantity, rounds, repeats))
                ratio = report.verdict(rows[-1].ratio("pinocchio"), None)
                print(f"{name} {quantity}: Pinocchio / kinetree {ratio}", flush=True)
    return rows


def arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="robots only, few repeats, one part")
    parser.add_argument("--models", nargs="+", choices=NAMES, metavar="MODEL", help=" ".join(NAMES))
    parser.add_argument("--quantities", nargs="+", choices=QUANTITIES, help="what to time")
    parser.add_argument("--parts", nargs="+", choices=PARTS, help="what to measure, by default all")
    return parser.parse_args(argv)


def speed(options: argparse.Namespace) -> dict[str, Any]:
    """The side-by-side comparison."""
    models = options.models or list(ROBOTS if options.quick else NAMES)
    rounds, repeats = (2, 10) if options.quick else (5, 30)
    rows = compare(models, options.quantities or list(QUANTITIES), rounds, repeats)
    report.show(
        "nanoseconds per call, best of each side", COLUMNS, [table_row(row) for row in rows]
    )
    return {"rows": [asdict(row) for row in rows]}


def scaling(options: argparse.Namespace) -> dict[str, Any]:
    """Time and memory to derive and compile chains."""
    from benchmarks import scaling as part

    return part.measure(quick=options.quick)


def batch(options: argparse.Namespace) -> dict[str, Any]:
    """Batch calls against single calls."""
    from benchmarks import batch as part

    return part.measure(quick=options.quick)


def first(options: argparse.Namespace) -> dict[str, Any]:
    """URDF to first forward dynamics, cold and from the cache."""
    from benchmarks import first_call as part

    return part.measure(quick=options.quick)


def condensed(options: argparse.Namespace) -> dict[str, Any]:
    """Operation counts against the published ones."""
    del options
    from benchmarks import condense as part

    return part.measure()


def integrate(options: argparse.Namespace) -> dict[str, Any]:
    """Native integrators beside SciPy's."""
    from benchmarks import integration as part

    return part.measure(quick=options.quick)


def coupling(options: argparse.Namespace) -> dict[str, Any]:
    """A car with hydraulics as one system, and as two FMUs."""
    from benchmarks import coupling as part

    return part.measure(options.quick)


def car(options: argparse.Namespace) -> dict[str, Any]:
    """A car of 81 coordinates: a run against its evaluations, its preparation."""
    from benchmarks import car as part

    return part.measure(quick=options.quick)


def many(options: argparse.Namespace) -> dict[str, Any]:
    """Starts of many runs, and runs with many events."""
    from benchmarks import many_runs as part

    return part.measure(quick=options.quick)


def closed(options: argparse.Namespace) -> dict[str, Any]:
    """Closed loops beside Exudyn and MuJoCo, to equal accuracy."""
    from benchmarks import closed as part

    return part.measure(quick=options.quick)


def chains(options: argparse.Namespace) -> dict[str, Any]:
    """Rings that swing, chains and cars that come to rest."""
    from benchmarks import long_chains as part

    return part.measure(quick=options.quick)


def explicit(options: argparse.Namespace) -> dict[str, Any]:
    """Large closed systems as one function."""
    from benchmarks import explicit as part

    return {"models": part.measure_all(5 if options.quick else 30)}


def talos_c(options: argparse.Namespace) -> dict[str, Any]:
    """Generated C beside the native function."""
    from benchmarks import generated_c as part

    return part.measure(quick=options.quick)


PARTS = {
    "speed": speed,
    "batch": batch,
    "scaling": scaling,
    "first": first,
    "condensed": condensed,
    "integrate": integrate,
    "car": car,
    "coupling": coupling,
    "many": many,
    "closed": closed,
    "chains": chains,
    "explicit": explicit,
    "talos_c": talos_c,
}


def main(argv: list[str] | None = None) -> int:
    """Run the parts asked for and write their results."""
    options = arguments(argv)
    names = options.parts or (["speed"] if options.quick else list(PARTS))
    for name in names:
        results = PARTS[name](options)
        print(f"written to {report.save(name, results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
