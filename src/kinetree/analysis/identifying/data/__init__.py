"""What was recorded: files, units, and recordings that no parameters can be told from."""
