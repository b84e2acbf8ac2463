"""The command line as ``python -m kinetree.cli``."""

from kinetree.cli import main

main()
