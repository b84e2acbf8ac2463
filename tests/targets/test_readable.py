"""LaTeX and HTML: complete, balanced, every name defined, nothing fetched."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.approx import IDENTITY

import kinetree as kt
from kinetree import engine as en
from kinetree.errors import UnsupportedError
from kinetree.program.program import Assign, Input, Newton, Note, Output, Program
from kinetree.targets.html.source import sources as html_sources
from kinetree.targets.latex.language import words
from kinetree.targets.latex.source import sources as latex_sources
from kinetree.targets.text.readable.reading import LANDMARKS, in_full, residuals
from kinetree.targets.text.readable.symbols import Symbol, symbol_of
from targets.cases import ROOT, case, tool

CASES = (
    "expressions", "with_preamble", "while", "system_3_1", "system_1_2_general", "kepler",
    "directed", "pendulum_forward", "forced", "four_bar",
)  # fmt: skip
EMPTY = {"meta", "input", "br", "mspace"}
"""Elements without an end."""


def latex(program: Program, **options: bool) -> str:
    (text,) = latex_sources(program, **options).values()
    return text


class Page(HTMLParser):
    """Elements of a page; they must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.defined: set[str] = set()
        self.named: set[str] = set()
        self.sources: set[str] = set()
        self.shown = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        if tag not in EMPTY:
            self.open.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links |= {found["href"]} if "href" in found else set()
        self.sources |= {found[key] for key in ("src", "srcset", "data") if key in found}
        self.defined |= {*found.get("data-d", "").split()}
        self.named |= {*found.get("data-u", "").split()}
        self.named |= {found["data-n"]} if "data-n" in found else set()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in EMPTY

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.shown += data


def page(program: Program) -> tuple[Page, str]:
    (text,) = html_sources(program).values()
    return Page(text), text


def strange() -> Program:
    """Names and notes that LaTeX and HTML would take for something else."""
    a, b, c = en.symbol("50%_of"), en.symbol("a_1"), en.symbol("a.1")
    target = en.symbol("<x>&y")
    note = Note(body="rod #1 & <b>", step="LᵀDL of 100% {é ß ω 漢}", eq="A_1^2~\\x", unit="N·m")
    block = Assign(target, a * b + c**2, note)
    inputs = (Input("q", (3,), (a, b, c)),)
    info = {"model": "50% <i>", "note": "two\nlines"}
    return Program("strange", inputs, (), (block,), (Output("y_", (1,), (target,)),), info)


@cache
def stewart() -> Program:
    return kt.derive(kt.load(ROOT / "examples" / "models" / "stewart.yaml"), "forward")


@pytest.fixture(scope="module")
def pendulum() -> Program:
    model = kt.load(ROOT / "examples" / "models" / "double_pendulum.yaml")
    return kt.derive(model, "mass_bias")


@pytest.mark.parametrize("name", [*CASES, "strange"])
def test_latex_is_balanced(name: str) -> None:
    text = latex(strange() if name == "strange" else case(name).program)
    bare = re.sub(r"\\[\\{}%]", "", text)
    depth = np.cumsum([(c == "{") - (c == "}") for c in bare])
    assert depth.min() >= 0
    assert depth[-1] == 0
    assert bare.count("%") == 1
    assert text.count(r"\left(") == text.count(r"\right)")
    assert text.isascii()
    stack: list[str] = []
    for kind, environment in re.findall(r"\\(begin|end)\{([a-z*]+)\}", text):
        if kind == "begin":
            stack.append(environment)
        else:
            assert stack.pop() == environment
    assert not stack


@pytest.mark.parametrize("name", [*CASES, "strange"])
def test_pages_are_well_formed_complete_and_alone(name: str) -> None:
    program = strange() if name == "strange" else case(name).program
    found, text = page(program)
    assert not found.open
    assert len(found.ids) == len(set(found.ids))
    assert found.links <= {f"#{place}" for place in found.ids}
    assert found.named <= found.defined
    assert not found.sources
    assert not re.search(r"https?://|@import|url\(", text)
    wanted = [t.name for block in (*program.preamble, *program.blocks) for t in block.targets]
    assert all(target in found.shown for target in wanted)


def test_strange_words_are_taken_literally() -> None:
    assert words("50% #1_a & {b}") == r"50\% \#1\_a \& \{b\}"
    assert words("é\\^") == r"\'{e}\textbackslash{}\textasciicircum{}"
    found, text = page(strange())
    assert "rod #1 & <b>" in found.shown
    assert "<b>, " not in text
    assert "two\n" not in latex(strange())


def test_names_become_symbols() -> None:
    assert symbol_of("qdd_elbow") == Symbol("q", 2, ("elbow",))
    assert symbol_of("qdd_3", rate=False) == Symbol("qdd", 0, ("3",))
    assert symbol_of("a12_x") == Symbol("a", 0, ("12", "x"))
    assert symbol_of("guide_link.mass") == Symbol("m", 0, ("guide_link",))
    assert symbol_of("rod.inertia_xy") == Symbol("I", 0, ("rod", "xy"))
    assert symbol_of("rod.tip_end_z") == Symbol("r", 0, ("rod.tip_end", "z"))
    assert symbol_of("strut.preload") == Symbol("preload", 0, ("strut",))
    assert symbol_of("lam_1") == Symbol("lambda", 0, ("1",))
    text = latex(strange())
    assert r"\text{\ttfamily a.1}" in text, "a_1 and a.1 would look the same"


def test_only_what_is_a_rate_has_dots() -> None:
    forward = case("pendulum_forward").program
    first = forward.output("qdd").nodes[0]
    assert r"\ddot{q}_{1} &= " in latex(forward)
    turned = replace(forward, outputs=(Output("qdd", (1,), (-first,)),))
    assert r"\mathrm{qdd}_{1} &= " in latex(turned)
    assert r"\ddot{q}_{1}" not in latex(turned)


def test_equations_stand_under_their_body_with_their_note(pendulum: Program) -> None:
    text = latex(pendulum)
    lower = text.split(r"\section{Equations}")[1].split(r"\subsection*{Body lower}")[1]
    assert r"\emph{acceleration of the origin, in link, [m/s2], LuhWalkerPaul1980 eq. (3)}" in lower
    assert r"\cos(q_{\mathrm{elbow}})" in text
    assert r"\dot{q}_{\mathrm{shoulder}}^{2}" in text
    numbers = [int(n) for n in re.findall(r"\\tag\{(\d+)\}", text)]
    assert len(numbers) == len(set(numbers))
    assert len(numbers) == len(pendulum.preamble) + len(pendulum.blocks) - 4


def test_mass_matrix_in_full(pendulum: Program) -> None:
    text = latex(pendulum, full=True)
    matrix = text.split(r"M = \begin{pmatrix}")[1].split(r"\end{pmatrix}")[0]
    (first, second), (third, last) = (row.split(" & ") for row in matrix.split(r"\\"))
    assert second.strip() == third.strip()
    assert r"\cos\left(q_{\mathrm{elbow}}\right)" in first
    assert last.strip() == r"\tfrac{1}{3} \, m_{2} \, L_{2}^{2}"
    values = {"q": [0.3, -0.8], "qd": [1.1, 0.4]}
    wanted = pendulum.evaluate(**values)
    default = pendulum.input("p").default
    assert default is not None
    numbers = dict(zip(pendulum.input("p").symbols, default, strict=True))
    for key, row in values.items():
        numbers |= dict(zip(pendulum.input(key).symbols, row, strict=True))
    for name, nodes in in_full(pendulum).outputs.items():
        found = np.array(en.evaluate(nodes, numbers), dtype=float)
        np.testing.assert_allclose(found, wanted[name].ravel(), rtol=IDENTITY)


def test_a_wide_matrix_is_written_entry_by_entry_and_long_sums_in_lines() -> None:
    symbols = [en.symbol(f"length_of_{i}") for i in range(12)]
    wide = en.add(*symbols)
    out = Output("M", (2, 2), (wide, en.ZERO, wide, symbols[0]))
    text = latex(Program("wide", (Input("q", (12,), tuple(symbols)),), (), (), (out,)))
    assert "M_{1,1} & 0" in text
    assert "that are not listed are zero" in text
    assert "M_{2,1} &= M_{1,1}" in text
    assert text.count(r"&\quad  + ") >= 1


def test_a_long_term_that_cannot_be_broken_is_written_in_smaller_letters() -> None:
    q = tuple(en.symbol(f"some_name_{k}", en.Rank.COORDINATE) for k in range(6))
    wide = en.atan(en.add(*(1.2345678 * en.atan(2.345678 * x) for x in q)))
    text = latex(Program("wide", (Input("q", (6,), q),), (), (), (Output("y", (), (wide,)),)))
    assert re.search(r"\\text\{\\(small|footnotesize|scriptsize|tiny)\$.*\$\}", text)


@pytest.mark.parametrize("name", ["slider_crank", "four_bar"])
def test_closed_mechanisms_in_full_are_the_same_equations(name: str) -> None:
    model = kt.load(ROOT / "examples" / "models" / f"{name}.yaml")
    program = kt.derive(model, "forward")
    found = in_full(program)
    outputs = tuple(replace(out, nodes=found.outputs[out.name]) for out in program.outputs)
    full = replace(program, preamble=(), blocks=found.kept, outputs=outputs)
    values = {"q": kt.assemble(model).q, "qd": [0.3] * 3, "tau": [0.1] * 3}
    wanted = program.evaluate(**values)
    for key, value in full.evaluate(**values).items():
        np.testing.assert_allclose(value, wanted[key], rtol=IDENTITY, atol=IDENTITY)
    text = latex(program, full=True)
    assert r"\mathrm{Mr}_{1,1} &= " in text
    assert "Newton: find" not in text


def test_loops_in_full_are_their_equations() -> None:
    program = kt.derive(kt.load(ROOT / "examples" / "models" / "four_bar.yaml"), "forward")
    (loop,) = (block for block in in_full(program).kept if isinstance(block, Newton))
    names = {symbol.name for symbol in en.symbols(residuals(loop))}
    assert names == {"a", "b", "c", "base", "q_crank", "q_coupler", "q_rocker"}
    text = latex(program, full=True)
    assert r"0 &= a \, \cos\left(q_{\mathrm{crank}}\right) - \mathrm{base}" in text


def test_landmarks_are_steps_that_formalisms_write() -> None:
    driven = kt.load(ROOT / "examples" / "models" / "four_bar.yaml")
    driven.drive("crank", lambda t: 2 * t)
    programs = [case("four_bar").program, kt.derive(driven, "forward"), stewart()]
    assert {block.note.step for program in programs for block in program.all_blocks} >= LANDMARKS


def test_what_is_too_long_in_full_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="operators when names are written out"):
        latex(stewart(), full=True)


def test_loops_are_written_as_iterations() -> None:
    text = latex(case("four_bar").program)
    inner = text.split(r"\begin{quote}")[1].split(r"\end{quote}")[0]
    assert "Newton: find" in text
    assert r"\begin{align*}" in inner
    assert r"Solve $\mathbf{A} \, \mathbf{x} = \mathbf{b}$" in text


@pytest.mark.parametrize("full", [False, True])
def test_latex_compiles(full: bool, pendulum: Program, tmp_path: Path) -> None:
    command = tool("pdflatex", "texlive-latex-base")
    paths = [*pendulum.write("latex", tmp_path, full=full), *strange().write("latex", tmp_path)]
    for path in paths:
        done = subprocess.run(
            [command, "-interaction=nonstopmode", "-halt-on-error", path.name],
            cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:]
