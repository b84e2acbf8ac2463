"""What users give to an analysis: values by name, start states, motions, loads, times."""
