"""The table of analyses: forms, interface and documentation come from it.

An analysis is a verb of the command line with --json, or a study of `studies`, so that the studio
shows what everybody gets.  A new one is a row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from kinetree.arguments import check_choice
from kinetree.errors import FormatError
from kinetree.studio.messages import AnalysisMessage
from kinetree.studio.runs import options as o
from kinetree.studio.runs.worker import PROGRESS

VERB, STUDY = "kinetree.cli", "kinetree.studio.runs.studies"
"""Modules that make analyses."""
LISTS = ("q", "qd", "x", "tau", "set", "lock", "free", "independent", "output", "input", "actuator",
         "joint", "by", "friction", "bodies", "position", "speed", "acceleration", "effort",
         "locked", "weight", "bound", "point", "deviation")  # fmt: skip
"""Options of verbs that are several words, between commas."""
APART = ("stop", "clearance")
"""Those whose words have commas in them, between semicolons."""
KEPT = ("duration", "run", "target", "measures", "over", "objective")
"""Options that are kept with a run even where they are the usual ones."""


@dataclass(frozen=True)
class Analysis:
    """A row of the table.

    Attributes:
        name: its verb or study.
        text: what it finds.
        options: that it takes.
        shown: "run" for curves and motion, "curves" for curves alone, "table" for rows of what it
            says, "archive" for files, "film" for one that moves.
        needs_run: whether the run of another number is given to it.
        module: that makes it.
        tells: whether it says how far it is; a simulation is as far as what it has written.
    """

    name: str
    text: str
    options: type[o.AnalysisOptions]
    shown: Literal["run", "curves", "table", "archive", "film"]
    needs_run: bool = False
    module: str = VERB
    tells: bool = True

    def message(self) -> AnalysisMessage:
        """As it is told."""
        return AnalysisMessage(
            name=self.name, text=self.text, shown=self.shown, needs_run=self.needs_run,
            options=self.options.model_json_schema(),
        )  # fmt: skip


ANALYSES = {
    row.name: row
    for row in (
        Analysis("simulate", "motion from a start", o.SimulateOptions, "run",
            tells=False),
        Analysis("kinematics", "motion that drives give", o.KinematicsOptions, "run"),
        Analysis("equilibrium", "a state of rest near the start", o.RestOptions, "table"),
        Analysis("linearise", "linear model of small motions", o.LineariseOptions, "table"),
        Analysis("modes", "frequencies, damping and shapes of small motions", o.StateOptions,
            "table"),
        Analysis("partition", "independent and dependent coordinates", o.PartitionOptions,
            "table", tells=False),
        Analysis("inverse", "efforts that the motion of a run needs", o.InverseOptions, "curves",
            needs_run=True),
        Analysis("reactions", "what joints and closures transmit along a run", o.ReactionOptions,
            "curves", needs_run=True),
        Analysis("outputs", "outputs along a run", o.OutputOptions, "curves", needs_run=True),
        Analysis("sensitivity", "derivatives of measures of a run", o.SensitivityOptions, "table",
            module=STUDY),
        Analysis("sweep", "measures of many variants", o.SweepOptions, "table", module=STUDY),
        Analysis("optimise", "values for which a measure is least", o.OptimiseOptions, "table",
            module=STUDY),
        Analysis("excite", "a motion that tells parameters best, within limits", o.ExciteOptions,
            "run"),
        Analysis("identify", "masses, inertias and friction from a recording", o.IdentifyOptions,
            "table", needs_run=True, module=STUDY),
        Analysis("film", "pictures of the motion of a run as a file", o.FilmOptions, "film",
            needs_run=True, module=STUDY),
        Analysis("generate", "equations in a language, an FMU or a C package", o.GenerateOptions,
            "archive", tells=False),
    )
}  # fmt: skip
"""All analyses by name."""


def options_of(analysis: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an analysis, checked; those that were not given are left out.

    Raises:
        KinetreeError: for an unknown analysis, or an option that it does not take so.
    """
    check_choice("studio", analysis, ANALYSES, "analysis")
    try:
        made = ANALYSES[analysis].options.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in found["loc"])
        raise FormatError(
            found["msg"].lower(), element=f"{analysis} {where}".strip(), cure="see the form"
        ) from None
    kept = {name: getattr(made, name) for name in KEPT if hasattr(made, name)}
    return made.model_dump(exclude_defaults=True) | kept


def words(analysis: str, options: Mapping[str, Any], run: str = "") -> list[str]:
    """The module that makes an analysis of a model file model.yaml, and its words.

    Args:
        analysis: a row of the table.
        options: as `options_of` gave them.
        run: file of the run that it looks at, where it needs one.
    """
    row = ANALYSES[analysis]
    if row.module == STUDY:
        return [STUDY, analysis, json.dumps(dict(options)), run]
    line = [VERB, analysis, "model.yaml", *([run] if row.needs_run else ())]
    for name, value in options.items():
        flag = name.replace("_", "-")
        if name in (*LISTS, *APART):
            listed = [word.strip() for word in str(value).split(";" if name in APART else ",")]
            line += [f"--{flag}={word}" for word in listed if word]
        elif value is True:
            line.append(f"--{flag}")
        elif name != "run" and value is not None and value is not False:  # 0 is a value
            line.append(f"--{flag}={value}")
    if row.tells:
        line.append(f"--progress={PROGRESS}")
    return [*line, "--json", *OUT[row.shown]]


OUT = {"run": ["-o", "run.nc"], "curves": ["-o", "run.nc"], "archive": ["-o", "code"], "table": []}
"""Where an analysis writes what it finds, by how that is shown."""
