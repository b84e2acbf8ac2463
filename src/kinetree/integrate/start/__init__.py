"""The state from which a run, or many side by side, begins."""
