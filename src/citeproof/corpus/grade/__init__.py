"""GRADE levels of sources: reading them, computing them, and the language each of them allows."""

from __future__ import annotations

from citeproof.corpus.grade.computing import Factors, compute, factors
from citeproof.corpus.grade.language import Wording, check, overclaims
from citeproof.corpus.grade.levels import level

__all__ = ["Factors", "Wording", "check", "compute", "factors", "level", "overclaims"]
