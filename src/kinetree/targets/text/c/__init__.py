"""What C and C++ share: spellings, sines, linear systems, tables."""
