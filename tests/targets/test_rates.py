"""Right-hand sides for integrators, in the languages that have one: packages, blocks, scripts."""

from __future__ import annotations

import shutil
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, IDENTITY, assert_close

from kinetree.certificate.runners import run_command
from kinetree.program import Program
from kinetree.program.state_form import PARTS
from kinetree.targets.text.rates import has_rates, rates, rest
from targets.cases import case, tool
from targets.registry import RUNS

HERE = Path(__file__).parent
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
LONG = 5000
"""Operations from which a block is compiled without optimisation, in a third of the time."""


def state(program: Program, values: dict[str, Any]) -> np.ndarray:
    return np.concatenate([np.ravel(values[name]) for name in PARTS if name in values])


def test_rates_are_those_of_the_state() -> None:
    """Quaternions move by N qd; closed loops are taken where they are closed."""
    for name in ("forced", "four_bar"):
        program = case(name).program
        for values in case(name).states:
            out = program.evaluate(**values)
            others = {k: v for k, v in values.items() if k not in (*PARTS, "t")}
            found = rates(program).evaluate(
                t=values.get("t", 0.0), y=state(program, values), **others
            )["yd"]
            nq, nv = (len(program.input(k).symbols) for k in ("q", "qd"))
            assert_close(found[nq : nq + nv], out["qdd"], IDENTITY)
            if name == "four_bar":
                assert_close(found[:nq], out["qd_closed"], IDENTITY)
                continue
            w, x, y, z = values["q"][1:]
            p, q, r = values["qd"][1:]
            turn = 0.5 * np.array(
                [-x * p - y * q - z * r, w * p - z * q + y * r, z * p + w * q - x * r,
                 -y * p + x * q + w * r]
            )  # fmt: skip
            assert_close(found[1:nq], turn, IDENTITY)
            assert_close(found[nq + nv :], out["xd"], IDENTITY)


def test_only_accelerations_make_rates() -> None:
    assert not has_rates(case("pendulum_inverse").program)
    assert has_rates(case("pendulum_forward").program)


def reference(program: Program, y: np.ndarray, end: float, h: float) -> np.ndarray:
    """The classical method of order four on the reference evaluation."""
    page = rates(program)
    others = {r.name: np.zeros(r.shape) for r in page.inputs[2:] if r.default is None}

    def f(t: float, y: np.ndarray) -> np.ndarray:
        return page.evaluate(t=t, y=y, **others)["yd"]

    for k in range(round(end / h)):
        t = k * h
        a = f(t, y)
        b = f(t + h / 2, y + h / 2 * a)
        c = f(t + h / 2, y + h / 2 * b)
        d = f(t + h, y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y


@pytest.mark.parametrize("name", RUNS["simulink"])
def test_simulink_block_with_a_stand_in_header(name: str, tmp_path: Path) -> None:
    """Compiled against tests/targets/simstruc.h, not against Simulink."""
    gcc = tool("gcc", "gcc")
    program = case(name).program
    program.write("simulink", tmp_path)
    shutil.copy(HERE / "simstruc.h", tmp_path)
    (tmp_path / "cg_sfun.h").write_text("")
    moving = has_rates(program)
    values = case(name).states[0]
    (tmp_path / "main.c").write_text(block_main(program, values, moving))
    files = ["main.c", f"{name}.c", *([f"{name}_rates.c"] if moving else [])]
    level = "-O1" if program.count().total < LONG else "-O0"
    run_command([gcc, *STRICT, level, *files, "-o", "main", "-lm"], tmp_path)
    found = [float(word) for word in run_command([tmp_path / "main"], tmp_path).split()]
    out = program.evaluate(**values)
    expected = [np.ravel(out[row.name]) for row in program.outputs]
    if moving:
        page = rates(program)
        y = state(program, values)
        others = {k: v for k, v in values.items() if k not in (*PARTS, "t")}
        yd = page.evaluate(t=values.get("t", 0.0), y=y, **others)["yd"]
        expected = [y, *expected, yd]
    ends = list(accumulate(len(row) for row in expected))
    assert len(found) == ends[-1]
    for end, row in zip(ends, expected, strict=True):
        assert_close(np.array(found[end - len(row) : end]), row, IDENTITY, name)


def block_main(program: Program, values: dict[str, Any], moving: bool) -> str:
    """A program that plays Simulink for one evaluation."""

    def listed(row: Any) -> str:
        return ", ".join(repr(float(x)) for x in np.ravel(row))

    inner = (*PARTS, "t") if moving else ("t",)
    ports = [r for r in program.inputs if not r.parameter and r.name not in inner]
    parameters = [values.get(r.name, r.default) for r in program.inputs if r.parameter]
    given = ([state(program, values)] if moving else []) + parameters
    lines = [f'#include "{program.name}_sfun.c"', "#include <stdio.h>", "static SimStruct block;"]
    lines += [f"static real_T given_{i}[] = {{{listed(row)}}};" for i, row in enumerate(given)]
    lines += [
        f"static const real_T u_{i}[] = {{{listed(values[r.name])}}};" for i, r in enumerate(ports)
    ]
    lines += ["int main(void) {", "    SimStruct *S = &block;", "    int i, j;"]
    lines += [f"    S->given[{i}].values = given_{i};" for i in range(len(given))]
    lines += ["    mdlInitializeSizes(S);", "    mdlInitializeSampleTimes(S);"]
    lines += [f"    S->t = {float(values.get('t', 0.0))!r};"]
    for i, row in enumerate(ports):
        lines.append(f"    if (S->in[{i}] != {len(row.symbols)}) return 1;")
        lines.append(f"    for (j = 0; j < S->in[{i}]; j++) S->pointers[{i}][j] = &u_{i}[j];")
    lines += ["    mdlInitializeConditions(S);"] if moving else []
    lines += ["    mdlOutputs(S, 0);", "    for (i = 0; i < S->outputs; i++)"]
    lines += ['        for (j = 0; j < S->out[i]; j++) printf("%.17g\\n", S->y[i][j]);']
    if moving:
        lines += ["    mdlDerivatives(S);",
                  '    for (j = 0; j < S->states; j++) printf("%.17g\\n", S->dx[j]);']  # fmt: skip
    return "\n".join([*lines, "    mdlTerminate(S);", "    return 0;", "}", ""])


def test_octave_integrates_the_script(tmp_path: Path) -> None:
    octave = tool("octave-cli", "octave")
    program = case("pendulum_forward").program
    program.write("matlab", tmp_path)
    text = (tmp_path / "pendulum_forward_run.m").read_text()
    head, _, _ = text.partition("plot(")
    (tmp_path / "script.m").write_text(f"{head}printf('%.12g\\n', y(end, :));\n")
    words = run_command([octave, "--norc", "--quiet", "script.m"], tmp_path).split()
    y = reference(program, np.array(rest(program)), 1.0, 0.005)
    assert_close(np.array(words[-len(y) :], float), y, COARSE_RUN, "ode45 with a tolerance of 1e-8")


def test_node_integrates_the_rates(tmp_path: Path) -> None:
    node = tool("node", "nodejs")
    program = case("forced").program
    program.write("javascript", tmp_path)
    (tmp_path / "run.mjs").write_text(
        'import { evaluate, info } from "./forced_rates.mjs";\n'
        f"const y = [{', '.join(map(str, rest(program)))}];\n"
        "const h = 1e-3;\n"
        "for (let k = 0; k < 20; k++) {\n"
        "    const { yd } = evaluate({ t: k*h, y, tau: [0, 0, 0, 0] });\n"
        "    y.forEach((_, i) => { y[i] += h*yd[i]; });\n"
        "}\n"
        'console.log([...y, info.inputs.length].join("\\n"));\n'
    )
    found = [float(word) for word in run_command([node, "run.mjs"], tmp_path).split()]
    page, y = rates(program), np.array(rest(program))
    for k in range(20):
        y = y + 1e-3 * page.evaluate(t=k * 1e-3, y=y, tau=np.zeros(4))["yd"]
    assert_close(np.array(found[:-1]), y, IDENTITY)
    assert found[-1] == len(page.inputs)
