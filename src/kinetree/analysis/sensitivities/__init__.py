"""Sensitivities of runs: what may vary, what is measured, and how the one follows the other."""
