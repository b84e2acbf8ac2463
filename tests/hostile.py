"""Text that tries to be more than text, and Programs and models that carry it everywhere.

Whatever an attack achieves, it sets a canary: a file of that name in the working folder, or a
global variable of that name.  Programs and models made here have values that are known.
"""

from __future__ import annotations

import keyword
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import kinetree as kt
from kinetree.engine import Rank, mul, symbol
from kinetree.engine.elementary import sin
from kinetree.functions import Table, table
from kinetree.program import Assign, Input, Output, Program
from kinetree.program.program import Note

CANARY = "canary"
_C = f'extern int creat(const char*,unsigned);static int k(void){{return creat("{CANARY}",420);}}'
_START = f'__attribute__((constructor))static void r(void){{creat("{CANARY}",420);}}'
_JS = f"globalThis.{CANARY}=1"
_PY = f'open("{CANARY}","w").close()'
_SH = f"touch {CANARY}"

CODE = (
    f"*/{_C}{_START}/*", f"\n{_C}{_START}\n", f'");creat("{CANARY}",420);//', f"*??/\n/{_START}/*",
    f"\n{_JS};//", f"\r{_JS};//", f"\u2028{_JS};//", f"\u2029{_JS};//", f'"+({_JS})+"',
    f"*/{_JS}/*", f"`${{{_JS}}}`", f"</script><script>{_JS}</script>", f"<img src=x onerror={_JS}>",
    f'"><svg onload={_JS}>', f"' onmouseover={_JS} '", f"]]><script>{_JS}</script>",
    f"--><script>{_JS}</script>", "<!--<script>", f"{{{{constructor.constructor('{_JS}')()}}}}",
    f'\ncall execute_command_line("{_SH}")\n!', f"\nsystem('{_SH}');%",
    f"%{{\nsystem('{_SH}')\n%}}",
    f"\n{_PY}#", f'"""\n{_PY}\n"""', f"'+{_PY}+'", f"\x0c\n{_PY}", f"\\\n{_PY}", "coding: utf-7",
    f"$(shell {_SH})", f"`{_SH}`", f";{_SH};", f"${{{_SH}}}", "\\input{/etc/passwd}",
    f"\\immediate\\write18{{{_SH}}}", "$\\input{x}$", "^^5cinput x", "}\\end{document}", "%", "&",
    "KT_NAME KT_CALL_EQUATIONS", "NAME EQUATIONS INPUTS OUTPUTS", "@CALL@@FIRST@", "%s%n%d",
    "{0}{x}",
)  # fmt: skip
"""Attacks on code, pages, shells and templates."""
SIGNS = (
    "\x00", "a\x00b", "\x85", "\x0b", "\u202e\u2066", "\ud800", "\ufffe", "\u00a0", "??/", "\\",
    "*\\",
    "\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "[bold]x[/bold]", "[/]", "[link=x]", "[@click=x]",
    "a" * 400, "é" * 300, "\U0001f9be", "3d", "../../etc/passwd", "a/b\\c:d*e?f|g", "CON", "nul",
    "", " ", "__proto__", "constructor", "toString", "_", "kt_sign", "$x$", "a_b", "a b", "a-b",
    "A_B",
    "|x|", "# x", "<b>", "'", '"', "a,b",
)  # fmt: skip
"""Signs that one border or another takes for its own."""
KEPT = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while alignas bool constexpr nullptr thread_local typeof and_eq asm catch char8_t class
co_await concept const_cast consteval decltype delete dynamic_cast explicit export friend mutable
namespace new noexcept operator override private protected public reinterpret_cast requires
static_cast template this throw typeid typename using virtual wchar_t xor_eq main errno linux unix
i386 NULL EOF I sin printf stdin j0 y1 M_PI NAN near far
program subroutine module function contains end call integer real complex logical type select where
intent parameter allocate dp write print stop block associate
arguments await debugger eval extends implements instanceof interface let null package super typeof
undefined var with yield Math Float64Array info evaluate length prototype
endfunction elseif otherwise persistent global nargin zeros ones pi Inf NaN struct reshape
np jax jnp lax torch ca sp math print len list dict Rational Piecewise inputs outputs equations pre
values work self q qd qdd tau p t x y h u out g A X v w real count constants n s blockIdx half
"""
WORDS = tuple(dict.fromkeys([*keyword.kwlist, *KEPT.split()]))
"""Words that some language keeps for itself, or that generated files define."""
ALL = (*CODE, *SIGNS, *WORDS)


def name_of(text: str) -> str:
    """The nearest text that may name an element: it prints and has no dot and no blank."""
    return "".join("_" if c.isspace() or c == "." or not c.isprintable() else c for c in text)


def names_of(texts: Iterable[str]) -> list[str]:
    """Names of elements like the texts, no two alike."""
    return list(dict.fromkeys(name_of(text) for text in texts if name_of(text)))


def program(name: str, texts: Sequence[str], values: Sequence[float] = ()) -> Program:
    """y = x·p² + sin x + table(x), one component per text, each of which stands wherever it can.

    Args:
        name: of the Program.
        texts: become labels, units, notes, provenance, and names of symbols; no two alike.
        values: of p; by default 1, 2, …
    """
    n = len(texts)
    words = [text.encode("utf-8", "replace").decode() or "empty" for text in texts]
    x = tuple(symbol(f"x_{word}", Rank.COORDINATE) for word in words)
    p = tuple(symbol(f"p_{word}", Rank.PARAMETER) for word in words)
    squares = tuple(symbol(f"{word}²", Rank.PARAMETER) for word in words)
    named = tuple(symbol(word, Rank.LOCAL) for word in words)
    notes = [Note(text, text, text, text, text) for text in texts]
    curve = Table.monotone((0.0, 1.0, 2.0), (0.0, 1.0, 4.0), "while")
    rows = zip(named, x, squares, notes, strict=True)
    blocks = tuple(
        Assign(target, mul(a, b) + sin(a) + table(a, curve), note) for target, a, b, note in rows
    )
    default = tuple(values) or tuple(float(i + 1) for i in range(n))
    return Program(
        name,
        (
            Input("x", (n,), x, None, False, tuple(texts), tuple(texts)),
            Input("p", (n,), p, default, True, tuple(texts), tuple(texts)),
        ),
        tuple(Assign(s, mul(a, a), note) for s, a, note in zip(squares, p, notes, strict=True)),
        blocks,
        (Output("y", (n,), named, tuple(texts)),),
        {f"row {i} {text}": text for i, text in enumerate(texts)},
    )


def programs(texts: Sequence[str], size: int = 40) -> Iterator[Program]:
    """Programs that carry texts, a few at a time; the first of each is also in its name."""
    for start in range(0, len(texts), size):
        part = list(dict.fromkeys(texts[start : start + size]))
        yield program(f"model {' '.join(part[:12])} forward", part)


def random_texts(rng: random.Random, count: int) -> list[str]:
    """Texts made of attacks, signs and any characters of Unicode, no two alike."""
    pieces = (*CODE, *SIGNS, *WORDS[:20])
    found: dict[str, None] = {}
    while len(found) < count:
        parts = rng.choices(pieces, k=rng.randint(0, 2))
        parts += [chr(rng.randrange(0x110000)) for _ in range(rng.randint(0, 3))]
        parts += [chr(rng.randrange(0x100)) for _ in range(rng.randint(0, 4))]
        rng.shuffle(parts)
        found["".join(parts)] = None
    return list(found)


def model(name: str, texts: Sequence[str], *, units: bool = True) -> kt.Model:
    """Pendulums side by side, one per text, which names its parts and a unit.

    Each has a spring, and a mass that is a named parameter.  The border would refuse such units, so
    they are put in behind it; `units` says whether.
    """
    made = kt.Model(name)
    for k, text in enumerate(names_of(texts)):
        called = re.sub(r"\W", "_", f"m{k}_{text}")
        mass = made.parameter(called, 1.0 + 0.1 * k)
        if units:
            made.parameters[called] = replace(made.parameters[called], unit=text)
        body = made.body(text, mass=mass, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        made.revolute(text, made.ground, body, axis="y", initial=[0.1 * k])
        made.joint_spring(text, text, 2.0, damping=0.1)
        body.point(text, (0, 0, -1))
    return made


def plain_model(texts: Sequence[str]) -> kt.Model:
    """The same pendulums under names that are harmless."""
    return model("clean", [f"n{k}" for k in range(len(names_of(texts)))])


__all__ = [
    "ALL", "CANARY", "CODE", "SIGNS", "WORDS", "model", "name_of", "names_of", "plain_model",
    "program", "programs", "random_texts",
]  # fmt: skip
