"""Forces between two points, along their line or an axis."""
