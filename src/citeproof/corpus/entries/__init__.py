"""The entries of a research corpus: sources and findings, and what assessments say of their evidence."""

from __future__ import annotations

from citeproof.corpus.entries.base import Entry, Reading, Trouble
from citeproof.corpus.entries.library import Library, is_first
from citeproof.corpus.entries.load import load

__all__ = ["Entry", "Library", "Reading", "Trouble", "is_first", "load"]
