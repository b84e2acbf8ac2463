"""The diagram of a mechanism: bodies, joints, closures and forces on one view."""
