"""The studio: a model file edited, drawn, checked and run in the browser, on this machine alone."""
