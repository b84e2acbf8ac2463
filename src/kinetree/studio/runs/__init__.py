"""Analyses in processes of their own, what they found, and how it is shown."""
