"""What an identification tells people: words, units, pages, pictures."""
