"""What is held still: bonds between speeds, dry friction and locks."""
