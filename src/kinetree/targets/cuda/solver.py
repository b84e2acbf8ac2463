"""Large linear systems on the device: elimination with row pivoting, in local memory."""

from __future__ import annotations

ELIMINATION = """\
/* A X = B by elimination with row pivoting; X comes in as B, A is used up */
static __device__ __noinline__ void kt_solve_N_K(real *A, real *X)
{
    #pragma unroll 1
    for (int c = 0; c < N; c++) {
        int best = c;
        for (int i = c + 1; i < N; i++)
            if (kt_abs(A[i*N + c]) > kt_abs(A[best*N + c]))
                best = i;
        if (best != c) {
            for (int j = c; j < N; j++) {
                const real a = A[c*N + j];
                A[c*N + j] = A[best*N + j];
                A[best*N + j] = a;
            }
            for (int j = 0; j < K; j++) {
                const real x = X[c*K + j];
                X[c*K + j] = X[best*K + j];
                X[best*K + j] = x;
            }
        }
        const real inverse = 1/A[c*N + c];
        for (int j = c + 1; j < N; j++)
            A[c*N + j] *= inverse;
        for (int j = 0; j < K; j++)
            X[c*K + j] *= inverse;
        #pragma unroll 1
        for (int i = 0; i < N; i++) {
            const real m = A[i*N + c];
            if (i == c || m == 0)
                continue;
            for (int j = c + 1; j < N; j++)
                A[i*N + j] -= m*A[c*N + j];
            for (int j = 0; j < K; j++)
                X[i*K + j] -= m*X[c*K + j];
        }
    }
}
"""


def solver(n: int, k: int) -> str:
    """`kt_solve_n_k(A, X)`: A X = B with n rows and k right-hand sides; X comes in as B."""
    return ELIMINATION.replace("N", str(n)).replace("K", str(k))
