"""Integration over time in native code: loops of explicit methods, CVODE, fixed steps."""
