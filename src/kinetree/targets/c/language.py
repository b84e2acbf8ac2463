"""C: spellings, in double or single precision."""

from __future__ import annotations

from kinetree.errors import unknown
from kinetree.targets.text.c.family import CFamily

MACHINES = """\
/* GCC on Linux compiles the functions marked KT_MACHINES for three generations of x86-64 and takes
 * the right one when the program starts; -DKT_ONE_MACHINE leaves that out.  Scalars that lie side
 * by side are not packed into vectors, which costs more than it saves here. */
#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 12 && defined __OPTIMIZE__ \\
    && !defined KT_ONE_MACHINE
#pragma GCC optimize ("no-tree-slp-vectorize")
#if defined __x86_64__ && defined __ELF__ && defined __GLIBC__ && !defined __FMA__ \\
    && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define KT_MACHINES \\
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#endif
#ifndef KT_MACHINES
#define KT_MACHINES
#endif
"""
"""Stands after the headers: the level without fused a + b*c takes 1.8 times as long."""
MARK = "KT_MACHINES\n"
DOUBLE = CFamily(turns=True, machines=MARK)
SINGLE = CFamily(machines=MARK, real="float", literal="%sf", suffix="f", nan='nanf("")', least=1e-5)
PRECISIONS = {"double": DOUBLE, "single": SINGLE}


def language(precision: str) -> CFamily:
    """C in a precision, by its name."""
    if precision not in PRECISIONS:
        raise unknown("precision", precision, PRECISIONS)
    return PRECISIONS[precision]
