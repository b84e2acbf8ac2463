"""Blocks: signals in, signals out; a signal of a block takes the unit of what it is connected with.

| what | names |
|---|---|
| sources | Constant, Step, Ramp, Sine, Pulse, KinematicPTP |
| algebra | Gain, Add, Feedback, Product, Limiter, DeadZone, Hysteresis, OnOffController, Switch |
| dynamics | Integrator, FirstOrder, SecondOrder, PI, PID, LimPID |
| filters | CriticalDamping, TransferFunction, StateSpace |
| sampled | DiscretePI, UnitDelay, Sampler, ZeroOrderHold |
"""

from __future__ import annotations

from kinetree.library.blocks.signals import (
    PI,
    PID,
    Add,
    CriticalDamping,
    DeadZone,
    DiscretePI,
    Feedback,
    FirstOrder,
    Gain,
    Hysteresis,
    Integrator,
    Limiter,
    LimPID,
    OnOffController,
    Product,
    Sampler,
    SecondOrder,
    StateSpace,
    Switch,
    TransferFunction,
    UnitDelay,
    ZeroOrderHold,
)
from kinetree.library.blocks.sources import (
    Constant,
    KinematicPTP,
    Pulse,
    Ramp,
    Sine,
    Step,
)

ALL = (
    Constant, Step, Ramp, Sine, Pulse, KinematicPTP, Gain, Add, Feedback, Product, Limiter,
    DeadZone, Hysteresis, OnOffController, Switch, Integrator, FirstOrder, SecondOrder, PI, PID,
    LimPID, CriticalDamping, TransferFunction, StateSpace, DiscretePI, UnitDelay,
    Sampler, ZeroOrderHold,
)  # fmt: skip

__all__ = [
    "ALL",
    "PI",
    "PID",
    "Add",
    "Constant",
    "CriticalDamping",
    "DeadZone",
    "DiscretePI",
    "Feedback",
    "FirstOrder",
    "Gain",
    "Hysteresis",
    "Integrator",
    "KinematicPTP",
    "LimPID",
    "Limiter",
    "OnOffController",
    "Product",
    "Pulse",
    "Ramp",
    "Sampler",
    "SecondOrder",
    "Sine",
    "StateSpace",
    "Step",
    "Switch",
    "TransferFunction",
    "UnitDelay",
    "ZeroOrderHold",
]  # fmt: skip
