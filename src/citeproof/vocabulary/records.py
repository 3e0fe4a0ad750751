"""What sources know: records, questions and answers."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from citeproof.vocabulary.quick_dataclass import dataclass, field
from citeproof.vocabulary.reasons import StopReason
from citeproof.vocabulary.references import NO_IDS, Ids, Kind, Name, Reference, WordedEnum

MEMORY = "memory"  # the source that proposes works judged matched before

# Marks that carry a value begin with one of these.
LISTED = "list:"  # one of the lists from which a record was compiled
COPY = "copy:"  # the address of the archived copy that was read
ORCID = "orcid:"  # of an author, then the name: "orcid:0000-0002-1825-0097 Josiah Carberry"
RELATED = "related:"  # another work and how it relates to this one: "related:comment doi 10.1000/x"
DATES_CLASH = "dates_clash:"  # two dates of the work that cannot both be right


@dataclass(frozen=True, slots=True)
class Version:
    """One dated appearance of a work: preprint version, online first, proceedings, journal."""

    year: int | None = None
    venue: str | None = None
    kind: Kind = Kind.UNKNOWN
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One work as one source describes it."""

    source: str
    id: str  # the source's own name for this record
    titles: tuple[str, ...]  # all known titles, the main one first
    authors: tuple[Name, ...] = ()
    authors_complete: bool = True  # False: a list known to be truncated can confirm, not convict
    versions: tuple[Version, ...] = ()
    versions_complete: bool = True  # False: its source misses where many works were published
    kind: Kind = Kind.UNKNOWN
    publisher: str | None = None
    ids: Ids = NO_IDS
    marks: tuple[str, ...] = ()  # facts the source states, e.g. "retracted"
    work: str = ""  # records of one work (preprint, proceedings, journal) share this link
    read_at: str | None = None  # ISO 8601, when the source was read
    content_hash: str = ""  # SHA-256 of the raw answer or stored record
    cites: tuple[str, ...] = ()  # works that it cites, where an answer has them: "10.1000/x", "pmid:123"

    def __hash__(self) -> int:
        return hash((self.source, self.id))

    @property
    def title(self) -> str:
        return self.titles[0] if self.titles else ""


class Cause(WordedEnum):
    """Why a source could not answer."""

    TIMEOUT = "timeout", "did not answer in time"
    RATE_LIMITED = "rate_limited", "rate limit reached"
    OFFLINE = "offline", "not asked, because this run is offline"
    NOT_COVERED = "not_covered", "does not cover such works"
    MALFORMED = "malformed", "its answer could not be read"
    TOO_LARGE = "too_large", "its answer was too large"
    BOT_WALL = "bot_wall", "answered with a bot check instead of data"
    NEEDS_KEY = "needs_key", "needs a key that is not set"
    OVER_BUDGET = "over_budget", "its budget is used up"
    BUG = "bug", "failed because of a bug in citeproof"

    @property
    def was_asked(self) -> bool:
        """Whether the source was asked, or would have been had it not just failed."""
        return self not in (Cause.OFFLINE, Cause.NOT_COVERED, Cause.NEEDS_KEY, Cause.OVER_BUDGET)


class Reach(StrEnum):
    """What a source's silence means for one question."""

    PARTIAL = "partial"  # nothing: it does not claim to hold such works
    COVERS = "covers"  # it covers the type; two independent ones together mean absence
    COMPLETE = "complete"  # it claims to hold all such works, or is the identifier's own authority


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked about one reference. `by` is an identifier scheme, or one of
    "title", "raw", "authors", "mention" (people and year named in running text)."""

    by: str
    value: str
    reference: Reference


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request of a lookup and what came back, without keys, addresses of people, or the body itself.

    `batch`: the request asked for many references at once. Without an answer `sha256` is empty and
    `cause` and `detail` say why.
    """

    asked: str  # "GET https://…", or "POST https://… <SHA-256 of the body>"
    sha256: str = ""  # of the body, which the evidence store holds
    status: int = 0
    media: str = ""
    at: str = ""  # RFC 3339, when it was fetched
    absent: bool = False
    batch: bool = False
    url: str = ""  # where the answer came from, when a redirect led elsewhere
    headers: tuple[tuple[str, str], ...] = ()
    cause: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The source has records that may answer the question, best first.

    An authority that knows an identifier and describes no work (doi.org) has no records and a `note`.
    """

    source: str
    by: str
    records: tuple[Record, ...]
    reach: Reach = Reach.PARTIAL
    note: str = ""
    whole: bool = field(default=False, compare=False)  # the source claims to hold everything there is
    value: str = field(default="", compare=False)  # what it was asked for
    heard: tuple[Exchange, ...] = field(default=(), compare=False, repr=False)  # what it rests on


@dataclass(frozen=True, slots=True)
class Absent:
    """The source answered fully, and has nothing."""

    source: str
    by: str
    reach: Reach = Reach.COVERS
    value: str = field(default="", compare=False)  # what it was asked for
    heard: tuple[Exchange, ...] = field(default=(), compare=False, repr=False)  # what it rests on


# Words that every interface shows, so that all say the same.
NOT_CHECKED = "could not be checked"
COULD_NOT_CHECK = "could not check"  # begins the result of one citation
NOT_READ = "could not be read"
CHECKED_AGAINST = "checked against"
PAUSED = "left alone for now: "  # begins the detail where a source failed just before and was spared


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The source could not answer, and says why. `reach`: what a missing work would have meant."""

    source: str
    by: str
    cause: Cause
    detail: str = ""
    reach: Reach = Reach.PARTIAL
    value: str = field(default="", compare=False)  # what it was asked for
    heard: tuple[Exchange, ...] = field(default=(), compare=False, repr=False)  # what it rests on


Lookup: TypeAlias = Found | Absent | Unchecked


@dataclass(frozen=True, slots=True)
class LookupTiming:
    """One lookup as telemetry: who was asked, what came of it, how long it took. No part of a judgement.

    `outcome` is "found", "absent" or the cause; `kept` means that an earlier answer was used.
    """

    source: str
    by: str
    outcome: str
    seconds: float
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """An early stop: which questions were not asked, and why the evidence already decided."""

    reason: StopReason
    not_asked: tuple[str, ...]  # "source/by"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Everything the sources said about one reference. A judgement depends on the *set*."""

    lookups: tuple[Lookup, ...]
    stops: tuple[Stop, ...] = ()
    facts: SourceFacts | None = None


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What the consulted snapshots know about the world around a reference, beyond records.

    Each is None if no consulted source has enough data.
    """

    doi_prefix_seen: bool | None = None
    venue_seen: bool | None = None  # whether any record appeared in the cited venue
    venue_known: bool | None = None  # the same, in whatever spelling
