"""HTML, and the formats that build on it: the visible content of a page, as blocks."""
