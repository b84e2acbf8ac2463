"""Benchmarks: one script per question; `python -m benchmarks` runs the side-by-side comparison."""
