"""Electrical components as a netlist for ngspice, and what it finds."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree.acausal import Component
from kinetree.acausal.connections import Union
from kinetree.acausal.sort import sort_component
from kinetree.arrays import Array
from kinetree.library import electrical as el

GAIN = 1e7
"""Of an operational amplifier; an ideal one has no limit."""
KELVIN = 300.15
"""Temperature at which ngspice gives its parameters, 27 °C."""
THERMAL = 1.380649e-23 * KELVIN / 1.602176634e-19


def _two(letter: str, value: Callable[[Any], str]) -> Callable[[str, Any, list[str]], list[str]]:
    """A part with two ends and one value."""

    def lines(name: str, values: Any, ends: list[str]) -> list[str]:
        return [f"{letter}{name} {ends[0]} {ends[1]} {value(values)}"]

    return lines


def _diode(name: str, at: Any, ends: list[str]) -> list[str]:
    return [
        f"D{name} {ends[0]} {ends[1]} M{name}",
        f".model M{name} D(IS={at('Ids')} N={at('Vt') / THERMAL!r})",
        f"R{name} {ends[0]} {ends[1]} {at('R')}",
    ]


def _npn(name: str, at: Any, ends: list[str]) -> list[str]:
    n = at("Vt") / THERMAL
    model = f"IS={at('Is')} BF={at('Bf')} BR={at('Br')} NF={n!r} NR={n!r}"
    return [f"Q{name} {' '.join(ends)} M{name}", f".model M{name} NPN({model})"]


def _step(at: Any) -> str:
    low, start = at("offset"), at("startTime")
    return f"PULSE({low} {low + at('V')} {start} 1n 1n 1e6 2e6)"


def _sine(at: Any) -> str:
    return f"SIN({at('offset')} {at('V')} {at('f')} 0 0 {np.degrees(at('phase'))})"


PARTS: dict[type, tuple[tuple[str, ...], Callable[[str, Any, list[str]], list[str]]]] = {
    el.Resistor: (("p", "n"), _two("R", lambda at: repr(at("R")))),
    el.Capacitor: (("p", "n"), _two("C", lambda at: f"{at('C')!r} IC={at.start('v')!r}")),
    el.Inductor: (("p", "n"), _two("L", lambda at: f"{at('L')!r} IC={at.start('i')!r}")),
    el.ConstantVoltage: (("p", "n"), _two("V", lambda at: repr(at("V")))),
    el.StepVoltage: (("p", "n"), _two("V", _step)),
    el.SineVoltage: (("p", "n"), _two("V", _sine)),
    el.ConstantCurrent: (("p", "n"), _two("I", lambda at: repr(at("I")))),
    el.Diode: (("p", "n"), _diode),
    el.NPN: (("C", "B", "E"), _npn),
    el.IdealOpAmp: (
        ("p2", "n2", "p1", "n1"),
        lambda name, _, ends: [f"E{name} {' '.join(ends)} {GAIN}"],
    ),
}


class _Values:
    """Parameters and start values of one part."""

    def __init__(self, flat: Any, path: str) -> None:
        self.flat, self.path = flat, path

    def __call__(self, name: str) -> float:
        return float(self.flat.parameters[f"{self.path}.{name}"].value)

    def start(self, name: str) -> float:
        return float(self.flat.variables[f"{self.path}.{name}"].start or 0.0)


def netlist(circuit: Component) -> tuple[list[str], dict[str, str]]:
    """Lines of the parts, and the node of every pin by its path."""
    found = sort_component(circuit)
    flat, union = found.flat, Union()
    number = {row.symbol: k for k, row in enumerate(flat.variables.values())}
    for a, b in found.joined.pairs:
        union.merge(number[a], number[b])
    pins = {end.path: union.find(number[end.v.node]) for end in flat.ports}  # type: ignore[attr-defined]
    ground = {pins[f"{c.path}.p"] for c in flat.components if isinstance(c, el.Ground)}
    nodes = {path: "0" if k in ground else f"n{k}" for path, k in pins.items()}
    lines = []
    for k, component in enumerate(flat.components):
        if component is circuit or isinstance(component, el.Ground):
            continue
        ends, write = PARTS[type(component)]
        own = [nodes[f"{component.path}.{end}"] for end in ends]
        lines += write(str(k), _Values(flat, component.path), own)
    return lines, nodes


def simulate(circuit: Component, times: Array, step: float, folder: Path) -> dict[str, Array]:
    """Potentials of all pins by ngspice, from given start values; skips where it is missing."""
    if shutil.which("ngspice") is None:
        pytest.skip("needs the program ngspice")
    lines, nodes = netlist(circuit)
    names = sorted({node for node in nodes.values() if node != "0"})
    listed = " ".join(f"v({name})" for name in names)
    text = [
        "circuit", *lines, ".options reltol=1e-7 abstol=1e-14 vntol=1e-10 method=trap",
        ".control", f"tran {step} {times[-1]} 0 {step} uic", "set wr_singlescale",
        "set numdgt=12", f"wrdata out.data {listed}", "quit", ".endc", ".end",
    ]  # fmt: skip
    (folder / "circuit.cir").write_text("\n".join(text) + "\n")
    command = ["ngspice", "-b", "circuit.cir"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    out = folder / "out.data"
    assert out.exists(), done.stdout + done.stderr
    data = np.loadtxt(out)
    rows = {n: np.interp(times, data[:, 0], data[:, 1 + k]) for k, n in enumerate(names)}
    rows["0"] = np.zeros(len(times))
    return {path: rows[node] for path, node in nodes.items()}
