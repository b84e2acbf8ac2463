"""Derivatives of runs in equal steps: tangents and reverse of whole steps."""
