"""The wiring: settings become live objects, and the command line starts them."""
