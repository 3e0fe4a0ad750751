"""How a changed field is written back: one file per format; the folder is the registry."""
