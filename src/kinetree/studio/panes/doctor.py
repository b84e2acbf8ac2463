"""How the loops of a model stand, and where its bodies are, quickly again after a changed number.

Equations of loops and places are derived once per structure: names, kinds, axes, laws, and which
numbers are 0 or 1.  All other lengths are run-time parameters of them, so that a changed number is
only evaluated; native code is made beside, and used once it is there.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly.loops import Loops, loops
from kinetree.assembly.overrides import with_values
from kinetree.assembly.partition import Partition, partition_at
from kinetree.engine import text as node_text
from kinetree.errors import AssemblyError, KinetreeError
from kinetree.model import Mechanism, Model, ParameterTable, parameter_table, to_data
from kinetree.program import Program
from kinetree.targets.kept import DerivedProgram
from kinetree.targets.native.function import Function
from kinetree.view.poses import pose_program, program_poses

LATER = 0.5
"""Before native code is made, which would hold up the first answers about a structure [s]."""
SOON = 0.05
"""Deriving that nobody notices [s]."""
MOST_STRUCTURES = 8
"""Structures whose equations are kept."""
GEOMETRY = ("joints", "closures", "drives", "tables")
"""Sections of a model file on which places of bodies depend, beside points."""
DATA_ONLY = ("initial", "limits", "damping", "friction", "armature")
"""Fields of joints that change no place."""


class StructureEquations:
    """Equations of one structure.

    Attributes:
        system: loops with the values that they were derived for; None without closures.
        places: gives position and rotation of every body.
        time: that deriving them took [s].
    """

    def __init__(self, model: Model) -> None:
        began = time.perf_counter()
        self.system = loops(model) if model.closures or model.drives else None
        self.places = pose_program(model, folded=False)
        self.time = time.perf_counter() - began
        self._functions: dict[str, Function] = {}
        self._begun = threading.Lock()

    @property
    def is_of_one_model(self) -> bool:
        """Whether equations that always hold were left out, which other values may open."""
        return self.system is not None and bool(self.system.dropped)

    def loops_of(self, model: Model, values: Mapping[str, float]) -> Loops | None:
        """The loops with the values of another model of this structure."""
        if self.system is None:
            return None
        system = replace(self.system, model=model, native=self._functions.get("loops"))
        return system.at(_values_of(self.system.written, values))

    def places_at(self, model: Model, values: Mapping[str, float], q: Array) -> Array:
        """Quaternion and position of every body: frames × bodies × 7."""
        native, known = self._functions.get("places"), _values_of(self.places, values)
        program: Program | Function = with_values(self.places, known)
        if native is not None:
            program = native.with_values(known)
        return program_poses(list(model.bodies), program, q)

    def compile(self) -> None:
        """Make native code, once, beside what asks for it, and after that is answered."""
        if not self.is_of_one_model and self._begun.acquire(blocking=False):
            later = threading.Timer(LATER, self._compile)
            later.daemon = True
            later.start()

    def _compile(self) -> None:
        programs = {"places": self.places}
        if self.system is not None:
            programs["loops"] = self.system.program
        for name, program in programs.items():
            self._functions[name] = DerivedProgram.of(program).quick_function


@dataclass(frozen=True)
class LoopReport:
    """How a model stands.

    Attributes:
        partition: of its coordinates; None without closures.
        q: coordinates at which its loops are closed, or nearest to that.
        poses: quaternion w, x, y, z and position [m] of every body there.
        problem: why its loops are not closed.
    """

    partition: Partition | None
    q: Array
    poses: Array
    problem: KinetreeError | None = None


@dataclass(frozen=True)
class PosedModel:
    """A model with the equations of its structure.

    Attributes:
        model: the mechanism.
        values: of its parameters.
        equations: of its structure.
        system: its loops; None where it has neither closures nor drives.
        lock: held while loops are evaluated.
    """

    model: Model
    values: Mapping[str, float]
    equations: StructureEquations
    system: Loops | None
    lock: threading.Lock

    def places(self, q: Array) -> Array:
        """Quaternion and position of every body: bodies × 7, or frames × bodies × 7 for many q."""
        with self.lock:
            found = self.equations.places_at(self.model, self.values, np.atleast_2d(q))
        return found[0] if q.ndim == 1 else found


@dataclass(frozen=True)
class ModelForm:
    """What equations of a model depend on, and what they are evaluated with.

    Attributes:
        structure: names, kinds, axes, laws, and which numbers are 0 or 1.
        values: of its parameters.
    """

    structure: str
    values: Mapping[str, float]


def form_of(model: Model) -> ModelForm:
    """The form of a model."""
    table = parameter_table(model)
    values = dict(zip(table.names, table.defaults, strict=True))
    return ModelForm(structure(model, table), values)


class LoopDoctor:
    """Looks at one model after the other; equations of the last structures are kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, StructureEquations] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, form: ModelForm) -> bool:
        """Whether a model is only evaluated, or its equations are soon there."""
        found = self._kept.get(form.structure)
        return found is not None and (not found.is_of_one_model or found.time < SOON)

    def report(self, model: Model, form: ModelForm | None = None) -> LoopReport:
        """How a model stands.

        Args:
            model: the mechanism.
            form: of it, where it is known already.
        """
        posing = self.posing(model, form)
        found: Partition | None = None
        problem: KinetreeError | None = None
        q = np.asarray(model.initial(), dtype=float)
        try:
            with posing.lock:
                if posing.system is not None:
                    found = partition_at(posing.system, None, None, 0.0)
                    q = found.q
        except KinetreeError as error:
            problem = error
            if isinstance(error, AssemblyError) and error.nearest is not None:
                q = np.asarray(error.nearest, dtype=float)
        return LoopReport(found if model.closures else None, q, posing.places(q), problem)

    def posing(self, model: Model, form: ModelForm | None = None) -> PosedModel:
        """A model whose loops and places can be evaluated."""
        form = form or form_of(model)
        with self._lock:
            equations = self._equations(model, form.structure)
            system = equations.loops_of(model, form.values)
        equations.compile()
        return PosedModel(model, form.values, equations, system, self._lock)

    def _equations(self, model: Model, key: str) -> StructureEquations:
        found = self._kept.get(key)
        if found is None or found.is_of_one_model:
            found = StructureEquations(model)
        self._kept[key] = found
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_STRUCTURES:
            self._kept.popitem(last=False)
        return found


def structure(model: Mechanism, table: ParameterTable) -> str:
    """What the equations of loops and places depend on, but for the values of parameters."""
    data = to_data(model)
    rows = {section: data.get(section, {}) for section in GEOMETRY}
    scalars = {name: node_text(node) for name, node in table.nodes.items()}
    kept = {
        "joints": {n: _without(row, (*DATA_ONLY, "pitch")) for n, row in rows["joints"].items()},
        "closures": {n: _without(row, _scalars(scalars, n)) for n, row in rows["closures"].items()},
        "drives": rows["drives"],
        "tables": rows["tables"],
        "frames": [[p.path, p.rotation] for b in model.bodies.values() for p in b.points.values()],
        "ground": [[p.path, p.rotation] for p in model.ground.points.values()],
        "scalars": scalars,
        "bodies": list(model.bodies),
        "parameters": table.names,
    }
    return json.dumps(kept)


def _scalars(scalars: Mapping[str, str], element: str) -> list[str]:
    """Names of the scalars of an element."""
    stem = f"{element}."
    return [name[len(stem) :] for name in scalars if name.startswith(stem)]


def _without(row: Any, names: Any) -> Any:
    if not isinstance(row, dict):
        return row
    return {name: value for name, value in row.items() if name not in names}


def _values_of(program: Program, values: Mapping[str, float]) -> dict[str, float]:
    """Those of the values that a Program speaks of."""
    labels = {label for row in program.inputs if row.name == "p" for label in row.labels}
    return {name: value for name, value in values.items() if name in labels}
