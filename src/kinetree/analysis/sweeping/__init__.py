"""Sweeps: plans of runs, runs that are measured alone, parts of results on disk."""
