"""Edits of model files on their text: what is not edited keeps its bytes."""
