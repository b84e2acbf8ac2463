"""Numerics on plain callables and arrays: no model, no expression, no Program."""
