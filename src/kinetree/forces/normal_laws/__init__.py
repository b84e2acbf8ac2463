"""Laws of the normal force of a contact: one file each, one row each.

A new law is a new file with a `LAW` row and one more name in ALL.
"""

from __future__ import annotations

from kinetree.forces.normal_laws import felt, hunt_crossley, lankarani_nikravesh, linear, user
from kinetree.forces.normal_laws.law import NormalLaw

ALL = (linear.LAW, hunt_crossley.LAW, lankarani_nikravesh.LAW, felt.LAW, user.LAW)

__all__ = ["ALL", "NormalLaw"]
