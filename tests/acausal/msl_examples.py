"""Examples of the Modelica Standard Library 4.0.0 as connected components."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi, sqrt
from typing import Any

from kinetree.acausal import Component, connect, der, initial, part
from kinetree.library import blocks, electrical, r3, rotational, thermal, translational

el, rot, tr, th = electrical, rotational, translational, thermal


class First(Component):
    """Rotational.Examples.First: a motor, a gear, a spring, a load."""

    sine, torque = part(blocks.Sine, amplitude=10.0, f=5.0), part(rot.Torque)
    inertia1, idealGear = part(rot.Inertia, J=0.1), part(rot.IdealGear, ratio=10.0)
    inertia2, spring = part(rot.Inertia, J=2.0), part(rot.Spring, c=1e4)
    inertia3, damper, fixed = part(rot.Inertia, J=2.0), part(rot.Damper, d=10.0), part(rot.Fixed)

    def equations(self) -> Iterator[Any]:
        yield connect(self.sine.y, self.torque.tau)
        yield connect(self.torque.flange, self.inertia1.flange_a)
        yield connect(self.inertia1.flange_b, self.idealGear.flange_a)
        yield connect(self.idealGear.flange_b, self.inertia2.flange_a)
        yield connect(self.inertia2.flange_b, self.spring.flange_a, self.damper.flange_a)
        yield connect(self.spring.flange_b, self.inertia3.flange_a)
        yield connect(self.damper.flange_b, self.fixed.flange)


class Backlash(Component):
    """Rotational.Examples.Backlash: springs of 20e3 with and without backlash."""

    fixed, inertia1, inertia2 = part(rot.Fixed), part(rot.Inertia, J=5.0), part(rot.Inertia, J=5.0)
    springDamper = part(rot.SpringDamper, c=20e3, d=50.0)
    elastoBacklash = part(rot.ElastoBacklash, c=20e3, d=50.0, b=pi / 4)

    def equations(self) -> Iterator[Any]:
        yield connect(self.fixed.flange, self.springDamper.flange_a)
        yield connect(self.springDamper.flange_b, self.inertia1.flange_a)
        yield connect(self.fixed.flange, self.elastoBacklash.flange_a)
        yield connect(self.elastoBacklash.flange_b, self.inertia2.flange_a)


class Oscillator(Component):
    """Translational.Examples.Oscillator: resonance with and without a damper."""

    sine1, sine2 = part(blocks.Sine, f=15.9155), part(blocks.Sine, f=15.9155)
    force1, force2 = part(tr.Force), part(tr.Force)
    mass1, mass2 = part(tr.Mass, L=1.0, s=-0.5, v=0.0), part(tr.Mass, L=1.0, s=-0.5, v=0.0)
    spring1, spring2 = part(tr.Spring, s_rel0=1.0, c=1e4), part(tr.Spring, s_rel0=1.0, c=1e4)
    damper1 = part(tr.Damper, d=10.0)
    fixed1, fixed2 = part(tr.Fixed, s0=1.0), part(tr.Fixed, s0=1.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.sine1.y, self.force1.f)
        yield connect(self.sine2.y, self.force2.f)
        yield connect(self.force1.flange, self.mass1.flange_a)
        yield connect(self.mass1.flange_b, self.spring1.flange_a)
        yield connect(self.spring1.flange_b, self.fixed1.flange)
        yield connect(self.force2.flange, self.mass2.flange_a)
        yield connect(self.mass2.flange_b, self.spring2.flange_a, self.damper1.flange_a)
        yield connect(self.spring2.flange_b, self.damper1.flange_b, self.fixed2.flange)


class TwoMasses(Component):
    """Thermal.HeatTransfer.Examples.TwoMasses."""

    mass1 = part(th.HeatCapacitor, C=15.0, T=373.15)
    mass2 = part(th.HeatCapacitor, C=15.0, T=273.15)
    conduction = part(th.ThermalConductor, G=10.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.mass1.port, self.conduction.port_a)
        yield connect(self.conduction.port_b, self.mass2.port)


class CauerLowPassAnalog(Component):
    """Electrical.Analog.Examples.CauerLowPassAnalog: a filter of fifth order."""

    l1, l2 = 1.304, 0.8586
    V, G = part(el.StepVoltage, startTime=1.0), part(el.Ground)
    R1, R2 = part(el.Resistor), part(el.Resistor)
    L1, L2 = part(el.Inductor, L=l1), part(el.Inductor, L=l2)
    C1, C3, C5 = (
        part(el.Capacitor, C=1.072),
        part(el.Capacitor, C=1.682),
        part(el.Capacitor, C=0.7262),
    )
    C2 = part(el.Capacitor, C=1 / (1.704992**2 * l1))
    C4 = part(el.Capacitor, C=1 / (1.179945**2 * l2))

    def equations(self) -> Iterator[Any]:
        yield connect(self.V.p, self.R1.p)
        yield connect(self.R1.n, self.C1.p, self.L1.p, self.C2.p)
        yield connect(self.L1.n, self.C2.n, self.C3.p, self.L2.p, self.C4.p)
        yield connect(self.L2.n, self.C4.n, self.C5.p, self.R2.p)
        yield connect(self.V.n, self.C1.n, self.C3.n, self.C5.n, self.R2.n, self.G.p)


class Continuous(Component):
    """Clocked.Examples.SimpleControlledDrive.Continuous: a PI controller on a shaft."""

    ramp, feedback = part(blocks.Ramp, duration=2.0), part(blocks.Feedback)
    PI, torque = part(blocks.PI, k=110.0, T=0.1), part(rot.Torque)
    load, speed = part(rot.Inertia, J=10.0), part(rot.SpeedSensor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.ramp.y, self.feedback.u1)
        yield connect(self.speed.w, self.feedback.u2)
        yield connect(self.feedback.y, self.PI.u)
        yield connect(self.PI.y, self.torque.tau)
        yield connect(self.torque.flange, self.load.flange_a)
        yield connect(self.load.flange_b, self.speed.flange)


class CoupledClutches(Component):
    """Rotational.Examples.CoupledClutches: four shafts and three clutches in a row."""

    J1, J2 = part(rot.Inertia, phi=0.0, w=10.0), part(rot.Inertia, phi=0.0, w=0.0)
    J3, J4 = part(rot.Inertia, phi=0.0, w=0.0), part(rot.Inertia, phi=0.0, w=0.0)
    clutch1, clutch2, clutch3 = (part(rot.Clutch, peak=1.1, fn_max=20.0) for _ in range(3))
    torque, fixed = part(rot.Torque, useSupport=True), part(rot.Fixed)
    sin1, sin2 = part(blocks.Sine, amplitude=10.0, f=5.0), part(blocks.Sine, f=0.2, phase=pi / 2)
    step1, step2 = part(blocks.Step, startTime=0.4), part(blocks.Step, startTime=0.9)

    def equations(self) -> Iterator[Any]:
        yield connect(self.sin1.y, self.torque.tau)
        yield connect(self.fixed.flange, self.torque.support)
        yield connect(self.torque.flange, self.J1.flange_a)
        yield connect(self.J1.flange_b, self.clutch1.flange_a)
        yield connect(self.clutch1.flange_b, self.J2.flange_a)
        yield connect(self.J2.flange_b, self.clutch2.flange_a)
        yield connect(self.clutch2.flange_b, self.J3.flange_a)
        yield connect(self.J3.flange_b, self.clutch3.flange_a)
        yield connect(self.clutch3.flange_b, self.J4.flange_a)
        yield connect(self.sin2.y, self.clutch1.f_normalized)
        yield connect(self.step1.y, self.clutch2.f_normalized)
        yield connect(self.step2.y, self.clutch3.f_normalized)


class OneWayClutch(Component):
    """Rotational.Examples.OneWayClutch."""

    inertiaIn, inertiaOut = part(rot.Inertia, phi=0.0, w=-0.5), part(rot.Inertia, phi=0.0, w=0.0)
    oneWayClutch = part(rot.OneWayClutch, peak=25.0, fn_max=3.0)
    torque, signalTorque = part(rot.Torque), part(blocks.Sine, amplitude=10.0, f=3.0)
    signalEngagement = part(blocks.Pulse, period=1.3, startTime=0.3)

    def equations(self) -> Iterator[Any]:
        yield connect(self.signalTorque.y, self.torque.tau)
        yield connect(self.torque.flange, self.inertiaIn.flange_a)
        yield connect(self.inertiaIn.flange_b, self.oneWayClutch.flange_a)
        yield connect(self.oneWayClutch.flange_b, self.inertiaOut.flange_a)
        yield connect(self.signalEngagement.y, self.oneWayClutch.f_normalized)


class ElasticBearing(Component):
    """Rotational.Examples.ElasticBearing: a gear whose housing moves."""

    shaft, load = part(rot.Inertia, phi=0.0, w=0.0), part(rot.Inertia, J=50.0, w=0.0)
    spring, fixed = part(rot.Spring, c=1e3, phi_rel=0.0), part(rot.Fixed)
    springDamper = part(rot.SpringDamper, c=1e5, d=5.0, phi_rel=0.0, w_rel=0.0)
    torque, ramp = part(rot.Torque, useSupport=True), part(blocks.Ramp, duration=5.0, height=100.0)
    idealGear, housing = part(rot.IdealGear, ratio=3.0, useSupport=True), part(rot.Inertia, J=5.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.ramp.y, self.torque.tau)
        yield connect(self.torque.flange, self.shaft.flange_a)
        yield connect(self.shaft.flange_b, self.idealGear.flange_a)
        yield connect(self.idealGear.flange_b, self.spring.flange_a)
        yield connect(self.spring.flange_b, self.load.flange_a)
        yield connect(self.idealGear.support, self.housing.flange_b)
        yield connect(self.housing.flange_a, self.springDamper.flange_b)
        yield connect(self.springDamper.flange_a, self.fixed.flange, self.torque.support)


class ElastoGap(Component):
    """Translational.Examples.ElastoGap: a mass between springs, and one between gaps."""

    fixed, rod1, rod2 = part(tr.Fixed), part(tr.Rod, L=2.0), part(tr.Rod, L=2.0)
    springDamper1, springDamper2 = (
        part(tr.SpringDamper, c=10.0, s_rel0=1.0, d=1.5) for _ in range(2)
    )
    elastoGap1, elastoGap2 = (part(tr.ElastoGap, c=10.0, s_rel0=1.5, d=1.5) for _ in range(2))
    mass1, mass2 = (part(tr.Mass, s=2.0, v=0.0) for _ in range(2))

    def equations(self) -> Iterator[Any]:
        yield connect(self.rod1.flange_b, self.fixed.flange, self.rod2.flange_a)
        yield connect(self.springDamper1.flange_a, self.rod1.flange_a, self.elastoGap1.flange_a)
        yield connect(self.springDamper2.flange_b, self.rod2.flange_b, self.elastoGap2.flange_b)
        yield connect(self.springDamper1.flange_b, self.mass1.flange_a)
        yield connect(self.mass1.flange_b, self.springDamper2.flange_a)
        yield connect(self.elastoGap1.flange_b, self.mass2.flange_a)
        yield connect(self.mass2.flange_b, self.elastoGap2.flange_a)


class OneAxis(Component):
    """MultiBody.Examples.Systems.RobotR3.OneAxis: the second axis of the r3 turns a load."""

    axis = part(
        r3.ElasticAxis, ratio=210.0, motor={"w": 5500.0},
        controller={"kp": 5.0, "ks": 0.5, "Ts": 0.05},
        gear={"c": 8.0, "d": 0.01, "Rv0": 0.5, "Rv1": 0.1 / 130},
    )  # fmt: skip
    load = part(rot.Inertia, J=1.3 * 15)
    planning = part(blocks.KinematicPTP, q_end=(2 * pi / 3,), qd_max=(3.0,), qdd_max=(10.0,))

    def equations(self) -> Iterator[Any]:
        yield connect(self.axis.flange, self.load.flange_a)
        yield connect(self.axis.angle_ref, self.planning.motion[0].q)
        yield connect(self.axis.speed_ref, self.planning.motion[0].qd)


class Rectifier(Component):
    """Electrical.Analog.Examples.Rectifier: a bridge of six diodes."""

    def setup(self) -> None:
        line = {"f": 50.0, "V": 400 * sqrt(2 / 3)}
        self.SineVoltage = [el.SineVoltage(phase=-2 * k / 3 * pi, **line) for k in range(3)]
        self.IdealDiode = [el.IdealDiode(Ron=1e-3, Goff=1e-3, Vknee=2.0) for _ in range(6)]
        self.Inductor1 = el.Inductor(L=60e-6)
        self.Inductor2, self.Inductor3 = (el.Inductor(L=60e-6, i=0.0) for _ in range(2))

    Capacitor1, Capacitor2 = (part(el.Capacitor, C=30e-3, v=200 * sqrt(2)) for _ in range(2))
    Ground1, load = part(el.Ground), part(el.ConstantCurrent, I=500.0)

    def equations(self) -> Iterator[Any]:
        D, coils = self.IdealDiode, (self.Inductor1, self.Inductor2, self.Inductor3)
        yield connect(*[source.n for source in self.SineVoltage])
        for k, (source, coil) in enumerate(zip(self.SineVoltage, coils, strict=True)):
            yield connect(source.p, coil.p)
            yield connect(coil.n, D[k].p, D[k + 3].n)
        yield connect(*[diode.n for diode in D[:3]], self.Capacitor1.p, self.load.p)
        yield connect(*[diode.p for diode in D[3:]], self.Capacitor2.n, self.load.n)
        yield connect(self.Capacitor1.n, self.Capacitor2.p, self.Ground1.p)


class CauerLowPassOPV(Component):
    """Electrical.Analog.Examples.CauerLowPassOPV: the filter with operational amplifiers."""

    l1, l2 = 1.304, 0.8586
    c2, c4 = 1 / (1.704992**2 * l1), 1 / (1.179945**2 * l2)
    C1, C2 = part(el.Capacitor, C=1.072 + c2, v=0.0), part(el.Capacitor, C=c2, v=0.0)
    C3, C4 = part(el.Capacitor, C=l1, v=0.0), part(el.Capacitor, C=c4, v=0.0)
    C5, C6 = part(el.Capacitor, C=c2), part(el.Capacitor, C=c2 + 1.682 + c4)
    C7, C8 = part(el.Capacitor, C=l2, v=0.0), part(el.Capacitor, C=c4)
    C9, V, G = (
        part(el.Capacitor, C=c4 + 0.7262),
        part(el.StepVoltage, startTime=1.0),
        part(el.Ground),
    )
    R1, R2, R3, R6, R7, R10, R11 = (part(el.Resistor) for _ in range(7))
    R4, R5, R8, R9 = (part(el.Resistor, R=-1.0) for _ in range(4))

    def setup(self) -> None:
        self.Op = [el.IdealOpAmp() for _ in range(5)]

    def equations(self) -> Iterator[Any]:
        one, two, three, four, five = self.Op
        yield connect(self.V.p, self.G.p, *[pin for op in self.Op for pin in (op.p1, op.n2)])
        yield connect(self.V.n, self.R1.p)
        yield connect(self.R1.n, one.n1, self.C2.n, self.R2.n, self.C1.p, self.R3.p)
        yield connect(self.C1.n, self.R3.n, one.p2, self.R4.p, self.C5.p)
        yield connect(self.R4.n, two.n1, self.C3.p, self.R5.n)
        yield connect(self.C3.n, two.p2, self.R2.p, self.R7.p)
        yield connect(self.R7.n, three.n1, self.C5.n, self.R6.n, self.C6.p, self.C4.n)
        yield connect(self.C6.n, three.p2, self.R9.p, self.R5.p, self.C2.p, self.C8.p)
        yield connect(self.R8.n, self.R9.n, four.n1, self.C7.p)
        yield connect(self.C7.n, self.R6.p, four.p2, self.R10.p)
        yield connect(self.C4.p, self.R8.p, self.R11.n, self.C9.n, five.p2)
        yield connect(self.R10.n, self.C9.p, self.R11.p, five.n1, self.C8.n)


class PIDController(Component):
    """Blocks.Examples.PID_Controller: a PI controller with bounds, begun in a steady state."""

    PI = part(blocks.LimPID, k=100.0, Ti=0.1, yMax=12.0, Ni=0.1, controllerType="PI")
    inertia1, inertia2 = part(rot.Inertia, phi=0.0, a=0.0), part(rot.Inertia, J=2.0)
    torque, spring = part(rot.Torque), part(rot.SpringDamper, c=1e4, d=100.0, w_rel=0.0)
    kinematicPTP = part(blocks.KinematicPTP, q_end=(pi / 2,), startTime=0.5)
    integrator, speedSensor = part(blocks.Integrator, y=0.0), part(rot.SpeedSensor)
    loadTorque = part(rot.ConstantTorque, tau_constant=10.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.kinematicPTP.motion[0].qdd, self.integrator.u)
        yield connect(self.integrator.y, self.PI.u_s)
        yield connect(self.speedSensor.w, self.PI.u_m)
        yield connect(self.PI.y, self.torque.tau)
        yield connect(self.torque.flange, self.inertia1.flange_a)
        yield connect(self.inertia1.flange_b, self.spring.flange_a, self.speedSensor.flange)
        yield connect(self.spring.flange_b, self.inertia2.flange_a)
        yield connect(self.loadTorque.flange, self.inertia2.flange_b)
        yield initial(der(self.PI.I) == 0)
        yield initial(der(self.spring.w_rel) == 0)


class InverseModel(Component):
    """Blocks.Examples.InverseModel: a block is given its output, and tells its input."""

    firstOrder1, firstOrder2 = part(blocks.FirstOrder, T=0.3), part(blocks.FirstOrder, T=0.3)
    sine = part(blocks.Sine, f=2.0, offset=1.0, startTime=0.2)
    criticalDamping = part(blocks.FirstOrder, T=1 / (200 * pi))

    def equations(self) -> Iterator[Any]:
        yield connect(self.sine.y, self.criticalDamping.u)
        yield connect(self.criticalDamping.y, self.firstOrder1.y)
        yield connect(self.firstOrder1.u, self.firstOrder2.u)
        yield initial(der(self.firstOrder1.y) == 0)
        yield initial(der(self.firstOrder2.y) == 0)


class Clocked(Continuous):
    """Clocked.Examples.SimpleControlledDrive.ClockedWithDiscreteTextbookController."""

    PI = part(blocks.DiscretePI, kd=110.0, Td=1.0)


class ControlledTemperature(Component):
    """Thermal.HeatTransfer.Examples.ControlledTemperature: a resistor switched on and off."""

    ground, constantVoltage = part(el.Ground), part(el.ConstantVoltage, V=10.0)
    heatCapacitor = part(th.HeatCapacitor, C=1.0, T=293.15)
    resistor = part(el.HeatingResistor, R=10.0, T_ref=293.15, alpha=1 / 255)
    fixedTemperature = part(th.FixedTemperature, T=293.15)
    thermalConductor, idealSwitch = part(th.ThermalConductor, G=0.1), part(el.IdealSwitch)
    ramp = part(blocks.Ramp, height=25.0, duration=6.0, offset=25.0, startTime=2.0)
    onOffController = part(blocks.OnOffController, bandwidth=2.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.constantVoltage.p, self.idealSwitch.p)
        yield connect(self.idealSwitch.n, self.resistor.p)
        yield connect(self.constantVoltage.n, self.resistor.n, self.ground.p)
        yield connect(self.resistor.heatPort, self.thermalConductor.port_a, self.heatCapacitor.port)
        yield connect(self.thermalConductor.port_b, self.fixedTemperature.port)
        yield connect(self.ramp.y, self.onOffController.reference)
        yield self.onOffController.u == self.heatCapacitor.T - 273.15
        yield self.idealSwitch.control == 1 - self.onOffController.y
