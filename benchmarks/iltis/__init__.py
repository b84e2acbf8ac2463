"""The Iltis study: formulations and structural integrators on stairs, beside Cuadrado and Dopico.

`python -m benchmarks.iltis` measures everything and writes the tables and pictures of
docs/theory/iltis_study.md; `--from-data` writes them again from the stored measurements.
"""
