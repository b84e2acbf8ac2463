"""Formulations: how the equations of one step are set up and solved."""
