"""What panes show, each a function of the text."""
