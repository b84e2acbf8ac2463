"""Model files: YAML with a published schema, and URDF."""
