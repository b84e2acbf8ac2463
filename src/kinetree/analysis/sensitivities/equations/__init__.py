"""Other ways to the tangent of the equations of motion, to be compared with the usual one."""
