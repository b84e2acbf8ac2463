"""Templates: text in which words stand for what is filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping


def fill(template: str, words: Mapping[str, str]) -> str:
    """A template with all its words replaced at once: what is filled in may look like a word."""
    longest_first = sorted(words, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return pattern.sub(lambda word: words[word[0]], template)
