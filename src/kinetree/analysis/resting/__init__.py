"""Equations of a state of rest, and how it is found."""
