"""Names of a Program as identifiers: the same everywhere, none that the language already uses.

What is no letter, digit or underscore becomes an underscore; a leading digit, a leading underscore
and a leading `kt_` get `v` before them; a word of the language gets an underscore behind it; a name
that is too long is cut and ends in a digest of the whole; and a name that is taken gets _2, _3, …
Where a language does not tell upper from lower case, names that differ in nothing else count as the
same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kinetree.plain import shorten

ROOM = 28
"""Letters kept free in a name that is cut, for what tells it from others."""
LONGEST = 128
"""Letters of a name where the language sets no limit: file systems do, at 255."""
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
"""What Windows takes for a device, whatever the suffix and the case."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What an identifier of a language may be.

    Attributes:
        reserved: words that mean something already; in lower case where the case does not matter.
        folded: whether upper and lower case are the same.
        longest: letters at most.
    """

    reserved: frozenset[str] = frozenset()
    folded: bool = False
    longest: int = LONGEST

    def key(self, name: str) -> str:
        """What two names have in common that the language takes for one."""
        return name.lower() if self.folded else name

    def identifier(self, name: str) -> str:
        """The spelling of a name, before clashes with other names are looked at."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or "v"
        if plain[0].isdigit() or plain.startswith(("_", "kt_")):
            plain = f"v{plain}"
        plain = shorten(plain, self.longest - ROOM, name)
        return f"{plain}_" if self.key(plain) in self.reserved else plain

    def stem(self, name: str) -> str:
        """The spelling of a name that files are called by, too."""
        found = self.identifier(name)
        return f"{found}_" if found.lower() in DEVICES else found


class Names:
    """Identifiers of one scope, given out once each.

    Names that begin with `own` and an underscore belong to the functions and types of the file:
    others get `v` before them.
    """

    def __init__(self, rules: Rules, *taken: str, own: str = "") -> None:
        self.rules = rules
        self.own = rules.key(f"{own}_") if own else ""
        self.taken = {*rules.reserved, *(rules.key(name) for name in taken)}

    def fresh(self, name: str) -> str:
        """An identifier like `name` that nothing else carries."""
        plain = self.rules.identifier(name)
        if self.own and self.rules.key(plain).startswith(self.own):
            plain = f"v{plain}"
        candidate, number = plain, 1
        while self.rules.key(candidate) in self.taken:
            number += 1
            candidate = f"{plain}_{number}"
        self.taken.add(self.rules.key(candidate))
        return candidate
