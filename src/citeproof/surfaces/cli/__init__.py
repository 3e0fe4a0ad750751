"""The command line: one command a file, listed in `main`; flags of settings come from their table."""
