"""GRADE levels of sources: reading them, computing them, and the language each of them allows."""

from __future__ import annotations

from citeproof.corpus.grade.grade_computation import GradeFactors, compute_grade, read_factors
from citeproof.corpus.grade.language import Wording, check_wording, find_overclaims
from citeproof.corpus.grade.levels import parse_grade

__all__ = [
    "GradeFactors",
    "Wording",
    "check_wording",
    "compute_grade",
    "find_overclaims",
    "parse_grade",
    "read_factors",
]
