"""Sine and cosine together, and division, on the device: to rounding, without calls.

The library's functions carry what extreme numbers need with them: far angles a loop with an array
in local memory, divisions a call, and around calls registers are scarce.  Here an angle is reduced
by a multiple of pi/2 held in three parts (Cody and Waite) and two polynomials follow.  In float,
angles beyond 2e5 rad are reduced in double.  Beyond FAR, where the next double is 0.02 rad away,
sine and cosine are NaN.  A reciprocal starts from the hardware's estimate and is corrected
twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.maths.sincos import COSINE, FUSED, ROUNDER, SINE, TWO_OVER_PI

if TYPE_CHECKING:
    from kinetree.targets.cuda.precision import Precision

FLOAT_SINE = (-0.16666655242443085, 0.008332177996635437, -0.0001951729936990887)
FLOAT_COSINE = (0.04166664555668831, -0.001388736767694354, 2.4438451873720624e-05)
"""sin r = r + r³ P(r²) and cos r = 1 - r²/2 + r⁴ Q(r²) for |r| <= pi/4: fits with small
largest error, 4e-9 relative and 1e-10."""
FLOAT_PARTS = (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15)
"""pi/2 as a sum of floats; with a fused multiply-add their products with m are exact."""
FLOAT_ROUNDER = 12582912.0
FLOAT_LIMIT = 2e5
FAR = 1e14
"""Largest angle [rad]."""


def definition(kind: Precision) -> str:
    """`kt_sincos(x, &s, &c)`."""
    single = kind.suffix == "f"
    sine, cosine = (FLOAT_SINE, FLOAT_COSINE) if single else (SINE, COSINE)
    number, fma = kind.literal, kind.function("fma")
    return f"""\
/* sine and cosine by a multiple of pi/2 held in parts, and a polynomial each */
static __device__ __forceinline__ void kt_sincos(const real x, real *s, real *c)
{{
{_reduced_float() if single else _reduce("", "double", FUSED.parts)}
    const real z = r*r;
    const real a = {fma}(r*z, {_horner(sine, kind)}, r);
    const real b = {fma}(z*z, {_horner(cosine, kind)}, {fma}(z, {number(-0.5)}, {number(1.0)}));
    const real u = quadrant & 1 ? b : a;
    const real v = quadrant & 1 ? a : b;
    *s = quadrant & 2 ? -u : u;
    *c = (quadrant + 1) & 2 ? -v : v;
}}
"""


def _reduce(suffix: str, kind: str, parts: tuple[float, ...]) -> str:
    """Statements that make r and quadrant; what is too far becomes no number."""
    number = f"{{!r}}{suffix}".format
    rounder = FLOAT_ROUNDER if suffix else ROUNDER
    low = "__float_as_int(k)" if suffix else "__double2loint(k)"
    chain = "x"
    for part in parts:
        chain = f"fma{suffix}(m, {number(-part)}, {chain})"
    lines = [
        f"const {kind} k = fma{suffix}(x, {number(TWO_OVER_PI)}, {number(rounder)});",
        f"const {kind} m = k - {number(rounder)};",
    ]
    if suffix:
        lines += [f"int quadrant = {low};", f"{kind} r = {chain};"]
    else:
        lines += [
            f"const int quadrant = {low};",
            f'const {kind} r = fabs(x) <= {FAR!r} ? {chain} : nan("");',
        ]
    return "\n".join(f"    {line}" for line in lines)


def _reduced_float() -> str:
    """Near angles in float, far ones in double."""
    near = _reduce("f", "float", FLOAT_PARTS)
    return f"""{near}
    if (!(fabsf(x) <= {FLOAT_LIMIT!r}f)) {{
        const double far = fma((double)x, {TWO_OVER_PI!r}, {ROUNDER!r});
        const double times = far - {ROUNDER!r};
        quadrant = __double2loint(far);
        r = (float)fma(times, {-FUSED.parts[1]!r}, fma(times, {-FUSED.parts[0]!r}, (double)x));
        r = fabsf(x) <= {FAR!r}f ? r : nanf("");
    }}"""


DIVISION = """\
/* 1/x: the estimate of the hardware corrected twice; extreme numbers keep the estimate */
static __device__ __forceinline__ double kt_inverse(const double x)
{
#ifdef __CUDA_ARCH__
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    const double f = fma(e, e, e);
    const double z = fma(y, f, y);
    const double w = fma(z, fma(-x, z, 1.0), z);
    return fabs(y) <= 1e300 && y != 0.0 ? w : y;
#else
    return 1.0/x;
#endif
}

/* a/b, corrected once */
static __device__ __forceinline__ double kt_divide(const double a, const double b)
{
    const double y = kt_inverse(b);
    const double q = a*y;
    const double p = fma(y, fma(-b, q, a), q);
    return fabs(p) <= 1e300 ? p : q;
}
"""


def _horner(coefs: tuple[float, ...], kind: Precision) -> str:
    """A polynomial in z, the highest power first."""
    text = kind.literal(coefs[-1])
    for coef in reversed(coefs[:-1]):
        text = f"{kind.function('fma')}(z, {text}, {kind.literal(coef)})"
    return text
