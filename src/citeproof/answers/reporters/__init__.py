"""A report as text, one output format a file; see `base` for the interface and the registry."""
