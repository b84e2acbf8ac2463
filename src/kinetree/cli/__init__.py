"""The command line: parses, calls, prints; what a verb needs is loaded when it runs.

A mistake in a model is one sentence on standard error (with ``--json`` an object with the key
``error`` on standard output) and exit code 1; a mistake in the command itself gives exit code 2.
One file per group of verbs; importing it adds them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kinetree.cli import (
    analyses,
    best_values,
    certificate,
    efforts,
    equations,
    machines,
    material,
    models,
    studio,
    sweeps,
    view,
)
from kinetree.cli.common import app
from kinetree.cli.material import bibliography
from kinetree.errors import KinetreeError
from kinetree.printing import os_sentence, print_json, say

GROUPS = (
    models,
    analyses,
    best_values,
    machines,
    sweeps,
    efforts,
    view,
    studio,
    equations,
    certificate,
    material,
)
"""The files of verbs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a mistake of the user ends as one sentence, never as a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(given)
    except (KinetreeError, OSError) as error:
        said = str(error) if isinstance(error, KinetreeError) else os_sentence(error)
        if "--json" in given:
            print_json({"error": said})
        else:
            say(f"error: {said}", error=True)
        sys.exit(1)


__all__ = ["GROUPS", "app", "bibliography", "main"]
