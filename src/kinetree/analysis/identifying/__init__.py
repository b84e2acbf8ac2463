"""Identification: recordings, columns, estimates, one file per kind of estimate, and their page."""
