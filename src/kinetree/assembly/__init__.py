"""Closing the loops: the equations as numbers, assembly from rough values, partition."""
