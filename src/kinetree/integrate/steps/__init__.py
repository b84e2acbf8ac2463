"""Runs of a step that is a Program: equal steps, steps by their error, batches."""
