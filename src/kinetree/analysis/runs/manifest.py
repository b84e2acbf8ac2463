"""The manifest: rows that say which program made a result from which model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program import Program


UNFINISHED = "unfinished"
"""Termination of a run in a file that is being written, or whose program was killed."""


@cache
def _version() -> str:
    return version("kinetree")


def manifest(model: Mechanism, program: Program) -> dict[str, Any]:
    """Version, model, hash, and how its equations were derived."""
    off = [f"{section}.{name}" for section, rows in model.switched_off.items() for name in rows]
    info = {
        name: program.info[name] for name in ("formalism", "formulation") if name in program.info
    }
    return {
        "kinetree_version": _version(),
        "model": model.name,
        "model_hash": model.content_hash(),
        **({"switched_off": ", ".join(off)} if off else {}),
        **info,
    }


def changes(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Row of the values that differ from the model's, as JSON; no row where none does."""
    plain = {name: np.asarray(value, dtype=float).tolist() for name, value in parameters.items()}
    return {"parameters": json.dumps(plain)} if plain else {}


def parameters_of(run: Any) -> dict[str, Any]:
    """The values by name with which a run was made, where they differ from the model's."""
    found: dict[str, Any] = json.loads(getattr(run, "attrs", {}).get("parameters", "{}"))
    return found
