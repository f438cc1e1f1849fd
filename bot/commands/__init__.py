"""The commands, one module a subject. Each reads settings, opens Citewell, and prints."""
