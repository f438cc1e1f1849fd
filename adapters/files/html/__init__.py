"""HTML, and the formats that are HTML below: what a reader sees of a page, as blocks."""
