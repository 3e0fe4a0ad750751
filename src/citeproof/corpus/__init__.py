"""Markdown documents verified against a research corpus, and their code citations against files."""
