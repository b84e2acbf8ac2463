"""C around the Programs of a model: the system with its stepper, from templates in the folder `c`.

In a template KT_NAME stands for the model and KT_… for sizes, numbers and calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import wrap

import numpy as np

from kinetree.export.equations import ModelPrograms
from kinetree.targets.c.header import FIRST_LINE
from kinetree.targets.c.language import language
from kinetree.targets.c.source import files
from kinetree.targets.text.c.family import CFamily
from kinetree.targets.text.source import Source

TEMPLATES = Path(__file__).parent / "c"
WORD = re.compile(r"KT_NAME|KT_[A-Z_]+[A-Z]")
HAPPENINGS = "KT_HAPPENINGS"
"""Where a template has what happens in events."""
INPUTS = {"t": "t", "y": "y", "u": "s->now.u", "p": "s->now.p", "fired": "fired"}
"""How the functions of a system read the inputs of a Program."""
SINGLE = (
    (re.compile(r"\bdouble\b"), "float"),
    (re.compile(r"\b(\d+\.\d+(e-?\d+)?|\d+e-?\d+)\b"), r"\1f"),
    (re.compile(r"\b(fabs|ceil)\("), r"\1f("),
)
"""What becomes what in the templates of a system in single precision."""


@dataclass(frozen=True)
class PackageCode:
    """The C code of a model.

    Attributes:
        name: identifier that all names begin with.
        found: the equations.
        step: step of the fixed-step method [s].
        precision: "double" or "single".
        watches: whether steps are compared with shorter ones, now and then.
    """

    name: str
    found: ModelPrograms
    step: float
    precision: str = "double"
    watches: bool = False

    @property
    def language(self) -> CFamily:
        """Its spellings."""
        return language(self.precision)

    @cached_property
    def main(self) -> Source:
        """The functions of the equations."""
        return Source(self.found.main, self.language)

    @cached_property
    def projection(self) -> Source | None:
        """The functions of the projection."""
        if self.found.projection is None:
            return None
        return Source(self.found.projection, self.language)

    @cached_property
    def update(self) -> Source | None:
        """The functions of what events change."""
        return None if self.found.update is None else Source(self.found.update, self.language)

    @property
    def sources(self) -> list[Source]:
        """The functions that a system calls."""
        return [row for row in (self.main, self.projection, self.update) if row is not None]

    def files(self) -> dict[str, str]:
        """File name -> text: the functions of the Programs, and the system that calls them."""
        texts: dict[str, str] = {}
        for source in self.sources:
            texts |= files(source, self.language)
        texts[f"{self.name}_system.h"] = self.fill("system.h")
        texts[f"{self.name}_system.c"] = self.fill("system.c")
        return texts

    def fill(self, template: str, more: Mapping[str, str] | None = None) -> str:
        """A template with its words replaced, all at once: a model's name may look like one."""
        words = {"KT_NAME": self.name, **self._sizes(), **self._calls(), **self._happenings()}
        words |= more or {}
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        part = "no_happen.c" if self.update is None else "happen.c"
        text = text.replace(HAPPENINGS, (TEMPLATES / part).read_text(encoding="utf-8"))
        if self.precision == "single" and template.startswith("system"):
            for pattern, other in SINGLE:
                text = pattern.sub(other, text)
        text = WORD.sub(lambda word: words.get(word[0], word[0]), text)
        return f"{FIRST_LINE}\n{text}"

    def _sizes(self) -> dict[str, str]:
        counts = {
            "STATES": len(self.found.start),
            "INPUTS": len(self.found.labels("u")),
            "PARAMETERS": len(self.found.labels("p")),
            "OUTPUTS": len(self.found.labels("out")),
            "EVENTS": len(self.found.labels("g")),
            "CONDITIONS": len(self.found.conditions),
            "CLOCKS": len(self.found.clocks),
            "HAPPENINGS": len(self.found.happenings),
            "MOVING": len(self.found.moving),
            "MEMORIES": len(self.found.memories),
        }
        row = self.found.row("p")
        values = row.default if row is not None and row.default is not None else (0.0,)
        number = self.language.number
        words = {f"KT_{name}": str(count) for name, count in counts.items()}
        words |= {f"KT_ROOM_{name}": str(max(count, 1)) for name, count in counts.items()}
        return words | {
            "KT_PROJECTS": str(int(self.projection is not None)),
            "KT_WATCHES": str(int(self.watches)),
            "KT_REMEMBERED": list_numbers(self.found.memories or (0,), lambda k: str(int(k))),
            "KT_START_TIME": number(float(self.found.t0)),
            "KT_STEP": number(float(self.step)),
            "KT_START_STATES": list_numbers(self.found.start.tolist(), number),
            "KT_START_INPUTS": list_numbers(self.found.inputs or (0.0,), number),
            "KT_START_PARAMETERS": list_numbers(values, number),
            "KT_MOVERS": list_numbers(self.found.moving or (0,), lambda k: str(int(k))),
            "KT_REAL": self.language.real,
        }

    def _happenings(self) -> dict[str, str]:
        """Tables of the events: ways through zero, which ones end the motion, clocks."""
        found, number = self.found, self.language.number
        clocks = [row.event for row in found.clocks]
        begins = np.cumsum([0, *(len(clock.at) for clock in clocks)])
        rows: dict[str, list[float]] = {
            "WAYS": [row.watch.direction for row in found.conditions],
            "ENDS": [row.event.stops for row in found.happenings],
            "SETTLES": [row.settles for row in found.happenings],
            "OFFSETS": [clock.offset for clock in clocks],
            "PERIODS": [clock.every or 0.0 for clock in clocks],
            "TIMES": [t for clock in clocks for t in clock.at],
        }
        words = {f"KT_{name}": list_numbers(row or (0.0,), number) for name, row in rows.items()}
        words["KT_BEGINS"] = list_numbers(begins.tolist(), lambda k: str(int(k)))
        modes = [row.mode for row in found.conditions] or [-1]
        words["KT_MODES"] = list_numbers(modes, lambda k: str(int(k)))
        names = [self.language.string(row.watch.name) for row in found.happenings]
        words["KT_EVENT_NAMES"] = ", ".join(names) or '""'
        return words

    def _calls(self) -> dict[str, str]:
        main, projection, update = self.main, self.projection, self.update
        sources = [(main, "pre")]
        sources += [(projection, "pre_projection")] if projection else []
        sources += [(update, "pre_update")] if update else []
        kept = [(source, field) for source, field in sources if source.constants]
        results = {"yd": "yd", "out": "s->out", "g": "s->g"}
        words = {
            "KT_INCLUDES": "\n".join(f'#include "{source.name}.h"' for source, _ in sources),
            "KT_CONSTANTS": "".join(f"    {s.name}_constants {field};\n" for s, field in kept),
            "KT_PREPARE": "".join(
                f"    {s.name}_preamble(s->now.p, &s->{field});\n" for s, field in kept
            ),
            "KT_CALL_EQUATIONS": call(main, INPUTS, results, "&s->pre"),
        }
        if projection is not None:
            text = call(projection, INPUTS, {"y": "found"}, "&s->pre_projection")
            words["KT_CALL_PROJECTION"] = text
        if update is not None:
            words["KT_CALL_UPDATE"] = call(update, INPUTS, {"y": "found"}, "&s->pre_update")
        return words


def call(
    source: Source, inputs: Mapping[str, str], outputs: Mapping[str, str], pre: str = ""
) -> str:
    """The call of a Program's function; with `pre` the one that takes the preamble's results."""
    prepared = bool(pre and source.constants)
    signature = source.prepared_arguments if prepared else source.main
    spelt = {source.ins[name]: text for name, text in inputs.items() if name in source.ins}
    spelt |= {source.outs[name]: text for name, text in outputs.items() if name in source.outs}
    spelt["pre"] = pre
    name = f"{source.name}_prepared" if prepared else source.name
    return f"{name}({', '.join(spelt[argument.name] for argument in signature)})"


def list_numbers(values: Sequence[float], number: Callable[[float], str]) -> str:
    """Numbers as the content of an array, broken into lines; `number` spells one."""
    text = ", ".join(number(float(x)) for x in values)
    lines = wrap(text, 92, break_on_hyphens=False)
    return lines[0] if len(lines) == 1 else "\n    " + "\n    ".join(lines) + "\n"
