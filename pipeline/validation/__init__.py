"""Whether a sentence is supported by the passages it names."""
