"""The commands, one module for each subject. Each reads settings, opens Citewell, and prints."""
