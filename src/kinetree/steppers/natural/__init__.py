"""The global formulation: natural coordinates of all bodies."""
