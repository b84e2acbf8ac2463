"""Equations of motion among those of connected components."""
