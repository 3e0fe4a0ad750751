"""A child process with limits, for hostile files."""
