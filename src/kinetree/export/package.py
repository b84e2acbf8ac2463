"""Stand-alone C: a library with its equations, a program that simulates, and a data sheet.

Nothing is allocated, every loop is bounded, and only math.h is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.analysis.observing.inputs import own_inputs, release_drives
from kinetree.analysis.observing.program import with_positions
from kinetree.analysis.runs.dynamics import LOADED, dynamics
from kinetree.arguments import check_arguments, check_options, check_positive
from kinetree.export.c_text import PackageCode
from kinetree.export.certified import certify_package
from kinetree.export.equations import equations
from kinetree.export.folder import write_files
from kinetree.export.pace import LONGEST, suited_step
from kinetree.export.variables import derivative_name
from kinetree.model import as_mechanism, happenings, refuse_events, refuse_holding
from kinetree.plain import cell, markdown
from kinetree.program.newton import iterations
from kinetree.targets.c.language import language
from kinetree.targets.c.stack import stack_bytes
from kinetree.targets.text.about import FIRST_LINE

if TYPE_CHECKING:
    from kinetree.assembly import Values
    from kinetree.model import Components, Mechanism

SHEET = "DATASHEET.md"


def export_c(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism | Components,
    folder: str | Path,
    *,
    points: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    step: float | None = None,
    duration: float = 10.0,
    every: int = 10,
    q: Values = None,
    qd: Values = None,
    x: Values = None,
    t0: float = 0.0,
    precision: str = "double",
    force: bool = False,
    certificate: bool | Sequence[str] = False,
    **options: Any,
) -> tuple[Path, ...]:
    """Write a model as a stand-alone C package: library, simulating program, data sheet.

    ``make`` (or CMake) builds the library libMODEL.a and the program MODEL, which writes
    comma-separated values: time, states, their derivatives, outputs.

    Args:
        model: the mechanism, closed or not.
        folder: new, empty, or with the files of an earlier export.
        points: paths "body" or "body.point" whose positions become outputs [m, ground frame].
        outputs: names of outputs, such as "strut.force" or "chassis.position.z"
            (`kinetree.model.outputs`); by default the model's own.
        inputs: names of what comes from outside: tau_NAME, a wrench or a component of it
            (WRENCH_fz), qdd_NAME of a driven coordinate, a parameter; others are parameters.  By
            default all efforts and wrenches.
        step: usual step of the method of Runge and Kutta [s]; by default a millisecond, or less
            where the fastest motion at the start asks for it.
        duration: usual length of a run [s].
        every: one line of values in so many steps, milliseconds where no step is given.
        q: initial coordinates, all in order or some by name; by default the model's.
        qd: initial velocities; by default zero.
        x: initial user states; by default the model's.
        t0: time at the beginning [s].
        precision: "double", or "single" for processors that have no other; errors are then about
            1e-6 of the values, too coarse for events.
        force: write among files of other origin, too.
        certificate: whether the package carries a certificate (`kinetree.certify`): its equations
            in every target at hand, or in those named, and digests of its files.  It tells of the
            machine, so its bytes are not the same everywhere.
        **options: tau and wrenches as for `simulate`, constant, as first values of the inputs;
            parameters, values by name in place of the model's; of `derive`: formalism, loops,
            partition; for a closed system also independent, names of the coordinates to be kept
            independent.

    Returns:
        The files written.  The same model gives the same bytes.

    Raises:
        KinetreeError: where the model cannot be derived or the folder not be written.
    """
    check_arguments(export_c, locals())
    model, inputs = as_mechanism(model), own_inputs(model, inputs)
    check_options("export_c", options, LOADED)
    _refuse_times(step, duration, every)
    name = language(precision).rules.stem(model.name)
    runs = precision == "double"  # single precision locates no events: switches are selections
    made = release_drives(model, inputs, t0, (q, qd), options.get("parameters"))
    moving = dynamics(made.model, q=made.q, t=t0, runs=runs, **options)
    if precision == "single":
        refuse_events(happenings(model), "single precision", 'use precision="double"')
        refuse_holding(model, "single precision", 'use precision="double"')
    seen = with_positions(moving.model, outputs, points)
    at = (made.q, made.qd, x)
    found = equations(moving, name, seen, inputs=inputs, at=at, t0=t0, events=False)
    code = PackageCode(name, found, suited_step(found) if step is None else step, precision)
    texts = _texts(code, model, duration, every if step else every * round(LONGEST / code.step))
    if certificate:
        told = model.name, model.content_hash()
        texts |= certify_package(code, *told, texts, certificate).contents()
    return write_files(Path(folder), texts, force=force)


def _refuse_times(step: float | None, duration: float, every: int) -> None:
    """Refuse a run that is none."""
    times = {"duration": duration} | ({} if step is None else {"step": step})
    check_positive("a positive time in seconds", **times)
    check_positive("a positive number of steps", every=every)


def _texts(code: PackageCode, model: Mechanism, duration: float, every: int) -> dict[str, str]:
    """The files of a package by name."""
    texts = code.files()
    library = [file for file in texts if file.endswith(".c")]
    texts[SHEET] = "\n".join(_sheet(code, model, texts)) + "\n"
    texts["main.c"] = code.fill("main.c", _words(code, duration, every))
    texts["Makefile"] = _makefile(code.name, library)
    texts["CMakeLists.txt"] = _cmake(code.name, library)
    return texts


def _words(code: PackageCode, duration: float, every: int) -> dict[str, str]:
    """What stands in the program: the names of its columns, the usual run."""
    found = code.found
    labels = found.labels("y")
    states = (*labels, *(derivative_name(label) for label in labels))
    names = [code.language.string("," + cell(x)) for x in (*states, *found.labels("out"))]
    return {
        "KT_COLUMNS": "".join(f"    {name}\n" for name in names),
        "KT_DURATION": repr(float(duration)),
        "KT_EVERY": repr(float(every)),
    }


def write_simulation(
    model: Mechanism | Components,
    folder: str | Path,
    duration: float,
    step: float,
    *,
    every: int = 1,
    **options: Any,
) -> tuple[Path, ...]:
    """Write a run as a C program that stands alone: `export_c` with the times of the run.

    Args:
        model: the mechanism.
        folder: new, empty, or with the files of an earlier export.
        duration: length of the run [s].
        step: of the classical fourth-order method [s].
        every: steps between two lines of values.
        **options: of `export_c`: q, qd, x, t0, tau, wrenches, parameters, points, ...

    Returns:
        The files written.

    Refs: Verlinden2005 sec. VI
    """
    check_arguments(write_simulation, locals())
    return export_c(model, folder, duration=duration, step=step, every=every, **options)


def _makefile(name: str, library: Sequence[str]) -> str:
    objects = " ".join(f"build/{Path(file).stem}.o" for file in library)
    return f"""\
# {FIRST_LINE}
CC     ?= cc
CFLAGS ?= -O2
OBJECTS = {objects}

all: build/{name} build/lib{name}.a

build/{name}: build/main.o build/lib{name}.a
\t$(CC) $(CFLAGS) -o $@ build/main.o build/lib{name}.a -lm

build/lib{name}.a: $(OBJECTS)
\t$(AR) rcs $@ $(OBJECTS)

build/%.o: %.c $(wildcard *.h)
\t@mkdir -p build
\t$(CC) -std=gnu99 $(CFLAGS) -c -o $@ $<

clean:
\trm -rf build

.PHONY: all clean
"""


def _cmake(name: str, library: Sequence[str]) -> str:
    return f"""\
# {FIRST_LINE}
cmake_minimum_required(VERSION 3.10)
project({name} C)
set(CMAKE_C_STANDARD 99)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_library({name}_model STATIC {" ".join(library)})
target_include_directories({name}_model PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({name}_model PROPERTIES OUTPUT_NAME {name})
find_library(MATHS m)
if(MATHS)
  target_link_libraries({name}_model PUBLIC ${{MATHS}})
endif()
add_executable({name} main.c)
target_link_libraries({name} PRIVATE {name}_model)
"""


# --- the data sheet ------------------------------------------------------------------------------


def _sheet(code: PackageCode, model: Mechanism, texts: dict[str, str]) -> Iterator[str]:
    """Lines of the data sheet."""
    name, found = code.name, code.found
    yield f"<!-- {FIRST_LINE} -->"
    yield f"# {markdown(model.name)}"
    yield ""
    yield f"Model hash `{model.content_hash()}`."
    yield f"{code.precision.capitalize()} precision, C99, no allocation, no recursion."
    yield ""
    yield "| number of | |"
    yield "|---|---|"
    yield f"| states (q, qd, x) | {len(found.start)} |"
    yield f"| inputs | {len(found.labels('u'))} |"
    yield f"| parameters | {len(found.labels('p'))} |"
    yield f"| outputs | {len(found.labels('out'))} |"
    yield ""
    yield "| function | additions | multiplications | divisions | calls | sum |"
    yield "|---|---|---|---|---|---|"
    for source in code.sources:
        yield _costs(source.name, source.program.count())
        if source.program.preamble:
            text = f"{source.name}, per parameter set"
            yield _costs(text, source.program.preamble_count())
    yield ""
    yield "Sign changes count as additions; a system that is iterated counts once per iteration."
    yield ""
    yield from _iterations(code)
    yield ""
    yield "| stack at most, estimated | bytes |"
    yield "|---|---|"
    c = [text for file, text in texts.items() if file.endswith((".c", ".h"))]
    for function in ("evaluate", "step"):
        yield f"| {name}_{function} | {stack_bytes(c, f'{name}_{function}')} |"
    yield ""
    yield f"One step of the fixed-step method evaluates the equations 4 times{_once(code)}."


def _costs(name: str, count: Any) -> str:
    row = (count.add + count.neg, count.mul, count.div, count.call, count.total)
    return f"| {name} | {' | '.join(map(str, row))} |"


def _once(code: PackageCode) -> str:
    return "" if code.projection is None else " and the projection once"


def _iterations(code: PackageCode) -> Iterator[str]:
    """The bounds of all iterations: an iteration looks at its equations once more than it steps."""
    rows = [
        f"| {source.name}, {len(block.targets)} unknowns | {block.limit} | {block.limit + 1} | "
        f"{code.language.tolerance(block):g} |"
        for source in code.sources
        for block in iterations(source.program)
    ]
    if not rows:
        yield "Nothing is iterated: the time of an evaluation is the same everywhere."
        return
    yield "| iteration | steps at most | evaluations of its equations at most | tolerance |"
    yield "|---|---|---|---|"
    yield from rows


__all__ = ["export_c", "write_simulation"]
