"""Loops over time in machine code: explicit methods, CVODE, steps of Programs."""
