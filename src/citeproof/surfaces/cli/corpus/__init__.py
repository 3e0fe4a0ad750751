"""`citeproof corpus`: documents against a research corpus and against files; `corpus cite` next to it."""

from citeproof.surfaces.cli.corpus.verify import command

__all__ = ["command"]
