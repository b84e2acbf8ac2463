"""What became of components, and what is wrong with them, in their own words."""

from kinetree.acausal.diagnosis.equations import (
    excess_rows,
    list_names,
    refuse_jumps,
    refuse_singular,
    say_equation,
)

__all__ = ["excess_rows", "list_names", "refuse_jumps", "refuse_singular", "say_equation"]
