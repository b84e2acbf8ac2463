"""Formalisms: one algorithm per file, each from a linkage to equations."""
