"""Results: runs as datasets with names, units and a manifest; on disk as NetCDF or CSV."""
