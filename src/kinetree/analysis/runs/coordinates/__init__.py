"""In which coordinates a run goes: independent ones, or all of them on the loops."""
