"""Models and components in files: loaded and saved by suffix and content."""
