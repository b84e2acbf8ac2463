"""Stops: gaps and their motion, contacts and impacts in forward dynamics.

| module | what it does |
|---|---|
| gaps | the gaps of all stops, their rates and gradients |
| contact_modes | which gaps are in contact, and the impulses of impacts |
| pinned | joints with dry friction against their stops |
| contacts | forward dynamics with the forces of contacts |
"""

from kinetree.formalism.stops.contacts import with_stops
from kinetree.formalism.stops.gaps import gaps, with_motion, write_gaps

__all__ = ["gaps", "with_motion", "with_stops", "write_gaps"]
