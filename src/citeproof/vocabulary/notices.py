"""What lists and records say about the standing of a cited work: typed notices."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoticeKind(StrEnum):
    """What became of a work, in the words of its publisher or registry."""

    RETRACTED = "retracted"
    PARTIAL = "partial"  # a part of it was retracted
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    REPLACED = "replaced"  # retracted, and a corrected version put in its place under the same identifier
    EXPRESSION_OF_CONCERN = "expression_of_concern"
    CORRECTED = "corrected"
    REINSTATED = "reinstated"  # cancels what was said before


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice about one work."""

    kind: NoticeKind
    day: str = ""  # ISO 8601; empty: not known
    doi: str = ""  # of the notice itself
    about: str = ""  # how the work was recognised: "10.1000/x", "PMID 123", "title and author"
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """What identifies a cited work in a list."""

    dois: tuple[str, ...] = ()
    pmids: tuple[str, ...] = ()
    title: str = ""
    families: tuple[str, ...] = ()  # family names of the authors
    year: int | None = None


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """What one list says about one work. With `trouble` its silence means nothing."""

    name: str  # of the list, such as "retraction_watch"
    day: str = ""  # the list's own date
    digest: str = ""  # SHA-256 of the compiled list
    notices: tuple[Notice, ...] = ()
    trouble: str = ""  # why the list clears nothing: missing, damaged, too old
