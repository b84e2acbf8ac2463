"""How fast a grand piano action repeats: double escapement against single, at 5 to 20 Hz.

The key front moves between `low` and 10 mm as 1 - cos; of 25 periods 14 near the end are judged:
how near the hammer comes to the string in the worst of them, zero where it strikes in every one.
For the single escapement the repetition lever is locked to the whippen and its contacts are off.

    python -m benchmarks.piano [PICTURE.png]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import kinetree as kt
from kinetree.formats.edits.operations import remove
from kinetree.functions import cos

FILE = Path(__file__).parents[1] / "examples" / "models" / "piano_action.yaml"
FINGER = 0.245
"""From the balance point of the key to the finger [m]."""
DIP = 0.010
STIFF = {"method": "cvode_bdf", "rtol": 1e-8}
PERIODS, JUDGED = 25, 14
RATES = range(5, 21)
SAID = (
    "Docquier 2013, figure 24: the single escapement up to 34 Hz, the double up to 46 Hz.\n"
    "This model, like real grands, repeats 12 to 16 times a second."
)
"""What stands under the picture."""
LEVER = ("lever_top", "drop", "lever_stop", "lever_spring", "lever_pivot")
"""What acts on the repetition lever."""


def action(single: bool) -> kt.Model:
    """The action with double escapement, or with the repetition lever locked."""
    text = FILE.read_text(encoding="utf-8")
    for name in LEVER if single else ():
        text = remove(text, ["forces", name])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "action.yaml"
        file.write_text(text, encoding="utf-8")
        model = kt.load(file)
    if single:
        model.lock("lever_lock", "lever", 1.0)
    return model


def driven(single: bool) -> kt.Model:
    """The action whose key moves as the parameters `rate` and `low` say."""
    model = action(single)
    rate, low = model.parameter("rate", 5.0), model.parameter("low", 0.001)
    half = (DIP - low) / 2
    model.drive("key", lambda t: (low + half * (1 - cos(2 * np.pi * rate * t))) / FINGER)
    return model


def nearest(model: kt.Model, start: dict[str, float], rate: float, low: float) -> float:
    """Largest of the least distances of hammer and string in the judged periods [m]."""
    run = kt.simulate(model, PERIODS / rate, q=start | {"key": low / FINGER}, step=2e-4,
                      parameters={"force": 0.0, "rate": rate, "low": low},
                      outputs=["blow.gap"], **STIFF)  # fmt: skip
    period = np.minimum((run.time.values * rate - 0.25).astype(int), PERIODS - 1)
    gap = run["blow.gap"].values
    least = [gap[period == k].min() for k in range(PERIODS - 1 - JUDGED, PERIODS - 1)]
    return max(0.0, float(max(least)))


def stroke_time(length: float = 0.45) -> float:
    """Processor time of a stroke of so many seconds, once all is compiled [s]."""
    model = action(single=False)
    for duration in (1e-3, length):
        began = time.process_time()
        kt.simulate(model, duration, parameters={"force": 4.0}, step=1e-3, **STIFF)
    return time.process_time() - began


def main() -> None:
    """Print and draw distance over frequency."""
    print(f"a stroke of 0.45 s is computed in {stroke_time():.2f} s of one core")
    began = time.process_time()
    rows: dict[tuple[str, float], list[float]] = {}
    for kind in ("double", "single"):
        rest = kt.simulate(action(kind == "single"), 1.0, parameters={"force": 0.0}, **STIFF)
        model = driven(kind == "single")
        start = dict(zip(model.coordinates, rest.q.values[-1].tolist(), strict=True))
        for low in (0.0, 0.004):
            rows[kind, low] = [nearest(model, start, float(rate), low) for rate in RATES]
    print("distance of hammer and string [mm], worst of the last periods; 0: strikes in each")
    print("Hz              ", *(f"{rate:5d}" for rate in RATES))
    for (kind, low), row in rows.items():
        print(f"{kind} from {1e3 * low:.0f} mm", *(f"{1e3 * x:5.1f}" for x in row))
    print(f"{len(rows) * len(RATES)} runs in {time.process_time() - began:.0f} s of one core")
    for path in sys.argv[1:]:
        draw(rows, path)


def draw(rows: dict[tuple[str, float], list[float]], path: str) -> None:
    """The curves, and what the paper has."""
    figure, axes = plt.subplots(figsize=(7, 3.9), constrained_layout=True)
    looks = {("double", 0.0): "C0-o", ("double", 0.004): "C0--s",
             ("single", 0.0): "C1-o", ("single", 0.004): "C1--s"}  # fmt: skip
    for (kind, low), row in rows.items():
        label = f"{kind} escapement, key returns to {1e3 * low:.0f} mm"
        axes.plot(list(RATES), 1e3 * np.array(row), looks[kind, low], label=label, ms=4)
    axes.set(xlabel="strokes per second [Hz]", ylabel="hammer to string [mm]")
    axes.set_xticks(list(RATES))
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(SAID, fontsize=8)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
