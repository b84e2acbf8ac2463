"""Axes of the r3: motor with its circuit, gear with dry friction, controller.

The circuit of the motor is that of Otter1996 fig. 3.

Refs: Otter1996 sec. 2, fig. 3
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from kinetree.acausal import (
    Component,
    connect,
    der,
    initial,
    parameter,
    part,
    port,
    setting,
    signal_in,
    signal_out,
)
from kinetree.library import blocks, electrical, rotational

el, rot = electrical, rotational


class Motor(Component):
    """A motor whose current follows the signal i_ref [A], by a circuit of operational amplifiers.

    `diff` is the difference of reference and measured current (both as voltages of 1 V/A), `OpI`
    its integral with a proportional part, `power` the amplifier that drives the armature.
    """

    flange = port(rot.Flange)
    i_ref, angle, speed = signal_in("A"), signal_out("rad"), signal_out("rad/s")
    k, J = parameter(1.1616, "N.m/A"), parameter(0.0013, "kg.m2")
    w, D, hall = parameter(4590.0), parameter(0.6), parameter(1.0, "ohm")
    Vs, hall1, hall2 = part(el.SignalVoltage), part(el.CurrentSensor), part(el.SignalVoltage)
    diff, OpI, power = part(el.IdealOpAmp), part(el.IdealOpAmp), part(el.IdealOpAmp)
    Rd1, Rd2 = part(el.Resistor, R=100.0), part(el.Resistor, R=100.0)
    Rd3, Rd4 = part(el.Resistor, R=100.0), part(el.Resistor, R=100.0)
    Ri, Rp1, Rp2 = (part(el.Resistor, R=ohm) for ohm in (10.0, 200.0, 50.0))
    C = part(el.Capacitor, C=lambda self: 0.004 * self.D / self.w)
    Ra = part(el.Resistor, R=250.0)
    La = part(el.Inductor, L=lambda self: 250.0 / (2 * self.D * self.w))
    emf, ground = part(el.EMF, k=lambda self: self.k), part(el.Ground)
    Jmotor = part(rot.Inertia, J=lambda self: self.J)

    def equations(self) -> Iterator[Any]:
        """Difference, integral, power; the armature with its shaft."""
        yield self.Vs.u == self.hall * self.i_ref
        yield self.hall2.u == self.hall * self.hall1.i
        yield connect(self.Vs.p, self.Rd2.p)
        yield connect(self.Rd2.n, self.diff.n1, self.Rd1.p)
        yield connect(self.hall2.p, self.Rd3.p)
        yield connect(self.Rd3.n, self.diff.p1, self.Rd4.p)
        yield connect(self.Rd1.n, self.diff.p2, self.Ri.p)
        yield connect(self.Ri.n, self.OpI.n1, self.C.p)
        yield connect(self.C.n, self.OpI.p2, self.power.p1)
        yield connect(self.power.n1, self.Rp1.p, self.Rp2.p)
        yield connect(self.power.p2, self.Rp1.n, self.Ra.p)
        yield connect(self.Ra.n, self.La.p)
        yield connect(self.La.n, self.emf.p)
        yield connect(self.emf.n, self.hall1.p)
        yield connect(
            self.ground.p, self.Vs.n, self.hall2.n, self.Rd4.n, self.OpI.p1, self.OpI.n2,
            self.diff.n2, self.power.n2, self.Rp2.n, self.hall1.n,
        )  # fmt: skip
        yield connect(self.emf.flange, self.Jmotor.flange_a)
        yield connect(self.Jmotor.flange_b, self.flange)
        yield self.angle == self.Jmotor.phi
        yield self.speed == self.Jmotor.w


class Controller(Component):
    """A P controller of the angle around a PI controller of the speed, of the motor."""

    angle_ref, speed_ref = signal_in("rad"), signal_in("rad/s")
    angle, speed, i_ref = signal_in("rad"), signal_in("rad/s"), signal_out()
    kp, ks, Ts = parameter(10.0, "1/s"), parameter(1.0), parameter(0.01, "s")
    ratio = parameter(1.0)
    PI = part(blocks.PI, k=lambda self: self.ks, T=lambda self: self.Ts)

    def equations(self) -> Iterator[Any]:
        """i_ref = PI (ratio speed_ref + kp (ratio angle_ref - angle) - speed)."""
        behind = self.ratio * self.angle_ref - self.angle
        yield self.PI.u == self.ratio * self.speed_ref + self.kp * behind - self.speed
        yield connect(self.PI.y, self.i_ref)


class OriginalController(Component):
    """The cascade of 1993: speed by a tachometer and two filters, current by an integrator.

    The filters begin in steady state.
    """

    angle_ref, speed_ref = signal_in("rad"), signal_in("rad/s")
    angle, speed, i_ref = signal_in("rad"), signal_in("rad/s"), signal_out()
    Kv, Kd, ratio = parameter(0.3, "V/rad"), parameter(0.03, "V.s/rad"), parameter(1.0)
    tacho1 = part(blocks.FirstOrder, k=0.03, T=0.0008475)
    tacho2 = part(blocks.SecondOrder, w=2014.0, D=0.294)
    rate1 = part(blocks.TransferFunction, b=(1 / 25, 1.0), a=(0.0202, 1.0))
    rate2 = part(blocks.TransferFunction, b=(0.00995, 1.0), a=(0.00056, 1.0))
    rate3 = part(blocks.Integrator, k=340.8)

    def equations(self) -> Iterator[Any]:
        """i_ref = rate3 rate2 (Kv (ratio angle_ref - angle) + Kd ratio speed_ref - measured)."""
        yield self.tacho1.u == self.speed
        yield connect(self.tacho1.y, self.tacho2.u)
        yield connect(self.tacho2.y, self.rate1.u)
        wanted = self.Kv * (self.ratio * self.angle_ref - self.angle)
        yield self.rate2.u == wanted + self.Kd * self.ratio * self.speed_ref - self.rate1.y
        yield connect(self.rate2.y, self.rate3.u)
        yield connect(self.rate3.y, self.i_ref)
        filters = (self.rate1.states[0].x, self.rate2.states[0].x)
        for lag in (self.tacho1.y, self.tacho2.y, self.tacho2.yd, *filters):
            yield initial(der(lag) == 0)


def _friction(gear: Any) -> tuple[tuple[float, Any], ...]:
    """Rows of speed and torque: Rv0 + Rv1 |w|."""
    return (0.0, gear.Rv0), (1.0, gear.Rv0 + gear.Rv1)


class Gear(Component):
    """Partial: a gear between motor and joint."""

    flange_a, flange_b = port(rot.Flange), port(rot.Flange)

    @abstractmethod
    def at_rest(self) -> Iterator[Any]:
        """What holds at the start where the joint does not move."""


class StiffGear(Gear):
    """A rigid gear with dry friction behind it."""

    i, Rv0, Rv1, peak = parameter(-99.0), parameter(21.8), parameter(9.8), parameter(1.0)
    gear = part(rot.IdealGear, ratio=lambda self: self.i)
    bearingFriction = part(rot.BearingFriction, tau_pos=_friction, peak=lambda self: self.peak)

    def equations(self) -> Iterator[Any]:
        """Gear, then friction."""
        yield connect(self.flange_a, self.gear.flange_a)
        yield connect(self.gear.flange_b, self.bearingFriction.flange_a)
        yield connect(self.bearingFriction.flange_b, self.flange_b)

    def at_rest(self) -> Iterator[Any]:
        """Nothing more: motor and joint are one."""
        yield from ()


class ElasticGear(Gear):
    """Dry friction, an elastic shaft, a gear."""

    i, Rv0, Rv1, peak = parameter(-105.0), parameter(0.4), parameter(0.13 / 160), parameter(1.0)
    c, d = parameter(43.0, "N.m/rad"), parameter(0.005, "N.m.s/rad")
    bearingFriction = part(rot.BearingFriction, tau_pos=_friction, peak=lambda self: self.peak)
    spring = part(rot.SpringDamper, c=lambda self: self.c, d=lambda self: self.d)
    gear = part(rot.IdealGear, ratio=lambda self: self.i)

    def equations(self) -> Iterator[Any]:
        """Friction, then spring, then gear."""
        yield connect(self.flange_a, self.bearingFriction.flange_a)
        yield connect(self.bearingFriction.flange_b, self.spring.flange_a)
        yield connect(self.spring.flange_b, self.gear.flange_a)
        yield connect(self.gear.flange_b, self.flange_b)

    def at_rest(self) -> Iterator[Any]:
        """The spring rests, and goes on to."""
        yield initial(self.spring.w_rel == 0)
        yield initial(der(self.spring.w_rel) == 0)


class Axis(Component):
    """One of the axes 4 to 6, which follows an angle and a speed [rad, rad/s] of its flange.

    Settings:
        rests: whether it begins at rest: no current changes, and the motor alone holds the load.
    """

    flange = port(rot.Flange)
    angle_ref, speed_ref = signal_in("rad"), signal_in("rad/s")
    ratio, rests = parameter(-99.0), setting(True)
    motor = part(Motor)
    controller: Any = part(Controller, ratio=lambda self: self.ratio)
    gear: Any = part(StiffGear, i=lambda self: self.ratio)

    def equations(self) -> Iterator[Any]:
        """Controller, motor, gear; the start."""
        yield connect(self.angle_ref, self.controller.angle_ref)
        yield connect(self.speed_ref, self.controller.speed_ref)
        yield connect(self.motor.angle, self.controller.angle)
        yield connect(self.motor.speed, self.controller.speed)
        yield connect(self.controller.i_ref, self.motor.i_ref)
        yield connect(self.motor.flange, self.gear.flange_a)
        yield connect(self.gear.flange_b, self.flange)
        if self.rests:
            yield initial(der(self.motor.C.v) == 0)
            yield initial(der(self.motor.La.i) == 0)
            yield initial(self.gear.bearingFriction.tau == 0)
            yield from self.gear.at_rest()


class ElasticAxis(Axis):
    """One of the axes 1 to 3."""

    gear = part(ElasticGear, i=lambda self: self.ratio)
