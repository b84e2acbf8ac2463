"""The tape: a Program as flat code, with its linear and nonlinear systems as steps.

| module | holds |
|---|---|
| tape | three-address code |
| lowering | Program -> tapes |
| solve_steps | systems whose solution is an operation by itself |
| ldl, general_lu | symmetric and general systems written out |
| pivot_order | orders of elimination of sparse matrices |
"""
