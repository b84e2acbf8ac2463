"""Certify a quantity of a model, or Programs: compare everything with the reference evaluation."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.assembly.assemble import assemble
from kinetree.certificate.certificate import (
    Certificate,
    Comparison,
    LeftOut,
    ProgramFacts,
    digest_of,
)
from kinetree.certificate.compare import Deviation, Expected, deviate, expect
from kinetree.certificate.engines import compare_engines
from kinetree.certificate.formalisms import STEP, compare_formalisms, derive_program
from kinetree.certificate.runners import COMMANDS, RUNNABLE, find_tool, run_command, run_target
from kinetree.certificate.states import DrawnStates, draw_states
from kinetree.errors import KinetreeError, ShapeError, UnsupportedError
from kinetree.formalism import QUANTITIES
from kinetree.program.newton import iterations
from kinetree.program.program import TARGETS, VERBS
from kinetree.targets.c.stack import stack_bytes
from kinetree.targets.digest import digest

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program import Program

    Progress = Callable[[str], Any]

TOLERANCE = 1e-12
"""Deviation of a target that is allowed: the same operations in the same order, mostly."""
STEP_SIZE = 1e-3
"""Length of a time step that is certified [s]."""
PACKAGES = {"native": "llvmlite", "python": "numpy", "jax": "jax", "torch": "torch",
            "cuda": "cupy", "casadi": "casadi", "sympy": "sympy"}  # fmt: skip
"""Target -> the package that runs it."""
READ = {
    "latex": "it is read, not run",
    "html": "it is read, not run",
    "fmu": "it is made of a model; its C is certified with export_fmu(certificate=True)",
    "simulink": "it needs Simulink; its equations are the files of target c",
}
"""Targets that are not run, and why."""


def certify(
    model: Mechanism,
    quantity: str = "forward",
    *,
    targets: Sequence[str] | None = None,
    states: int = 8,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Certificate:
    """Evaluate a quantity by every formalism, target and engine at hand, and compare.

    Args:
        model: the mechanism, closed or not.
        quantity: as for `derive`, or "step" for a time step (`kinetree.steppers.step_program`).
        targets: names of the targets to compare; by default all whose tool is at hand.
        states: number of random states; corners come on top.
        seed: of the random states: the same seed gives the same ones.
        progress: called with a line on what is being done.
        **options: of `derive` or `step_program`: formalism, parameters, loops; formulation, method;
            by, names of inputs by which derivatives of all outputs are certified, too.

    Returns:
        The certificate; `agrees` says whether every deviation is allowed.

    Raises:
        KinetreeError: where the quantity cannot be derived.
    """
    check_arguments(certify, locals())
    check_choice("quantity", quantity, (*QUANTITIES, STEP))
    tell = progress or (lambda _: None)
    tell(f"deriving {quantity}")
    recipe = {"quantity": quantity, "states": states, "seed": seed, **options}
    program = derive_program(model, recipe)
    start = start_values(model, program)
    work = _Work(states, seed, tell)
    (found,) = work.draw([program], start, _limits(model))
    if quantity == STEP:
        reason = "a step is defined by its formulation, which gives other numbers than another one"
        work.left_out.append(LeftOut("formalism", "others", reason))
    else:
        compare_formalisms(model, found, options, work)
    compare_engines(model, found, work)
    work.run_targets(targets)
    return work.certificate({"name": model.name, "hash": model.content_hash()}, recipe)


def certify_program(
    program: Program,
    start: Mapping[str, Any] | None = None,
    *,
    targets: Sequence[str] | None = None,
    states: int = 8,
    seed: int = 0,
    progress: Progress | None = None,
) -> Certificate:
    """Evaluate a Program in every target at hand, and compare; see `Program.certify`."""
    check_arguments(certify_program, locals())
    return certify_programs(
        [program], start or {}, targets=targets, states=states, seed=seed, progress=progress
    )


def certify_programs(  # noqa: PLR0913  one keyword per choice of the user
    programs: Sequence[Program],
    start: Mapping[str, Any],
    *,
    model: Mapping[str, str] | None = None,
    targets: Sequence[str] | None = None,
    states: int = 8,
    seed: int = 0,
    progress: Progress | None = None,
) -> Certificate:
    """One certificate of several Programs, such as those of a package, with a common start."""
    work = _Work(states, seed, progress or (lambda _: None))
    work.draw(programs, start)
    reason = "a Program is given, and not the model that it comes from"
    work.left_out += [LeftOut("formalism", "others", reason), LeftOut("engine", "others", reason)]
    work.run_targets(targets)
    return work.certificate(dict(model or {}), {})


def start_values(model: Mechanism, program: Program) -> dict[str, Any]:
    """A consistent state of a model for a Program: closed and at rest; of a step, after one."""
    q = assemble(model).q if model.closures or model.drives else np.asarray(model.initial())
    given = {"q": q, "h": np.asarray(STEP_SIZE)}
    nexts = [out.name for out in program.outputs if out.name.endswith("_next")]
    if nexts:
        zeros = {row.name: np.zeros(row.shape) for row in program.inputs if row.default is None}
        found = program.compile()(**zeros | program.pick_inputs(given))
        rows = {name.removesuffix("_next"): found[name] for name in nexts}
        given |= {name: y for name, y in rows.items() if np.isfinite(y).all()}
    return program.pick_inputs(given)


def _limits(model: Mechanism) -> dict[str, Any]:
    """Coordinates at the limits of the joints, where there are some."""
    found = {}
    for side in ("lower", "upper"):
        bounds = [getattr(j.limits, side) if j.limits else None for j in model.leaders]
        if any(bound is not None for bound in bounds):
            q = np.array(model.initial(), float)
            at = np.cumsum([0, *(j.nq for j in model.leaders)])
            for k, bound in enumerate(bounds):
                if bound is not None:
                    q[at[k] : at[k + 1]] = bound
            found[f"{side} limits"] = q
    return found


@dataclass
class _Work:
    """A certificate in the making.

    Attributes:
        count: number of random states.
        seed: of the random states.
        tell: called with a line on what is being done.
    """

    count: int
    seed: int
    tell: Callable[[str], Any]

    def __post_init__(self) -> None:
        check_positive("a positive number of states", states=self.count)
        if self.seed < 0:
            raise ShapeError(f"it is {self.seed}", element="seed", cure="give 0 or more")
        self.drawn: list[DrawnStates] = []
        self.expected: list[Expected] = []
        self.comparisons: list[Comparison] = []
        self.left_out: list[LeftOut] = []
        self.stacks: dict[str, int] = {}

    def draw(
        self,
        programs: Sequence[Program],
        start: Mapping[str, Any],
        limits: Mapping[str, Any] | None = None,
    ) -> list[Expected]:
        """Draw states and evaluate the reference."""
        for program in programs:
            self.tell(f"{program.name}: reference")
            own = program.pick_inputs(start)
            bounds = limits if program.takes("q") else None
            drawn = draw_states(program, own, bounds, count=self.count, seed=self.seed)
            if not drawn.labels:
                raise KinetreeError(
                    "it has no value at any state that was drawn",
                    element=f"program '{program.name}'",
                    cure="give start=, values of its inputs where its loops close",
                )
            self.drawn.append(drawn)
            self.expected.append(expect(drawn.trial, self.seed))
        return self.expected

    def add(self, number: int, found: Sequence[Mapping[str, Any]], **row: Any) -> None:
        """Compare results of a Program with the reference."""
        self.compare(number, deviate(self.expected[number], found), **row)

    def compare(self, number: int, worst: Deviation, **row: Any) -> None:
        """Keep the largest deviation of a comparison."""
        label, program = self.drawn[number].labels[worst.state], self.drawn[number].trial.program
        size = worst.size if np.isfinite(worst.size) else None
        self.comparisons.append(
            Comparison(
                program=program.name, deviation=size, output=worst.output, state=label, **row
            )
        )

    def run_targets(self, targets: Sequence[str] | None) -> None:
        """Compare all Programs in every target, or in those that are named."""
        for name in targets or ():
            check_choice("targets", name, RUNNABLE, "target that can be run")
        for target in TARGETS:
            if target in READ:
                self.left_out.append(LeftOut("target", target, READ[target]))
            elif targets is not None and target not in targets:
                self.left_out.append(LeftOut("target", target, "it was not asked for"))
            else:
                self.tell(f"target {target}")
                try:
                    self._run_target(target)
                except UnsupportedError as error:
                    self.left_out.append(LeftOut("target", target, str(error)))
                except KinetreeError as error:
                    failed = Comparison(
                        "target", target, "all", _tool(target), None, "", str(error), TOLERANCE
                    )
                    self.comparisons.append(failed)

    def _run_target(self, target: str) -> None:
        tool = _tool(target)
        trials = [row.trial for row in self.drawn]
        with tempfile.TemporaryDirectory() as folder:
            results = run_target(target, trials, Path(folder))
        for k, found in enumerate(results):
            program = trials[k].program
            code = program_code(target, program)
            if target == "c":
                self.stacks[program.name] = _stack(code)
            digests = {name: digest_of(text) for name, text in code.items()}
            self.add(
                k, found, kind="target", name=target, tool=tool, tolerance=TOLERANCE, code=digests
            )

    def certificate(self, model: dict[str, str], recipe: dict[str, Any]) -> Certificate:
        """What was found."""
        programs = [row.trial.program for row in self.drawn]
        rows = (row for program in programs for row in program.inputs if row.parameter)
        values = {
            label: float(value)
            for row in rows
            for label, value in zip(row.labels, row.default or (), strict=False)
        }
        facts = [self._facts(row) for row in self.drawn]
        return Certificate(
            model, recipe, values, self.seed, facts, self.comparisons, self.left_out, _versions()
        )

    def _facts(self, drawn: DrawnStates) -> ProgramFacts:
        program = drawn.trial.program
        bounds = [
            {"unknowns": len(block.targets), "steps at most": block.limit,
             "tolerance": block.tolerance}
            for block in iterations(program)
        ]  # fmt: skip
        return ProgramFacts(
            program.name, digest(program), dict(program.info), asdict(program.count()),
            asdict(program.preamble_count()), bounds, self.stacks.get(program.name),
            list(drawn.labels), list(drawn.without), list(drawn.kept),
        )  # fmt: skip


def _tool(target: str) -> str:
    """What runs a target, with its version."""
    if target in COMMANDS:
        command = find_tool(target)
        said = run_command([command, "--version"], Path.cwd()).strip().splitlines()
        return f"{Path(command).name}: {said[0]}" if said else Path(command).name
    try:
        return f"{PACKAGES[target]} {version_of(PACKAGES[target])}"
    except PackageNotFoundError:
        return PACKAGES[target]


def program_code(target: str, program: Program) -> dict[str, str]:
    """The files of a target by name; none of native code."""
    if target == "native":
        return {}
    with tempfile.TemporaryDirectory() as folder:
        paths = program.write(target, folder)
        return {path.name: path.read_text(encoding="utf-8") for path in paths}


def _stack(code: Mapping[str, str]) -> int:
    """Bytes of stack that the function of C files needs at most."""
    entry = next(name for name in code if name.endswith(".c")).removesuffix(".c")
    return stack_bytes(code.values(), entry)


def _versions() -> dict[str, str]:
    """What took part besides the tools."""
    packages = {name: version_of(name) for name in ("kinetree", "numpy", "llvmlite")}
    machine = f"{platform.system()} {platform.machine()}"
    return {**packages, "python": platform.python_version(), "machine": machine}


VERBS["certify"] = certify_program
