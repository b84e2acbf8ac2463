"""Measures: one number of a run each, one file per kind."""

from kinetree.measures.at_event import AtEvent, at_event
from kinetree.measures.at_time import AtTime, at_time
from kinetree.measures.event_time import EventTime, event_time
from kinetree.measures.final import Final, final
from kinetree.measures.function_of import FunctionOf, function_of, simple_measures
from kinetree.measures.integral import Integral, integral
from kinetree.measures.mean_square import MeanSquare, RootMeanSquare, mean_square, rms
from kinetree.measures.measure import Gathered, Measure, Sighting
from kinetree.measures.misfit import Misfit, misfit
from kinetree.measures.mode import Mode, damping, frequency, growth
from kinetree.measures.of_event import OfEvent
from kinetree.measures.peak import Peak, peak
from kinetree.measures.severity import Severity, severity
from kinetree.measures.texts import measure

ALL = (
    Final, AtTime, Integral, MeanSquare, RootMeanSquare, Peak, Severity, Misfit, EventTime, AtEvent,
    Mode, FunctionOf,
)  # fmt: skip
"""Every kind."""

__all__ = [
    "ALL", "AtEvent", "AtTime", "EventTime", "Final", "FunctionOf", "Gathered", "Integral",
    "MeanSquare", "Measure", "Misfit", "Mode", "OfEvent", "Peak", "RootMeanSquare", "Severity",
    "Sighting", "at_event", "at_time", "damping", "event_time", "final", "frequency",
    "function_of", "growth", "integral", "mean_square", "measure", "misfit", "peak", "rms",
    "severity", "simple_measures",
]  # fmt: skip
