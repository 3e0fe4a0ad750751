"""What lists and records say about the standing of a cited work: typed notices."""

from __future__ import annotations

from enum import StrEnum

from citeproof.vocabulary.quick_dataclass import dataclass


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
    venues: tuple[str, ...] = ()  # where it appeared: as cited, then as its record says
    issns: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()  # of its web addresses: "www.example.org"


VENUE_REGISTRY = "snapshot_venues"  # the list of venues in which records of a snapshot appeared


class VenueStanding(StrEnum):
    """What a list says about a journal, a conference or a publisher."""

    KNOWN = "known"  # the venue exists
    PREDATORY_JOURNAL = "predatory_journal"  # listed as such, in the words of the list
    PREDATORY_PUBLISHER = "predatory_publisher"
    HIJACKED = "hijacked"  # somebody else uses the name of a real journal
    INDEXED = "indexed"  # in a directory that admits journals by rules, such as DOAJ
    WITHDRAWN = "withdrawn"  # the directory took it out


@dataclass(frozen=True, slots=True)
class VenueListing:
    """One line of a list about one venue."""

    standing: VenueStanding
    title: str  # as the list has it
    found_by: str = ""  # "ISSN 1234-5678", "title", "publisher", "host example.org"
    day: str = ""  # of the line, where the list dates its lines
    reason: str = ""
    exact: bool = True  # else a name so like it that only a person can tell


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """What one list says about one work or its venue. With `trouble` its silence means nothing."""

    name: str  # of the list, such as "retraction_watch"
    day: str = ""  # the list's own date
    digest: str = ""  # SHA-256 of the compiled list
    notices: tuple[Notice, ...] = ()
    trouble: str = ""  # why the list clears nothing: missing, damaged, too old
    listings: tuple[VenueListing, ...] = ()
    subject: str = "works"  # "venues": what the list is about; "cited": works that the cited work cites
