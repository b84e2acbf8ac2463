"""Batch kernels on an NVIDIA GPU: evaluations per second, correctness, fraction of the card.

    python -m benchmarks.gpu --compile DIR [--only NAME]   where kinetree and NVRTC are installed
    python3 benchmarks/gpu.py --run DIR                    where the GPU is: NumPy and the driver

The first writes machine code for Hopper with states and reference values into DIR, the second loads
it with the CUDA driver, compares every output of every variant, and times it.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PEAK = {"float": 67e12, "double": 34e12}
"""Arithmetic of an H200 outside its tensor cores, an FMA counted as two [1/s]: maker's data."""
BANDWIDTH = 4.8e12
"""Memory of an H200 [B/s]: maker's data."""
BATCH = 2**20
SECONDS = 0.03
"""Length of one timed run; the best of several counts."""
RUNS = 5
LIMIT = {"double": 1e-9, "float": 2e-3}
"""Errors beyond which a result is called wrong, relative to the largest value of its array."""


def driver() -> Any:
    """The module `kinetree.targets.cuda.driver`, loaded alone: it needs nothing else."""
    path = ROOT / "src" / "kinetree" / "targets" / "cuda" / "driver.py"
    spec = importlib.util.spec_from_file_location("kinetree_cuda_driver", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Bench:
    """The arrays of one case on the device, component-major."""

    def __init__(self, cuda: Any, device: Any, folder: Path, case: dict[str, Any]) -> None:
        self.cuda, self.device, self.folder, self.case = cuda, device, folder, case
        self.dtype = np.float32 if case["dtype"] == "float" else np.float64
        data = np.load(folder / f"{case['name']}.npz")
        self.expected = {name: data[f"out_{name}"] for name in case["outputs"]}
        self.inputs = [self._put(data[f"in_{name}"]) for name in case["inputs"]]
        self.states = len(data[f"in_{case['inputs'][0]}"])
        sizes = [self._size(self.expected[name]) for name in case["outputs"]]
        width = np.dtype(self.dtype).itemsize
        self.outputs = [device.allocate(size * BATCH * width) for size in sizes]
        components = sum(self._size(data[f"in_{name}"]) for name in case["inputs"]) + sum(sizes)
        self.bytes = components * width

    @staticmethod
    def _size(rows: np.ndarray) -> int:
        return int(np.prod(rows.shape[1:]))

    def _put(self, rows: np.ndarray) -> int:
        """States repeated to the size of the batch, one row per component."""
        whole = np.tile(rows.reshape(len(rows), -1).T, (1, BATCH // len(rows)))
        whole = np.ascontiguousarray(whole, self.dtype)
        address: int = self.device.allocate(whole.nbytes)
        self.device.upload(address, whole.ctypes.data, whole.nbytes)
        return address

    def measure(self, variant: dict[str, Any]) -> dict[str, Any]:
        """Load, check and time one variant."""
        module = self.cuda.Module((self.folder / variant["file"]).read_bytes())
        kernel = module.kernel(variant["kernel"])
        values = np.array(variant["constants"], self.dtype)
        constants = (
            [(ctypes.c_byte * values.nbytes).from_buffer_copy(values)] if len(values) else []
        )
        arguments = [*self.inputs, *constants, *self.outputs]
        block = variant["block"]
        kernel.launch(BATCH, block, arguments)
        self.device.synchronise()
        errors = self.errors()
        rate = BATCH / self._seconds(lambda: kernel.launch(BATCH, block, arguments))
        dtype = self.case["dtype"]
        return {
            **{k: v for k, v in variant.items() if k not in ("constants", "file", "kernel")},
            "rate": rate,
            "errors": errors,
            "wrong": not max(errors.values()) < (self.case.get("limit") or LIMIT[dtype]),
            "warps": kernel.resident(block) * block // 32,
            "registers": kernel.attribute(self.cuda.REGISTERS),
            "local": kernel.attribute(self.cuda.LOCAL_BYTES),
            "of_arithmetic": rate * variant["flops"] / PEAK[dtype],
            "of_memory": rate * self.bytes / BANDWIDTH,
        }

    def _seconds(self, launch: Any) -> float:
        """Seconds of one launch, the best of several runs of many."""
        watch = self.cuda.Stopwatch()
        watch.start()
        launch()
        repeats = max(3, int(SECONDS / max(watch.stop(), 1e-6)))
        best = float("inf")
        for _ in range(RUNS):
            watch.start()
            for _ in range(repeats):
                launch()
            best = min(best, watch.stop() / repeats)
        return best

    def errors(self) -> dict[str, float]:
        """Output -> largest deviation from the reference, relative to its largest value."""
        found = {}
        for (name, expected), address in zip(self.expected.items(), self.outputs, strict=True):
            rows = np.empty((self._size(expected), BATCH), self.dtype)
            self.device.download(rows.ctypes.data, address, rows.nbytes)
            first, last = rows[:, : self.states].T, rows[:, -self.states :].T
            truth = expected.reshape(self.states, -1)
            scale = float(np.abs(truth).max()) or 1.0
            gaps = [np.abs(part.astype(float) - truth) for part in (first, last)]
            error = max(float(gap.max()) for gap in gaps) / scale
            found[name] = error if np.isfinite(error) else float("inf")
        return found

    def close(self) -> None:
        """Give the memory back."""
        for address in (*self.inputs, *self.outputs):
            self.device.release(address)


def show(case: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """One table per case, the quickest first."""
    wanted = f", wanted {case['wanted']:.1e}" if case["wanted"] else ""
    print(f"\n{case['name']}: {rows[0]['flops']} operations{wanted}")
    print("  G eval/s  of FLOP/s  of B/s   regs local warps  block res every rule    program"
          "               errors")  # fmt: skip
    for row in sorted(rows, key=lambda r: -r["rate"]):
        errors = " ".join(f"{name} {error:.0e}" for name, error in row["errors"].items())
        verdict = "WRONG " if row["wrong"] else ""
        print(f"  {row['rate'] / 1e9:8.3f}  {row['of_arithmetic']:8.1%}  {row['of_memory']:6.1%}  "
              f"{row['registers']:4d} {row['local']:5d} {row['warps']:5d}  {row['block']:5d} "
              f"{row['resident']:3d} {row['every']:5d} {row['rule']:7s} "
              f"{row['way']} {row['formalism']:12s} {verdict}{errors}", flush=True)  # fmt: skip


def run(folder: Path, only: str) -> None:
    """Measure everything in a folder."""
    cuda = driver()
    device = cuda.Device()
    print(f"{device.name}, {device.attribute(cuda.MULTIPROCESSORS)} multiprocessors, "
          f"{device.arch}, {device.attribute(cuda.CLOCK) / 1e6:.2f} GHz, "
          f"batch of {BATCH} states")  # fmt: skip
    print(f"assumed limits: {PEAK['float']:.3g} FLOP/s float, {PEAK['double']:.3g} FLOP/s double, "
          f"{BANDWIDTH:.3g} B/s")  # fmt: skip
    results = []
    for path in sorted(folder.glob("*.json")):
        case = json.loads(path.read_text())
        if path.name == "results.json" or only not in case["name"]:
            continue
        bench = Bench(cuda, device, folder, case)
        rows = [bench.measure(variant) for variant in case["variants"]]
        bench.close()
        show(case, rows)
        results.append({**case, "variants": rows})
    verdicts(results)
    print(json.dumps(results), file=(folder / "results.json").open("w"))
    clocks()


def verdicts(results: list[dict[str, Any]]) -> None:
    """The best variant of each case against what is wanted."""
    print("\nbest of each")
    for case in results:
        right = [row for row in case["variants"] if not row["wrong"]]
        if not right:
            print(f"  {case['name']:28s} no variant is right")
            continue
        best = max(right, key=lambda row: row["rate"])
        wanted = case["wanted"]
        judged = f"{best['rate'] / wanted:5.2f} of the wanted {wanted:.0e}" if wanted else ""
        print(f"  {case['name']:28s} {best['rate']:.3e}/s, {best['of_arithmetic']:.1%} of FLOP/s, "
              f"{best['of_memory']:.1%} of B/s  {judged}")  # fmt: skip


def clocks() -> None:
    """What nvidia-smi says, where it is."""
    query = "--query-gpu=name,driver_version,clocks.sm,clocks.mem,power.draw"
    try:
        text = subprocess.run(["nvidia-smi", query, "--format=csv,noheader"], check=True,
                              capture_output=True, text=True).stdout  # fmt: skip
        print(f"\n{text.strip()}")
    except (OSError, subprocess.CalledProcessError):
        print("\nno nvidia-smi")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", type=Path, help="write machine code into this folder")
    parser.add_argument("--run", type=Path, help="measure what is in this folder")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    given = parser.parse_args()
    if given.compile:
        from benchmarks import gpu_cases

        gpu_cases.write(given.compile, given.only)
    if given.run:
        run(given.run, given.only)


if __name__ == "__main__":
    main()
