"""The whole way of the data on a seven-joint arm, stage by stage (``make demo``)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import kinetree as kt
from kinetree.formalism import QUANTITIES
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.links.regroup import regroup
from kinetree.program.passes import condense

MODEL = Path(__file__).parent / "models" / "arm7.urdf"
FOLDER = Path("build/demo")
BATCH = 4096


@dataclass
class Record:
    """What each stage did and how long it took."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def stage(self, name: str, work: Callable[[], Any], tell: Callable[[Any], str]) -> Any:
        """Do the work of a stage, note what it did, and hand on its result."""
        start = time.perf_counter()
        result = work()
        spent = time.perf_counter() - start
        self.rows.append((name, tell(result), f"{1e3 * spent:.1f} ms"))
        return result

    def table(self, title: str) -> Table:
        """Everything noted so far."""
        table = Table("stage", "what it did", title=title, title_justify="left")
        table.add_column("time", justify="right")
        for row in self.rows:
            table.add_row(*row)
        return table


def states(nv: int, *batch: int) -> dict[str, Any]:
    q, qd, tau = np.random.default_rng(1).uniform(-1, 1, (3, *batch, nv))
    return {"q": q, "qd": qd, "tau": tau / 10}


def per_call(call: Callable[[], Any], repeats: int) -> float:
    """Least time of one call [s]."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def excerpt(file: Path, word: str, lines: int = 12) -> str:
    """Some lines of a file, from the first that holds `word`."""
    text = file.read_text(encoding="utf-8").splitlines()
    first = next((k for k, line in enumerate(text) if word in line), 0)
    return "\n".join(text[first : first + lines])


def main() -> None:
    record = Record()
    stage = record.stage
    forward = QUANTITIES["forward"]

    model = stage("read", lambda: kt.load(MODEL), lambda m: f"{MODEL.name}: {m.nv} joints move")
    stage("check", model.check, lambda found: f"{len(found)} findings")
    system = stage(
        "regroup",
        lambda: regroup(linkage(model)),
        lambda s: f"{len(s.links) - 1} links with their base parameters",
    )
    raw = stage(
        "derive",
        lambda: forward.derive(system, "newton_euler"),
        lambda p: f"forward dynamics: {len(p.blocks)} equations, {p.count().total} operations",
    )
    program = stage(
        "condense",
        lambda: condense(raw).with_info(model=model.name, model_hash=model.content_hash()),
        lambda p: f"{p.count().total} operations, {p.preamble_count().total} more in the preamble",
    )
    stage(
        "count", program.count, lambda n: f"{n.add} add, {n.mul} mul, {n.div} div, {n.call} sin/cos"
    )
    f = stage("compile", lambda: program.compile(cache=False), lambda _: "native code by LLVM")
    one, many = states(model.nv), states(model.nv, BATCH)
    qdd = stage("evaluate", lambda: f(**one)["qdd"], lambda x: f"qdd = {x.round(1).tolist()}")
    stage(
        "compare",
        lambda: abs(program.evaluate(**one)["qdd"] - qdd).max() / abs(qdd).max(),
        lambda error: f"reference evaluation by NumPy differs by {error:.0e}",
    )
    stage("compile batch", lambda: f(**many), lambda _: "the same in SIMD lanes, on first use")
    spent = per_call(lambda: f(**many), 20) / BATCH
    stage(
        "evaluate batch", lambda: f(**many), lambda _: f"{BATCH} states, {1e9 * spent:.0f} ns each"
    )
    written = stage(
        "write C",
        lambda: program.write("c", FOLDER),
        lambda paths: ", ".join(str(path) for path in paths),
    )
    Console().print(record.table(f"{model.name}: from URDF to native forward dynamics"))
    print(f"\nA look into {written[0]}:\n")
    print(excerpt(Path(written[0]), "eq. ("))


if __name__ == "__main__":
    main()
