"""Methods that add elements to a model: joints, closures, force elements, external forces."""
