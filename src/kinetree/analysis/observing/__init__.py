"""Outputs of models: their Program, and dynamics that give them."""
