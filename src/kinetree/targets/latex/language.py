"""LaTeX: words, symbols and the width that a formula takes, roughly."""

from __future__ import annotations

import re
import unicodedata

from kinetree.plain import plain
from kinetree.targets.text.readable.symbols import GREEK, Symbol

SPECIAL = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\(<\)", ">": r"\(>\)", "|": r"\(|\)", '"': "''",
    "ᵀ": r"\(^{\mathsf T}\)", "⁻": r"\(^{-}\)", "¹": r"\(^1\)", "²": r"\(^2\)", "³": r"\(^3\)",
    "·": r"\(\cdot\)", "×": r"\(\times\)", "−": r"\(-\)", "–": "--", "—": "---", "…": r"\ldots{}",
    "°": r"\(^\circ\)", "≤": r"\(\le\)", "≥": r"\(\ge\)", "→": r"\(\to\)", "±": r"\(\pm\)",
    **{f: rf"\{f}" for f in "#$%&_{}"},
    **{letter: rf"\(\{name}\)" for name, letter in GREEK.items()},
}  # fmt: skip
"""Characters that LaTeX takes for something else, or that its fonts lack."""
ACCENTS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=",
    "\u0306": r"\u", "\u0307": r"\.", "\u0308": r'\"', "\u030a": r"\r", "\u030b": r"\H",
    "\u030c": r"\v", "\u0327": r"\c",
}  # fmt: skip
"""Marks over and under letters."""
LETTERS = {"ß": r"\ss{}", "ø": r"\o{}", "Ø": r"\O{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ł": r"\l{}"}
"""Letters that are no composition of a letter and a mark."""


def words(text: str) -> str:
    """Text for people with LaTeX's own characters taken literally."""
    return "".join(map(_character, plain(text)))


def _character(c: str) -> str:
    if c in SPECIAL or c in LETTERS:
        return SPECIAL.get(c) or LETTERS[c]
    if c.isascii():
        return c
    base, *marks = list(unicodedata.normalize("NFD", c))
    if len(marks) == 1 and base.isascii() and marks[0] in ACCENTS:
        return f"{ACCENTS[marks[0]]}{{{base}}}"
    return rf"\texttt{{U+{ord(c):04X}}}"


def spell(symbol: Symbol) -> str:
    """A symbol as LaTeX mathematics."""
    if symbol.literal:
        return rf"\text{{\ttfamily {words(symbol.base)}}}"
    base = rf"\{symbol.base}" if symbol.base in GREEK else _word(symbol.base)
    if symbol.dots:
        base = rf"\{'d' * symbol.dots}ot{{{base}}}"
    indices = ",".join(_word(word) for word in symbol.indices)
    return f"{base}_{{{indices}}}" if indices else base


def _word(word: str) -> str:
    if len(word) == 1 and word.isascii() and word.isalnum():
        return word
    if word in GREEK:
        return rf"\{word}"
    if word.isascii() and word.isalnum():
        return word if word.isdigit() else rf"\mathrm{{{word}}}"
    return rf"\text{{{words(word)}}}"


def width(formula: str) -> float:
    """Letters that a formula is wide; those of indices count for less."""
    flat = re.sub(r"\\,|\\(mathrm|text|ttfamily|left|right|d?dot|operatorname)\b", "", formula)
    flat = re.sub(r"\\(sin|cos|tan)\b", "sin", flat)
    flat = re.sub(r"\\tfrac\{\d+\}", "", flat)
    flat = re.sub(r"\\[A-Za-z]+", "x", flat)
    inner = sum(len(found) for found in re.findall(r"_\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", flat))
    signs = len(re.findall(r" [-+] ", flat))
    return len(re.sub(r"[\\{}_^ ]", "", flat)) + signs - 0.3 * inner
