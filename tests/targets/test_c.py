"""C code: gcc compiles it without a warning, it agrees with the reference, files are safe."""

from __future__ import annotations

import ctypes
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import zoo
from approx import IDENTITY, relative_error
from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.program import Program
from kinetree.targets.c import source
from kinetree.targets.c.language import DOUBLE
from kinetree.targets.text import statements
from targets import corpus

FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]

GCC_WITH_LEVELS = 12
"""The first version that knows the levels of x86-64 as clones."""


def gcc_version(gcc: str) -> int:
    done = subprocess.run([gcc, "-dumpversion"], capture_output=True, text=True, check=True)
    return int(done.stdout.split(".")[0])


def built(program: Program, folder: Path, gcc: str, *more: str) -> ctypes.CDLL:
    code, _ = program.write("c", folder)
    library = folder / f"{code.stem}.so"
    subprocess.run([gcc, *FLAGS, *more, code, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def called(library: ctypes.CDLL, program: Program, values: dict[str, Any]) -> dict[str, Any]:
    """The outputs of the main function: all inputs, then all outputs, as arrays."""
    ins = [
        np.array(values.get(row.name, row.default), dtype=float).ravel() for row in program.inputs
    ]
    outs = [np.full(max(len(out.nodes), 1), np.nan) for out in program.outputs]
    function = library[DOUBLE.rules.identifier(program.name)]
    function(*(ctypes.c_void_p(a.ctypes.data) for a in (*ins, *outs)))
    return {o.name: y.reshape(o.shape) for o, y in zip(program.outputs, outs, strict=True)}


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert relative_error(found[name], value) < IDENTITY, name


def test_expressions(tmp_path: Path, gcc: str) -> None:
    program = corpus.expressions()
    library = built(program, tmp_path, gcc)
    for i in range(10):
        values = {name: row[i] for name, row in corpus.points(10).items()}
        assert_same(called(library, program, values), program.evaluate(**values))


@pytest.mark.parametrize("name", corpus.SYSTEMS)
def test_systems(name: str, tmp_path: Path, gcc: str) -> None:
    program = corpus.SYSTEMS[name]
    library = built(program, tmp_path, gcc)
    for seed in range(2):
        values = corpus.arrays(program, seed=seed)
        assert_same(called(library, program, values), program.evaluate(**values))


@pytest.mark.parametrize("program", [corpus.with_preamble(), corpus.pathological_names()],
                         ids=lambda p: p.name)  # fmt: skip
def test_parameters_and_names(program: Program, tmp_path: Path, gcc: str) -> None:
    library = built(program, tmp_path, gcc)
    values = corpus.arrays(program)
    assert_same(called(library, program, values), program.evaluate(**values))


def test_the_preamble_alone_and_the_rest_with_what_it_left(tmp_path: Path, gcc: str) -> None:
    program = corpus.with_preamble()
    library = built(program, tmp_path, gcc)
    p, q = np.array([7.0, 3.0, 11.0]), np.array([0.3, 0.4])
    kept, u, k = np.zeros(3), np.zeros(2), np.zeros(4)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (p, kept, q, u, k)]
    library.with_preamble_preamble(*pointers[:2])
    library.with_preamble_prepared(pointers[2], pointers[1], *pointers[3:])
    expected = program.evaluate(q=q, p=p)
    assert_same({"u": u, "k": k.reshape(2, 2)}, expected)


@pytest.mark.parametrize("quantity", ["inverse", "forward", "mass_bias", "kinematics"])
def test_a_mechanism(quantity: str, tmp_path: Path, gcc: str) -> None:
    rng = np.random.default_rng(2)
    kinds = ("revolute", "spherical", "prismatic", "universal")
    links = [zoo.random_link(rng, kind, i - 1) for i, kind in enumerate(kinds)]
    program = kt.derive(zoo.build(links), quantity)
    library = built(program, tmp_path, gcc, "-O1")
    values = corpus.arrays(program)
    assert_same(called(library, program, values), program.evaluate(**values))


def test_long_functions_are_cut_into_parts(tmp_path: Path, gcc: str) -> None:
    program = corpus.long_chain(900)
    library = built(program, tmp_path, gcc)
    text = (tmp_path / "long_chain.c").read_text()
    assert text.count("static void long_chain_") > 3
    values = corpus.arrays(program)
    assert_same(called(library, program, values), program.evaluate(**values))


@pytest.mark.parametrize("more", [["-std=gnu99"], ["-DKT_ONE_MACHINE"], ["-march=x86-64-v2"]])
def test_gcc_compiles_it_for_several_processors(more: list[str], tmp_path: Path, gcc: str) -> None:
    program = corpus.long_chain(300)
    library = built(program, tmp_path, gcc, *more)
    chosen = b"x86_64_v3" in (tmp_path / "long_chain.so").read_bytes()
    able = platform.machine() == "x86_64" and gcc_version(gcc) >= GCC_WITH_LEVELS
    assert chosen == (able and more != ["-DKT_ONE_MACHINE"])
    values = corpus.arrays(program)
    assert_same(called(library, program, values), program.evaluate(**values))


def test_systems_in_parts(tmp_path: Path, gcc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "WHOLE", 0)
    monkeypatch.setattr(statements, "PART", 10)
    for name in ("system_7_11", "chained", "system_5_9_general"):
        program = corpus.SYSTEMS[name]
        library = built(program, tmp_path / name, gcc)
        values = corpus.arrays(program)
        assert_same(called(library, program, values), program.evaluate(**values))


def test_the_header_serves_c_plus_plus(tmp_path: Path, gcc: str) -> None:
    _, header = corpus.with_preamble().write("c", tmp_path)
    flags = ["-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    have = subprocess.run([gcc, "-x", "c++", "-fsyntax-only", "-"], input=b"", check=False)
    assert have.returncode == 0, "gcc cannot read C++: install the package 'g++'"
    lines = f'#include "{header.name}"\nint use() {{ with_preamble_constants c; return sizeof c; }}'
    command = [gcc, *flags, "-I", str(tmp_path), "-"]
    subprocess.run(command, input=lines.encode(), check=True)


def test_parameters_have_values_and_places_have_names(tmp_path: Path, gcc: str) -> None:
    program = corpus.with_preamble()
    library = built(program, tmp_path, gcc)
    row = program.input("p")
    values = (ctypes.c_double * 3).in_dll(library, "with_preamble_p_default")
    assert list(values) == list(row.default or ())
    checks = [
        f'_Static_assert(with_preamble_p_{label} == {place}, "place");'
        for place, label in enumerate(("rod_mass", "rod_length", "double"))
    ]
    lines = "\n".join(['#include "with_preamble.h"', *checks])
    command = [gcc, "-x", "c", "-std=c11", "-fsyntax-only", "-Werror", "-I", str(tmp_path), "-"]
    subprocess.run(command, input=lines.encode(), check=True)


def test_the_header_says_what_it_is_and_what_it_costs(tmp_path: Path) -> None:
    program = corpus.with_preamble()
    text = program.write("c", tmp_path)[1].read_text()
    count = program.count()
    assert "model hash: 0123abcd" in text
    assert f"operations per evaluation: {count.add} additions, {count.mul} mult" in text
    assert "in p [3]: rod.mass, rod.length, double" in text


def test_notes_become_comments(tmp_path: Path) -> None:
    text = corpus.with_preamble().write("c", tmp_path)[0].read_text()
    assert "/* inertia, [kg.m2] */" in text
    assert "/* * / eq. (1) / *, body 'rod' */" in text


def test_names_are_kept_where_c_allows(tmp_path: Path) -> None:
    text = corpus.pathological_names().write("c", tmp_path)[0].read_text()
    for name in ("sin__2", "sin__3", "vkt_sign", "v_t", "double__2", "a_b", "pre_2", "work_2"):
        assert re.search(rf"const double {name} = ", text), name


def test_the_same_program_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        corpus.with_preamble().write("c", folder)
    for name in ("with_preamble.c", "with_preamble.h"):
        one, two = ((folder / name).read_bytes() for folder in folders)
        assert one == two
        assert str(tmp_path).encode() not in one


def test_lines_stay_readable() -> None:
    for text in source.sources(corpus.long_chain(60)).values():
        assert max(len(line) for line in text.splitlines()) <= DOUBLE.width


def test_own_files_are_overwritten_others_are_not(tmp_path: Path) -> None:
    program = corpus.with_preamble()
    program.write("c", tmp_path)
    program.write("c", tmp_path)
    foreign = tmp_path / "with_preamble.h"
    foreign.write_text("/* mine */\n")
    (tmp_path / "with_preamble.c").unlink()
    with pytest.raises(KinetreeError, match=r"with_preamble\.h.*not generated.*force=True"):
        program.write("c", tmp_path)
    assert foreign.read_text() == "/* mine */\n"
    assert not (tmp_path / "with_preamble.c").exists()
    program.write("c", tmp_path, force=True)
    assert foreign.read_text().startswith("/* Generated by kinetree.")


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(KinetreeError, match=r"folder '.*file.*'.*cannot be written.*choose"):
        corpus.with_preamble().write("c", tmp_path / "file" / "inner")


def test_an_unknown_target_gets_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(KinetreeError, match=r"no target 'nativ'.*did you mean 'native'"):
        corpus.with_preamble().write("nativ", tmp_path)


def test_c_is_not_called() -> None:
    with pytest.raises(UnsupportedError, match="only writes files"):
        corpus.with_preamble().compile(target="c")
