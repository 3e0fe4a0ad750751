"""Reports of verified Markdown documents, one output format a file."""
