"""Fluid power: pressures in volumes, gas and cylinders, and flows between them.

| kind | is | brings the state |
|---|---|---|
| fluid | what flows: density, bulk modulus, viscosity, free air | |
| fluid_volume | oil in a rigid volume | its pressure |
| accumulator | gas behind a membrane | its gas volume over that at the start |
| tank | a pressure that does not change | |
| cylinder | two chambers between two points | both pressures |
| fluid_line | a pipe: inertia, friction, any loss | its flow |
| fluid_resistance, orifice, check_valve | losses without inertia | |
| pump, fluid_source | a flow that a joint or a law gives | |

Volumes, gas, tanks and chambers have ports; lines, resistances and pumps join two of them.
"""

from kinetree.forces.fluid import branches, cylinder, line, oil, pump, volumes
from kinetree.forces.fluid.branches import orifice_flow

KINDS = (
    oil.KIND,
    volumes.VOLUME,
    volumes.ACCUMULATOR,
    volumes.TANK,
    cylinder.KIND,
    line.KIND,
    branches.RESISTANCE,
    branches.ORIFICE,
    branches.CHECK_VALVE,
    pump.PUMP,
    pump.SOURCE,
)

__all__ = ["KINDS", "orifice_flow"]
