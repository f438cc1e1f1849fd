"""PDF and the formats of Office."""
