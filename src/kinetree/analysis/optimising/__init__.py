"""Optimal values: methods by name, trials with their journal, the result."""
