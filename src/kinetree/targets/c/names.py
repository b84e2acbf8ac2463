"""Names of a Program as C identifiers: the same everywhere, none that C already uses.

What is no letter, digit or underscore becomes an underscore, a leading digit gets `v` before it, a
keyword or a name of math.h gets an underscore behind it, and a name that is taken gets _2, _3, …
"""

from __future__ import annotations

import re

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while alignas alignof bool constexpr false nullptr static_assert thread_local true
typeof asm and bitand bitor catch class compl delete explicit export friend mutable namespace new
not operator or private protected public template this throw try typename using virtual xor main
"""
"""Words of C, and of C++, so that the header can be included there."""
MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2
expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb infinity isfinite isgreater
isinf isless isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint
lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln
scalbn signbit significand signgam sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
HUGE_VAL INFINITY NAN M_PI M_E
"""
RESERVED = frozenset(KEYWORDS.split()) | frozenset(MATH.split())


def identifier(name: str) -> str:
    """The C spelling of a name, before clashes with other names are looked at."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or "v"
    if plain[0].isdigit() or plain.startswith(("_", "kt_")):
        plain = f"v{plain}"
    return f"{plain}_" if plain in RESERVED else plain


class Names:
    """Identifiers of one scope, given out once each."""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self.taken = set(taken)

    def fresh(self, name: str) -> str:
        """An identifier like `name` that nothing else carries."""
        plain = identifier(name)
        candidate, number = plain, 1
        while candidate in self.taken:
            number += 1
            candidate = f"{plain}_{number}"
        self.taken.add(candidate)
        return candidate
