"""Text as text: sentences, terms, numbers, links, languages, and what we say ourselves."""
