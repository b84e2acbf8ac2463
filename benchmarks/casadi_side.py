"""CasADi as a contender: its generated C, compiled with gcc -O3 -march=native."""

from __future__ import annotations

import ctypes
import subprocess
import time
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from benchmarks.casadi_trees import DECIMALS, Link, Tree, snapped, solve_symmetric
from benchmarks.models import BUILD
from benchmarks.native_build import NATIVE, compiler, timing_loops
from benchmarks.pinocchio_side import STATES, States, joint_kind

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_LDL = 20  # degrees of freedom up to which M x = b may beat the articulated bodies
LARGEST = {  # degrees of freedom whose C still compiles in seconds
    "inverse": 40,
    "mass": 40,
    "mass_bias": 40,
    "forward": 40,
    "inverse_derivatives": 12,
}
COMPILE_LIMIT = 120.0  # seconds of gcc


def links_of(model: Any) -> list[Link]:
    """The numbers of a Pinocchio model, joint by joint."""
    words = {"R": "turn", "P": "shift", "F": "free"}
    found = []
    for i in range(1, model.njoints):
        kind, axis = joint_kind(model.joints[i])
        place, body = model.jointPlacements[i], model.inertias[i]
        found.append(
            Link(
                words[kind[0]],
                int(model.parents[i]) - 1,
                snapped(axis),
                snapped(place.rotation, DECIMALS),
                snapped(place.translation),
                float(body.mass),
                snapped(body.lever),
                snapped(body.inertia),
            )
        )
    return found


def expression(tree: Tree, quantity: str, algorithm: str) -> Any:
    """The CasADi function of a quantity: inputs q, v, u."""
    q, v, u = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("u", tree.nv)
    qs, vs, us = (ca.vertsplit(x) for x in (q, v, u))
    zero = [ca.SX(0)] * tree.nv

    def upper(M: list[list[Any]]) -> Any:
        return ca.vertcat(*(M[i][j] for i in range(tree.nv) for j in range(i, tree.nv)))

    outputs: list[Any]
    match quantity, algorithm:
        case "inverse", _:
            outputs = [ca.vertcat(*tree.inverse(qs, vs, us))]
        case "mass", _:
            outputs = [upper(tree.mass_matrix(qs))]
        case "mass_bias", _:
            bias = ca.vertcat(*tree.inverse(qs, vs, zero))
            outputs = [upper(tree.mass_matrix(qs)), bias]
        case "forward", "articulated":
            outputs = [ca.vertcat(*tree.forward(qs, vs, us))]
        case "forward", _:
            rhs = [t - c for t, c in zip(us, tree.inverse(qs, vs, zero), strict=True)]
            outputs = [ca.vertcat(*solve_symmetric(tree.mass_matrix(qs), rhs))]
        case _:
            tau = ca.vertcat(*tree.inverse(qs, vs, us))
            by_q, by_v = ca.jacobian(tau, q), ca.jacobian(tau, v)
            outputs = [by_q, by_v, upper(tree.mass_matrix(qs))]
    return ca.Function("f", [q, v, u], ca.cse(outputs))


def operations(function: Any) -> int:
    """Arithmetic instructions of a CasADi function."""
    idle = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST}
    return sum(function.instruction_id(k) not in idle for k in range(function.n_instructions()))


class Compiled:
    """A CasADi function as native code of this process."""

    def __init__(self, name: str, function: Any) -> None:
        self.function = function
        start = time.perf_counter()
        self.library = ctypes.CDLL(str(compile_c(name, function)))
        self.compile_seconds = time.perf_counter() - start
        self.loops = ctypes.CDLL(str(timing_loops()))
        self.operations = operations(function)

    def work(self) -> list[int]:
        """Sizes of the scratch arrays: arg, res, iw, w."""
        sizes = [ctypes.c_longlong() for _ in range(4)]
        self.library.f_work(*(ctypes.byref(s) for s in sizes))
        return [s.value for s in sizes]

    def time(self, states: States, repeats: int, seconds: float) -> float:
        """Nanoseconds per call: minimum over the repeats."""
        f = self.function
        n_in, n_out = f.n_in(), f.n_out()
        n_arg, n_res, n_iw, n_w = self.work()
        rows = np.ascontiguousarray(np.concatenate([states.q, states.v, states.u], axis=1))
        offsets = np.cumsum([0, *(f.size1_in(k) for k in range(n_in - 1))]) * 8
        starts = rows.ctypes.data + np.arange(STATES)[:, None] * rows.strides[0] + offsets[None, :]
        arg = np.zeros(STATES * n_in + n_arg + 1, dtype=np.uintp)
        arg[: STATES * n_in] = starts.ravel()
        outputs = [np.zeros(max(1, f.nnz_out(k))) for k in range(n_out)]
        res = np.zeros(n_res + n_out + 1, dtype=np.uintp)
        res[:n_out] = [o.ctypes.data for o in outputs]
        scratch = np.zeros(n_iw + 1, dtype=np.int64), np.zeros(n_w + 1)
        best = np.zeros(2)
        call = self.loops.measure_casadi
        call.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p,
            ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_void_p,
        ]  # fmt: skip
        call.restype = None
        address = ctypes.cast(self.library.f, ctypes.c_void_p)
        pointers = (arg.ctypes.data, n_in, res.ctypes.data, *(s.ctypes.data for s in scratch))
        call(address, *pointers, repeats, seconds, best.ctypes.data)
        return float(best[0])


def compile_c(name: str, function: Any) -> Path:
    """Generated C and its shared library, kept in the build folder while the C stays the same."""
    folder = BUILD / "casadi"
    folder.mkdir(parents=True, exist_ok=True)
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    old = source.read_text() if source.exists() else ""
    generator = ca.CodeGenerator(f"{name}.c", {"with_header": False})
    generator.add(function)
    generator.generate(str(folder) + "/")
    if not library.exists() or source.read_text() != old:
        command = [compiler("gcc"), *NATIVE, "-shared", "-fPIC", str(source), "-o", str(library)]
        subprocess.run([*command, "-lm"], check=True, timeout=COMPILE_LIMIT)
    return library


def algorithms(quantity: str, nv: int) -> list[str]:
    """The ways worth trying, none where CasADi's C takes too long to compile."""
    if quantity not in LARGEST or nv > LARGEST[quantity]:
        return []
    if quantity == "forward":
        return ["articulated", "ldl"] if nv <= LARGEST_LDL else ["articulated"]
    return ["direct"]


def contenders(name: str, model: Any, quantity: str) -> dict[str, Compiled]:
    """The compiled CasADi functions of a quantity of a model, by algorithm."""
    tree = Tree(model, links_of(model))
    return {
        algorithm: Compiled(f"{name}_{quantity}_{algorithm}", expression(tree, quantity, algorithm))
        for algorithm in algorithms(quantity, tree.nv)
    }
