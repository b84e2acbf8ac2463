"""Sentences of Python and of the command line in words of forms.

Analyses speak of keywords (`loops=`), functions (`kt.inverse(model, run)`) and options (`--lock`);
who sits before a form reads of its fields, and of analyses by their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

FIELDS = {
    "actuators": "actuator", "bounds": "bound", "deviations": "deviation", "inputs": "input",
    "joints": "joint", "points": "point", "limits": "bound", "locked": "lock", "outputs": "output",
    "parameters": "set", "weights": "weight",
}  # fmt: skip
"""Keywords of Python -> fields that are called otherwise."""
PHRASES = (
    (r"find one with equilibrium\(model\) and pass it as at=", "tick equilibrium in the form"),
    (r"lock it by locked=", "name it in 'lock'"),
    (r"see kt\.\w+", "see the page of measures"),
    (r"found\[\"shape\"\]\.sel\(mode=1\)", "the shape of a mode"),
    (r"lowest or None, highest or None", "lowest, highest"),
    (r"pip install '?kinetree\[(\w+)\]'?", r"install the extra \1 of kinetree, and start again"),
    (r"install kinetree\[(\w+)\]", r"install the extra \1 of kinetree, and start again"),
    (r"\bor kinetree\[(\w+)\]", r"or the extra \1 of kinetree"),
    (r"kt\.optimise with kt\.misfit", "a script that makes their misfit least"),
    (r"kt\.misfit\(…\)", "a misfit in a script"),
    (r"kt\.sobol\(.*\)", "name=lowest:highest, …"),
    (r"`condition` of kt\.identify", "the condition that identify tells"),
    (r"with model\.drive\b", "by a drive"),
    (r"(?:in )?the law of a sampled value, model\.sample", "in the law of a sampled value"),
    (r" through model\.point\b", ""),
    (r"(?:by |with )?\bmodel\.\w+(?:\([^)]*\))?", "by a row of the file"),
    (r"\{?[\"']?\bend[\"']?: kt\.(\w+)\(\"([\w.]+)\"\)\}?", r"end=\1(\2)"),
    (r"kt\.(\w+)\(\"([\w.]+)\"\)", r"\1(\2)"),
    (r"kt\.(\w+)\(…\)", r"\1(…)"),
    (r"kt\.(\w+)(?:\([^)]*\))?", r"the analysis \1"),
)
"""What is said in words that no rule finds."""
VALUE = r"['\"]?([\w.…]+)['\"]?"
RULES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)", lambda m: f"'{_field(m[1].replace('-', '_'))}'"),
    (rf"\b([a-z_]\w*)=\{{{VALUE}: ?{VALUE}\}}", lambda m: f"{_field(m[1])}: {m[2]}={m[3]}"),
    (r"\bgive ([a-z_]\w*)=True\b", lambda m: f"tick '{_field(m[1])}'"),
    (r"\b([a-z_]\w*)=(['\"])([^'\"]*)\2", lambda m: f"{_field(m[1])} '{m[3]}'"),
    (r"\b(order|equations)=(\w+)", lambda m: f"{m[1]} {m[2]}"),
    (r"\b([a-z_]\w*)=(?:[\[{]?…[\]}]?|\{[^{}]*\})", lambda m: f"'{_field(m[1])}'"),
    (r"\b([a-z_]\w*)=(?=[\s,;:.)?!]|$)", lambda m: f"'{_field(m[1])}'"),
    (r'"([\w.]+)"', lambda m: f"'{m[1]}'"),
)
"""How keywords and options are said."""


@cache
def for_forms(sentence: str) -> str:
    """A sentence in words of forms."""
    for pattern, words in PHRASES:
        sentence = re.sub(pattern, words, sentence)
    if "=" in sentence or "--" in sentence:
        for rule, said in RULES:
            sentence = re.sub(rule, said, sentence)
    return sentence


def _field(keyword: str) -> str:
    """The field of a form for a keyword."""
    return FIELDS.get(keyword, keyword)
