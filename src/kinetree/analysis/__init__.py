"""Analyses: one file per question that an engineer asks of a model."""
