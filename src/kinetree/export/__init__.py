"""Models as things other programs run: functional mock-up units and stand-alone C packages."""
