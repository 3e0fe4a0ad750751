"""Documents to references as they are written: one file or folder with an `EXTRACTOR` a format."""
