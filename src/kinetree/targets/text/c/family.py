"""C and C++: one set of spellings with a row of differences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.plain import plain
from kinetree.targets.text.c.sincos import sincos_helper
from kinetree.targets.text.c.solve import general_helper, pattern, symmetric_helper
from kinetree.targets.text.c.tables import table_helpers
from kinetree.targets.text.expressions import Printer, squarings
from kinetree.targets.text.language import Argument, Language, Role, TextFunction
from kinetree.targets.text.names import Rules
from kinetree.targets.text.source import Source, solver

if TYPE_CHECKING:
    from kinetree.engine.node import Number
    from kinetree.program.program import Newton, Solve
    from kinetree.targets.text.body import Context

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while alignas alignof bool constexpr false nullptr static_assert thread_local true
typeof typeof_unqual asm and and_eq bitand bitor catch char8_t char16_t char32_t class compl concept
const_cast consteval constinit co_await co_return co_yield decltype delete dynamic_cast explicit
export final friend import module mutable namespace new noexcept not not_eq operator or or_eq
override private protected public register reinterpret_cast requires static_cast template this throw
try typeid typename using virtual wchar_t xor xor_eq main
"""
"""Words of C, and of C++, so that the header can be included there."""
MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2
expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb infinity isfinite isgreater
isinf isless isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint
lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln
scalbn signbit significand signgam sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
HUGE_VAL INFINITY NAN M_PI M_E KT_MACHINES KT_ONE_MACHINE DOMAIN EOF HUGE I NULL OVERFLOW UNDERFLOW
assert errno far i386 linux max min near stderr stdin stdout unix
"""
"""Functions of math.h, and macros that headers and compilers define."""
WORDS = frozenset(KEYWORDS.split()) | frozenset(MATH.split())
RULES = Rules(WORDS)
CALLS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log",
    "sqrt", "pow",
)  # fmt: skip


@dataclass(frozen=True)
class CFamily(Language):
    """C in double or single precision, or C++ with the number as a template argument.

    Attributes:
        real: type of numbers.
        literal: pattern of a number, with %s for its decimal.
        suffix: of functions of math.h.
        before: what stands before a function that is a template.
        private: how a function is declared that others do not see.
        parameter: what stands behind the name of a structure that is a template.
        least: smallest tolerance of an iteration that this precision comes down to.
        loosest: the same where the type of numbers is not known here: its spelling, with %s for
            the tolerance asked for; empty where `least` says it.
        nan: not a number.
        turns: whether sine and cosine of an angle are found together, by `kt_sincos`.
        machines: what stands before a function that is compiled for several processors.
    """

    real: str = "double"
    literal: str = "%s"
    suffix: str = ""
    before: str = ""
    private: str = "static "
    parameter: str = ""
    least: float = 0.0
    loosest: str = ""
    nan: str = 'nan("")'
    turns: bool = False
    machines: str = ""
    rules: Rules = RULES

    @property
    def functions(self) -> Mapping[str, str]:  # type: ignore[override]
        """Names in math.h."""
        calls = {name: f"{name}{self.suffix}" for name in CALLS}
        return {**calls, "abs": f"fabs{self.suffix}", "sign": "kt_sign"}

    def number(self, value: Number) -> str:
        """A literal."""
        return self.literal % super().number(value)

    def turn(self, angle: str, sine: str, cosine: str, new: Sequence[str]) -> list[str]:
        """Call the helper."""
        call = f"kt_sincos({angle}, &{sine}, &{cosine});"
        return [f"{self.real} {', '.join(new)};", call] if new else [call]

    def select(self, condition: str, a: str, b: str) -> str:
        """The operator ?:, which evaluates one of the two."""
        return f"({condition} > {self.number(0)} ? {a} : {b})"

    def field(self, name: str) -> str:
        """A member of the structure of constants."""
        return f"pre->{name}"

    def member(self, name: str) -> str:
        """A member of the structure that parts share."""
        return f"work->{name}"

    def comment(self, text: str) -> str:
        """Between slashes and stars, which every standard of C knows."""
        return f"/* {self.safe(text)} */"

    def safe(self, text: str) -> str:
        """Text without the ends of comments, and without trigraphs, of which one ends a line."""
        return super().safe(text).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")

    def remarks(self, lines: Iterable[str]) -> list[str]:
        """One comment of many lines."""
        return ["/*", *(f" * {self.safe(line)}".rstrip() for line in lines), " */"]

    def string(self, text: str) -> str:
        """Between quotes; a question mark is marked, because two of them may begin a trigraph."""
        for sign in ("\\", '"', "?"):
            text = text.replace(sign, f"\\{sign}")
        return f'"{plain(text)}"'

    def let(self, name: str, expression: str) -> str:
        """A constant."""
        return f"const {self.real} {name} = {expression};"

    def array(self, name: str, size: int, *, zero: bool = False) -> list[str]:
        """A local array."""
        zeros = f" = {{{self.number(0)}}}" if zero else ""
        return [f"    {self.real} {name}[{size}]{zeros};"]

    def solve(self, context: Context, block: Solve, matrix: str, found: str) -> str:
        """Call the helper for this size and pattern of zeros."""
        n, k = block.n, block.k
        if block.symmetric:
            text = symmetric_helper(self, n, k, pattern(block))
        else:
            text = general_helper(self, n, k)
        return f"{solver(context.solvers, context.name, text)}({matrix}, {found});"

    def iterate(self, name: str, block: Newton, found: str, given: str) -> str:
        """Call the iteration."""
        return f"{name}({found}, {given});" if given else f"{name}({found});"

    # --- functions -----------------------------------------------------------------------------

    def declare(self, head: str, arguments: Sequence[Argument]) -> str:
        """The function `head` with its arguments, broken between arguments where it is long."""
        lines = [f"{head}("]
        for number, argument in enumerate(arguments):
            text = self._argument(argument) + (")" if number == len(arguments) - 1 else ",")
            if len(lines[-1]) + len(text) >= self.width:
                lines.append("   ")
            lines[-1] += text if lines[-1].endswith("(") else f" {text}"
        return "\n".join(lines)

    def _argument(self, argument: Argument) -> str:
        name, kind = argument.name, f"{argument.kind}{self.parameter}"
        if argument.role in (Role.WORK, Role.FILLED):
            return f"{kind} *{name}"
        if argument.role is Role.CONSTANTS:
            return f"const {kind} *{name}"
        const = "" if argument.role is Role.OUTPUT else "const "
        return f"{const}{self.real} {name}[{max(argument.size, 1)}]"

    def head(self, name: str, *, public: bool) -> str:
        """How a function begins."""
        return f"{self.before}{'' if public and not self.before else self.private}void {name}"

    def function(self, function: TextFunction) -> str:
        """A function; arguments that it does not read are named, so that no compiler complains."""
        lines = function.lines
        if function.work:
            calls = [line.replace(", work)", ", &work)") for line in lines]
            lines = [f"    {function.work}{self.parameter} work;", *calls]
        code = re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.DOTALL)
        words = set(re.findall(r"\w+", code))
        unused = [f"    (void){name};" for name in function.names if name not in words]
        head = self.declare(self.head(function.name, public=function.public), function.arguments)
        if function.often and not function.work:
            head = f"{self.machines}{head}"
        return "\n".join([head, "{", *lines, *unused, "}", ""])

    def call(self, function: TextFunction, arguments: Sequence[str]) -> str:
        """Call a part of a function."""
        return f"{function.name}({', '.join(arguments)});"

    def structure(self, name: str, members: Mapping[str, int]) -> str:
        """What parts share."""
        rows = [f"    {self.real} {m}{f'[{size}]' if size else ''};" for m, size in members.items()]
        return self.record(name, rows)

    def record(self, name: str, rows: Sequence[str]) -> str:
        """A structure type."""
        lines = "\n".join(rows)
        if self.before:
            return f"{self.before}struct {name} {{\n{lines}\n}};\n"
        return f"typedef struct {{\n{lines}\n}} {name};\n"

    def main_function(self, source: Source) -> str:
        """The main function: preamble, then the rest."""
        early, late = (
            ", ".join("&pre" if a.name == "pre" else a.name for a in arguments)
            for arguments in (source.preamble, source.prepared_arguments)
        )
        return (
            f"{self.declare(self.head(source.name, public=True), source.main)}\n{{\n"
            f"    {source.name}_constants{self.parameter} pre;\n"
            f"    {source.name}_preamble({early});\n"
            f"    {source.name}_prepared({late});\n}}\n"
        )

    def tolerance(self, block: Newton) -> float:
        """The largest |h| that an iteration in this precision leaves."""
        return max(block.tolerance, self.least)

    def newton(self, name: str, block: Newton, step: TextFunction) -> list[str]:
        """A bounded loop around the step."""
        n, equations = len(block.targets), len(block.step.output("h").nodes)
        real = self.real
        more = f", const {real} w[{len(block.given)}]" if block.given else ""
        arguments = "v, w, h, dv" if block.given else "v, h, dv"
        tolerance = self.number(self.tolerance(block))
        if self.loosest:
            tolerance = self.loosest % tolerance
        return [f"""\
/* h(v, w) = 0 by v -= dv with J dv = h; v comes in as the start and is NaN where this fails. */
{self.before}{self.private}void {name}({real} v[{n}]{more})
{{
    {real} h[{max(equations, 1)}], dv[{n}];
    int count, i;
    for (count = 0; count <= {block.limit}; count++) {{
        int done = 1;
        {step.name}({arguments});
        for (i = 0; i < {equations}; i++)
            if (!(fabs{self.suffix}(h[i]) <= {tolerance}))
                done = 0;
        if (done)
            return;
        for (i = 0; i < {n}; i++)
            v[i] -= dv[i];
    }}
    for (i = 0; i < {n}; i++)
        v[i] = {self.nan};
}}
"""]  # fmt: skip

    def helpers(self, printer: Printer) -> list[str]:
        """Powers, sign, tables."""
        texts = [self._power_helper(n) for n in sorted(printer.powers)]
        if "sign" in printer.functions:
            zero, one = self.number(0), self.number(1)
            texts.append(
                f"{self.inline('kt_sign')}\n"
                f"{{\n    return x > {zero} ? {one} : x < {zero} ? -{one} : x;\n}}\n"
            )
        if "sincos" in printer.functions:
            texts.append(sincos_helper())
        return texts + table_helpers(self, printer.tables)

    def inline(self, name: str) -> str:
        """How a small function of one number begins."""
        private = self.private if self.before else "static inline "
        return f"{self.before}{private}{self.real} {name}({self.real} x)"

    def _power_helper(self, n: int) -> str:
        steps = squarings(n, "    y = y*y;", "    y = y*y*x;")
        body = "\n".join([f"    {self.real} y = x;", *steps, "    return y;"])
        return f"{self.inline(f'kt_pow_{n}')}\n{{\n{body}\n}}\n"
