"""Runs of which some moments are kept, so that all of their steps can be made again."""
