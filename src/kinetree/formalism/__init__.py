"""Formalisms: equations of motion of a mechanism, one algorithm per file.

| module | algorithm |
|---|---|
| newton_euler | recursive inverse dynamics, reactions |
| composite_bodies | mass matrix |
| order_n, articulated | forward and mixed dynamics by articulated bodies |
| joint_equations, held | one equation between acceleration and force per velocity or bond |
| inertia_bias | M, and M qdd + c at given accelerations, by every formalism |
| virtual_power, lagrange | the same from other principles |
| kinematics, energy, reactions | motion of points, energies, wrenches in joints |
| derivatives, forward_derivatives, force_derivatives | exact slopes of dynamics and forces |
| regressor, base_columns | inverse dynamics as linear in mass properties |
| quantities | the table of what can be derived |
| view | what every algorithm may ask of a mechanism |

Below them stand `links`, `loops` and `forces`, in this order; above them `closed` (systems with
loops), `matrices` (position matrices) and `natural` (natural coordinates).
"""

from kinetree.formalism.force_derivatives import force_slopes
from kinetree.formalism.quantities import QUANTITIES, declare_inputs, declare_laws, write_states
from kinetree.formalism.regressor import PARAMETERS
from kinetree.formalism.view import MechanismView

__all__ = [
    "PARAMETERS", "QUANTITIES", "MechanismView", "declare_inputs", "declare_laws", "force_slopes",
    "write_states",
]  # fmt: skip
