"""Growth: seconds and memory to derive and compile, for chains and for the 63-joint limousine.

Every case runs in a fresh process, so that nothing is warm and the peak memory is its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from benchmarks import report
from benchmarks.models import ROOT, SIZES

CHILD = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import kinetree as kt
from benchmarks.scaling import build
name, quantity, formalism, compile_it = json.loads(sys.argv[1])
model = build(name)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
wall, cpu = time.perf_counter(), time.process_time()
program = kt.derive(model, quantity, formalism=formalism)
out = {"derive_s": time.perf_counter() - wall, "derive_cpu_s": time.process_time() - cpu}
out["derive_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
count = program.count()
out["operations"] = count.add + count.mul + count.div + count.neg + count.call
if compile_it:
    wall = time.perf_counter()
    program.compile(cache=False)
    out["compile_s"] = time.perf_counter() - wall
    out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
out["import_mb"] = before / 1024
print(json.dumps(out))
"""
LIMITS = {("chain100", "forward"): 1.0, ("chain300", "forward"): 3.0}  # seconds to derive
LIMOUSINE = 0.5  # seconds to derive inverse and M, c together


def build(name: str) -> Any:
    """The model of a case: a chain of the benchmark, or a ROBOTRAN file."""
    import kinetree as kt
    from benchmarks.models import SYNTHETIC, urdf_path

    if name in SYNTHETIC:
        return kt.load(urdf_path(name))
    from tests.reference import robotran

    return robotran.model(name)


def run_case(name: str, quantity: str, formalism: str | None, compile_it: bool) -> dict[str, Any]:
    """Measure one case in a process of its own."""
    job = json.dumps([name, quantity, formalism, compile_it])
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", CHILD, job],
        env={**os.environ, "PYTHONPATH": path},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{name} {quantity}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return {"model": name, "quantity": quantity, "formalism": formalism, **found}


def chain_cases(quick: bool) -> list[tuple[str, str, str | None]]:
    """Chains by size, inverse and order-N forward dynamics."""
    sizes = SIZES[:2] if quick else SIZES
    cases: list[tuple[str, str, str | None]] = []
    for quantity, formalism in (("inverse", None), ("forward", "order_n")):
        cases += [(f"chain{n}", quantity, formalism) for n in sizes]
    return cases


def growth(rows: list[dict[str, Any]], quantity: str) -> float | None:
    """Derive time per joint at 300 joints over that at 100; 1 is linear growth, 1.25 the limit."""
    times = {r["model"]: r["derive_cpu_s"] for r in rows if r["quantity"] == quantity}
    if "chain300" not in times:
        return None
    return float(times["chain300"] / times["chain100"] / 3)


def show(rows: list[dict[str, Any]]) -> None:
    """The table of growth."""
    report.show(
        "time and memory to derive and compile (fresh process, no cache)",
        ("model", "quantity", "operations", "derive s", "at most", "compile s", "peak MB deriving",
         "peak MB", "MB after import"),
        [
            [r["model"], r["quantity"], r["operations"], r["derive_s"],
             LIMITS.get((r["model"], r["quantity"])), r.get("compile_s"), r["derive_peak_mb"],
             r.get("peak_mb"), r["import_mb"]]
            for r in rows
        ],
    )  # fmt: skip


def measure(quick: bool = False) -> dict[str, Any]:
    """Chains, then the limousine."""
    rows = [run_case(*case, compile_it=True) for case in chain_cases(quick)]
    car = [run_case("limousine_63", q, None, compile_it=False) for q in ("inverse", "mass_bias")]
    show([*rows, *car])
    together = sum(row["derive_s"] for row in car)
    print(f"limousine, inverse and M, c: {together:.2f} s together (limit {LIMOUSINE} s)")
    ratios = {quantity: growth(rows, quantity) for quantity in ("inverse", "forward")}
    for quantity, ratio in ratios.items():
        if ratio is not None:
            print(f"growth of {quantity} from 100 to 300 joints: {ratio:.2f} x linear (limit 1.25)")
    return {"rows": rows + car, "limousine_s": together, "growth": ratios}


if __name__ == "__main__":
    measure("--quick" in sys.argv)
