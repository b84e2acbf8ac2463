"""Runs of many steps: where they begin, how they go on, what is said when they fail."""
