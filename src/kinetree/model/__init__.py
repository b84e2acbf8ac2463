"""The description of a mechanism: bodies, points, joints, wrenches, parameters."""
