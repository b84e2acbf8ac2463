"""Equations that a step is made of: residuals, loops, coordinates, scales, inputs."""
