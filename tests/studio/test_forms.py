"""Forms of analyses have the keywords of their functions; what one leaves out has a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import pytest
import typer

pytest.importorskip("starlette", reason="there is no starlette: pip install 'kinetree[studio]'")

import kinetree as kt
from kinetree.analysis import inverse
from kinetree.analysis.runs.dynamics import LOADED, OPTIONS
from kinetree.cli import app
from kinetree.errors import FormatError
from kinetree.studio.runs import studies
from kinetree.studio.runs.analyses import ANALYSES, VERB, options_of, words
from kinetree.studio.runs.wording import run_options_of

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(kt, name) for name in ANALYSES if hasattr(kt, name)
} | {"film": kt.animate, "generate": kt.derive}
RUNS = [name for name in signature(kt.sensitivity).parameters if name != "options"]
BEHIND: dict[str, tuple[str, ...]] = {
    "simulate": tuple(OPTIONS), "equilibrium": tuple(LOADED), "linearise": tuple(LOADED),
    "modes": tuple(LOADED), "inverse": (*inverse.CHOICES, *inverse.WAYS),
    "sweep": tuple(RUNS), "optimise": tuple(RUNS),
}  # fmt: skip
"""Keywords that go through **options."""
CALLED = {
    "set": "parameters", "output": "outputs", "input": "inputs", "lock": "locked",
    "actuator": "actuators", "weight": "weights", "bound": "bounds", "joint": "joints",
    "point": "points", "deviation": "deviations", "no_rest": "rest", "of": "quantity",
    "stop": "events", "mark_laws": "events",
}  # fmt: skip
"""Fields that have another name than the keyword."""
OWN = {
    **{(name, field): "at" for name in ("linearise", "modes")
       for field in ("equilibrium", "lock", "q", "qd")},
    ("simulate", "equilibrium"): "at", ("inverse", "run"): "trajectory",
    ("identify", "run"): "data", ("outputs", "output"): "names",
    ("sweep", "over"): "plan", ("sweep", "runs"): "plan",
    ("sweep", "seed"): "plan", ("film", "kind"): "path",
}  # fmt: skip
"""Fields that have another name in one form."""
EVERYWHERE = {
    "model": "it is the text that is open",
    "progress": "it is the bar beside the run",
    "t0": "runs begin at t = 0, or go on by the command line",
    "t": "a place is looked at at t = 0",
    "wrenches": "the text has them as elements, which can be given a constant value there",
    "formalism": "results do not depend on it",
    "base_parameters": "results do not depend on it",
    "partition": "independent= names the coordinates",
    "max_steps": "a run that goes on for ever is cancelled by hand",
    "file": "every run has one, which grows with it",
}
"""Keyword -> why no form has it."""
LEFT_OUT: dict[str, dict[str, str]] = {
    "simulate": {"continues": "runs begin anew here"},
    "equilibrium": {
        "at": "q and x say where it begins", "loops": "it has one way for them",
        "independent": "lock= names what keeps its value",
    },
    "linearise": {
        "loops": "it has one way for them", "tau": "an external load of the text is one",
        "independent": "partition shows those that are taken",
    },
    "modes": {
        "loops": "it has one way for them", "tau": "an external load of the text is one",
        "independent": "no frequency depends on them",
    },
    "partition": {"q": "it is that of the text", "parameters": "they are those of the text"},
    "reactions": {"parameters": "they are those of the run"},
    "sensitivity": {
        "matrices": "linearise shows A and B", "events": "those of the text take part",
        "max_step": "rtol and step say how fine it is", "memory": "workers have a limit of theirs",
    },
    "sweep": {
        "study": "the form is one", "into": "it is the folder of the run",
        "part": "it follows from the number of runs", "store": "the result is a table",
        "threads": "all cores share a run", "device": "a studio runs on the machine at hand",
        "workers": "a studio runs on the machine at hand",
        "by": "over= names it", "method": "no derivatives are made", "matrices": "likewise",
        "equations": "likewise", "order": "likewise", "along": "likewise", "memory": "likewise",
        "events": "those of the text take part", "max_step": "rtol and step say how fine it is",
    },
    "optimise": {
        "study": "the form is one", "cases": "one form is one case",
        "journal": "the best so far is kept with the run", "by": "over= names it",
        "measures": "objective= and subject_to= name them", "matrices": "none are looked at",
        "equations": "gradients= says how they are made", "order": "first derivatives do",
        "along": "likewise", "memory": "workers have a limit of theirs",
        "events": "those of the text take part", "max_step": "rtol and step say how fine it is",
    },
    "excite": {"smooth": "it makes the search smooth, not the motion better"},
    "identify": {
        "columns": "measured… names the columns of a table", "units": "the same",
        "instruments": "they are a second recording, and a form takes one", "carried": "the same",
        "volumes": "ellipsoids are given on the command line",
    },
    "film": {
        "modes": "the page shows them",
        "shapes": "those beside the text are drawn", "title": "a film has none",
        "live": "a film does not simulate",
    },
    "generate": {
        "points": "an FMU or package has them as outputs", "loops": "formalism= implies it",
        "known": "linearise has what this is for", "wanted": "the same", "vary": "parameters= does",
        "switches": "FMUs and packages have them by themselves",
    },
}  # fmt: skip
"""Analysis -> keyword -> why its form does not have it."""
NO_KEYWORDS = {
    "generate": {
        "target": "of Program.write", "by": "of Program.derivative", "fmi": "of kt.export_fmu",
        "output": "of kt.export_fmu", "input": "of kt.export_fmu", "step": "of kt.export_fmu",
    },
}  # fmt: skip
"""Analysis -> field -> whose keyword it is, where not of the function itself."""


COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def keywords(name: str) -> set[str]:
    rows = signature(FUNCTIONS[name]).parameters.values()
    own = {row.name for row in rows if row.kind is not Parameter.VAR_KEYWORD}
    return own | {*BEHIND.get(name, ())}


def fields(name: str) -> dict[str, str]:
    """Fields of a form -> keywords."""
    return {
        field: OWN.get((name, field), CALLED.get(field, field))
        for field in ANALYSES[name].options.model_fields
        if field not in NO_KEYWORDS.get(name, {})
    }


@pytest.mark.parametrize("name", ANALYSES)
def test_a_form_has_every_keyword_or_says_why_not(name: str) -> None:
    given, known, left = {*fields(name).values()}, keywords(name), LEFT_OUT.get(name, {})
    assert known - given - {*EVERYWHERE} - {*left} == set(), "give it a field, or a reason here"
    assert given - known == set(), "the function has no such keyword"
    assert {*left} & given == set(), "a reason for nothing"
    assert {*left} <= known, "a reason for what there is not"


@pytest.mark.parametrize("name", [n for n, row in ANALYSES.items() if row.module == VERB])
def test_a_verb_has_every_option_of_its_form(name: str) -> None:
    flags = {flag for row in COMMANDS[name].params for flag in row.opts}
    given = {f"--{field.replace('_', '-')}" for field in ANALYSES[name].options.model_fields}
    assert given - {"--run"} <= flags


def test_words_with_commas_are_apart_by_semicolons() -> None:
    line = words("simulate", {"stop": "t - 2; minimum(q_a, 1)"})
    assert [word for word in line if word.startswith("--stop")] == [
        "--stop=t - 2", "--stop=minimum(q_a, 1)",
    ]  # fmt: skip
    line = words("excite", {"clearance": "hand=0,0,1:0.1; tip=1,0,0:0.2", "no_rest": True})
    assert {"--clearance=hand=0,0,1:0.1", "--clearance=tip=1,0,0:0.2", "--no-rest"} <= {*line}


@pytest.mark.parametrize(("name", "given", "said"), [
    ("sensitivity", {"order": 3}, "sensitivity order: .*less than or equal to 2"),
    ("sensitivity", {"along": "a=1; b=2"}, "sensitivity along: .*should match"),
    ("identify", {"run": 1, "held_out": 1.0}, "identify held_out: .*less than 1"),
])  # fmt: skip
def test_what_a_form_cannot_mean_is_refused(name: str, given: dict[str, Any], said: str) -> None:
    needed = {"measures": "final(q_y)", "by": "c"} if name == "sensitivity" else {}
    with pytest.raises(FormatError, match=said):
        options_of(name, {**needed, **given})


def test_options_of_runs_are_those_of_python() -> None:
    given = {
        "q": "a=0.1, b=2", "tau": "a=3", "set": "k=5", "lock": "x, y", "integrator": "hht",
        "step": 0.01, "at": "equilibrium", "duration": 5.0,
    }  # fmt: skip
    assert run_options_of(given) == {
        "q": {"a": 0.1, "b": 2.0}, "tau": {"a": 3.0}, "parameters": {"k": 5.0},
        "locked": ["x", "y"], "integrator": "hht", "step": 0.01, "at": "equilibrium",
    }  # fmt: skip
    with pytest.raises(FormatError, match="qd: a value is not a number; write it as name=number"):
        run_options_of({"qd": "a=fast"})


OSCILLATOR = """kinetree: 1
name: oscillator
gravity: [0, 0, 0]
bodies:
  body: {mass: 1}
joints:
  y: {kind: prismatic, parent: ground, child: body, axis: x, initial: [0.1]}
forces:
  spring: {kind: joint_spring, joint: y, stiffness: 2, damping: 0.3}
"""
DERIVATIVES: dict[str, dict[str, Any]] = {
    "all": {"order": 2}, "along": {"order": 2, "along": "spring.damping=2"},
    "in steps": {"order": 2, "integrator": "trapezoidal", "step": 0.02},
    "at rest": {"at": "equilibrium", "measures": "f=frequency(1)"},
}  # fmt: skip


@pytest.mark.parametrize("case", DERIVATIVES)
def test_second_derivatives_are_shown(
    case: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.yaml").write_text(OSCILLATOR, encoding="utf-8")
    model, by = kt.load(tmp_path / "model.yaml"), ["spring.damping", "spring.stiffness"]
    asked = {"duration": 0.5, "measures": "end=final(q_y)", "by": ", ".join(by)}
    given = options_of("sensitivity", asked | DERIVATIVES[case])
    said = json.loads(json.dumps(studies.run_sensitivity(model, given, "")))
    if case == "at rest":
        found = kt.sensitivity(model, None, {"f": kt.frequency(1)}, by=by, at="equilibrium")
        assert said["measures"][0]["spring.stiffness"] == float(found.gradient[0, 1])
        assert {"name": "f", "unit": "Hz"} in said["units"]
        return
    more = {name: given[name] for name in ("integrator", "step") if name in given}
    along = {"spring.damping": 2.0} if case == "along" else None
    found = kt.sensitivity(
        model, 0.5, {"end": kt.final("q_y")}, by=by, order=2, along=along, **more
    )
    if case == "along":
        (row,) = said["second derivatives along the direction"]
        assert [row[name] for name in by] == found.hessian_product.values[0].tolist()
        return
    rows = said["second derivatives"]
    assert [row["by"] for row in rows] == by
    assert [[row[name] for name in by] for row in rows] == found.hessian.values[0].tolist()
