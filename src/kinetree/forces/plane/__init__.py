"""Contact in the plane: profiles of two bodies, where they meet, and the forces there."""

from kinetree.forces.plane.contact import KINDS

__all__ = ["KINDS"]
