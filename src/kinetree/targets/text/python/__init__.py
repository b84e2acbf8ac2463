"""What the languages in Python share: spellings, arrays, loading of modules."""
