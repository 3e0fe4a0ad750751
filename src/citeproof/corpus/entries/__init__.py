"""The entries of a research corpus: sources and findings, and what assessments say of their evidence."""

from __future__ import annotations

from citeproof.corpus.corpus_types import CorpusEntry, CorpusTrouble
from citeproof.corpus.entries.corpus_loader import CorpusLibrary, is_first_author, load

__all__ = ["CorpusEntry", "CorpusLibrary", "CorpusTrouble", "is_first_author", "load"]
