"""The body of a work, one file a format: its text without its own reference list, with sections and pages."""
