"""Fortran: solvers of linear systems, Newton's method, tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kinetree.tables import pieces
from kinetree.targets.text.tables import Tables, polynomial
from kinetree.targets.text.templates import fill

if TYPE_CHECKING:
    from kinetree.targets.text.language import Language

SYMMETRIC = """\
! A X = B by A = L'DL from the last row to the first [Featherstone2008 sec. 6.5]; X is B before.
! A and X are row-major; of A the lower triangle is read and used up; its zeros are skipped.
subroutine kt_solve_symmetric(n, k, A, X)
    integer, intent(in) :: n, k
    real(dp), intent(inout) :: A(n*n), X(n*k)
    real(dp) :: inverse, l
    integer :: i, j, t
    do i = n - 1, 0, -1
        inverse = 1/A(i*n + i + 1)
        A(i*n + i + 1) = inverse
        do j = i - 1, 0, -1
            l = A(i*n + j + 1)*inverse
            if (l == 0) cycle
            do t = 1, j + 1
                A(j*n + t) = A(j*n + t) - l*A(i*n + t)
            end do
            A(i*n + j + 1) = l
            X(j*k + 1:j*k + k) = X(j*k + 1:j*k + k) - l*X(i*k + 1:i*k + k)
        end do
    end do
    do i = 0, n - 1
        X(i*k + 1:i*k + k) = X(i*k + 1:i*k + k)*A(i*n + i + 1)
        do j = 0, i - 1
            l = A(i*n + j + 1)
            if (l == 0) cycle
            X(i*k + 1:i*k + k) = X(i*k + 1:i*k + k) - l*X(j*k + 1:j*k + k)
        end do
    end do
end subroutine kt_solve_symmetric
"""
GENERAL = """\
! A X = B by elimination with row pivoting; X comes in as B, A is used up; both are row-major.
subroutine kt_solve_general(n, k, A, X)
    integer, intent(in) :: n, k
    real(dp), intent(inout) :: A(n*n), X(n*k)
    real(dp) :: inverse, m, row(n), rhs(k)
    integer :: best, c, i
    do c = 0, n - 1
        best = c
        do i = c + 1, n - 1
            if (abs(A(i*n + c + 1)) > abs(A(best*n + c + 1))) best = i
        end do
        if (best /= c) then
            row = A(c*n + 1:c*n + n)
            A(c*n + 1:c*n + n) = A(best*n + 1:best*n + n)
            A(best*n + 1:best*n + n) = row
            rhs = X(c*k + 1:c*k + k)
            X(c*k + 1:c*k + k) = X(best*k + 1:best*k + k)
            X(best*k + 1:best*k + k) = rhs
        end if
        inverse = 1/A(c*n + c + 1)
        A(c*n + c + 2:c*n + n) = A(c*n + c + 2:c*n + n)*inverse
        X(c*k + 1:c*k + k) = X(c*k + 1:c*k + k)*inverse
        do i = 0, n - 1
            m = A(i*n + c + 1)
            if (i == c .or. m == 0) cycle
            A(i*n + c + 2:i*n + n) = A(i*n + c + 2:i*n + n) - m*A(c*n + c + 2:c*n + n)
            X(i*k + 1:i*k + k) = X(i*k + 1:i*k + k) - m*X(c*k + 1:c*k + k)
        end do
    end do
end subroutine kt_solve_general
"""
NEWTON = """\
! h(v, w) = 0 by v = v - dv with J dv = h; v comes in as the start and is NaN where this fails.
subroutine NAME(ARGUMENTS)
    real(dp), intent(inout) :: v(UNKNOWNS)GIVEN
    real(dp) :: h(EQUATIONS), dv(UNKNOWNS)
    integer :: count
    do count = 0, LIMIT
        call NAME_step(ARGUMENTS, h, dv)
        if (all(abs(h) <= max(TOLERANCE, 100*epsilon(1.0_dp)))) return
        v = v - dv
    end do
    v = ieee_value(0.0_dp, ieee_quiet_nan)
end subroutine NAME
"""
SIGN = """\
pure function kt_sign(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = x
    if (x > 0) y = 1
    if (x < 0) y = -1
end function kt_sign
"""
POW = """\
pure function kt_pow(x, y) result(z)
    real(dp), intent(in) :: x, y
    real(dp) :: z
    z = x**y
end function kt_pow
"""
LOOKUP = """\
pure function FUNCTION(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y, d, r(5)
    integer :: i
    i = 5*count(TABLE_knots <= x)
    r = TABLE_pieces(i + 1:i + 5)
    d = x - r(1)
    y = VALUE
end function FUNCTION
"""


def arrays(tables: Tables, language: Language) -> list[str]:
    """Constants of the module: the knots, and per piece its start and its coefficients."""
    texts = []
    for table, name in tables.names.items():
        rows = [x for row in pieces(table).tolist() for x in row]
        texts += [constant(f"{name}_knots", table.knots, language)]
        texts += [constant(f"{name}_pieces", rows, language)]
    return texts


def constant(name: str, values: Iterable[float], language: Language) -> str:
    """A constant array; it may need more lines than one statement has, so it is joined of parts."""
    numbers = [language.number(x) for x in values]
    size = 100
    chunks = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    lines: list[str] = []
    parts = []
    for place, chunk in enumerate(chunks, 1):
        part = name if len(chunks) == 1 else f"{name}_{place}"
        parts.append(part)
        text = f"real(dp), parameter :: {part}({len(chunk)}) = [{', '.join(chunk)}]"
        lines += [row[4:] for row in language.wrap_line(text)]
    if len(chunks) > 1:
        text = f"real(dp), parameter :: {name}({len(numbers)}) = [{', '.join(parts)}]"
        lines += [row[4:] for row in language.wrap_line(text)]
    return "\n".join([*lines, ""])


def lookups(tables: Tables, language: Language) -> list[str]:
    """A function per derivative of a table."""
    texts = []
    for row in tables.rows:
        value = polynomial(row.order, lambda power: f"r({2 + power})", language.number)
        words = {"FUNCTION": tables.function(row), "VALUE": value}
        texts.append(fill(LOOKUP, {**words, "TABLE": tables.names[row.table]}))
    return texts
