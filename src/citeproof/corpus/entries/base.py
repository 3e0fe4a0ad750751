"""The nouns of a corpus: its entries, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.corpus.corpus_types import Grade
from citeproof.vocabulary import Name


@dataclass(frozen=True, slots=True)
class CorpusTrouble:
    """Something that is wrong with a file of the corpus."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One source or finding of the corpus, and what is known of it."""

    path: str  # project path of the file
    role: str  # "source" | "finding"
    ref: str = ""  # REF id that it states: in its front matter, its heading or a label
    named: str = ""  # REF id in its file name
    title: str = ""
    authors: tuple[Name, ...] = ()
    year: int | None = None
    doi: str = ""  # in its normal form
    pages: tuple[int, int] | None = None  # first and last page as published
    total_pages: int | None = None
    type: str = ""  # source type as written
    grade: Grade | None = None
    grade_from: str = ""  # project path of the file that gives the level
    verified: str = ""  # ISO date of the last time somebody examined it
    retracted: bool = False
    text: str = ""  # project path of the full text, if its front matter names one
    digest: str = ""  # of the bytes of all files that it was read from
