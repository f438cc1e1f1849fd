"""HTTP servers of this process: one application for each address, with the same limits for all routes."""
