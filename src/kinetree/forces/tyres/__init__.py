"""Tyres: one law each, in the contact frame of `wheels`."""
