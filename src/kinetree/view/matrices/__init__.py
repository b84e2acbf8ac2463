"""Models given by position matrices: the motion of their factors, and the joints drawn from it."""
