"""Derivatives of places: equilibria, steady motions, their linear models and modes."""
