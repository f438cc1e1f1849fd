"""HTTP served by this process: one application with one set of limits, and what it asks of whoever has routes."""
