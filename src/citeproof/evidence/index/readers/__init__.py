"""One reader per dump format; the folder is the registry."""
