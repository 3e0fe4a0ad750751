"""Every noun of the product, frozen. Imports nothing of ours.

One word per idea, the words of the contract: document, reference, record, lookup, comparison,
judgement, finding, claim, trace, snapshot. What a room needs from a sibling is typed here by a
Protocol and handed over by constructor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Protocol, TypeAlias

# --- what is cited -----------------------------------------------------------------------------


class Kind(StrEnum):
    """The type of a cited work. `ARTICLE` is a journal article or a conference paper."""

    ARTICLE = "article"
    PREPRINT = "preprint"
    BOOK = "book"
    CHAPTER = "chapter"
    THESIS = "thesis"
    REPORT = "report"
    STANDARD = "standard"
    DATASET = "dataset"
    SOFTWARE = "software"
    WEB_PAGE = "web_page"
    LEGAL = "legal"
    PERSONAL_COMMUNICATION = "personal_communication"
    UNKNOWN = "unknown"


# The order in which identifiers are looked up; also the closed list of schemes that name one work.
ID_ORDER: tuple[str, ...] = ("doi", "pmid", "pmcid", "arxiv", "ads", "isbn", "issn", "who_iris", "url")

# The schemes whose identifier names one work: an ISSN names a journal, a URL any page, an ISBN a whole
# book, which may be cited for a part of it.
WORK_IDS: frozenset[str] = frozenset(ID_ORDER) - {"issn", "isbn", "url"}


@dataclass(frozen=True, slots=True)
class Ids:
    """Identifiers as (scheme, normalised value) pairs; a scheme may occur more than once."""

    pairs: tuple[tuple[str, str], ...] = ()

    def first(self, scheme: str) -> str | None:
        return next((value for name, value in self.pairs if name == scheme), None)

    def all(self, scheme: str) -> tuple[str, ...]:
        return tuple(value for name, value in self.pairs if name == scheme)

    def __bool__(self) -> bool:
        return bool(self.pairs)


@dataclass(frozen=True, slots=True)
class Name:
    """One author. `family` holds the whole name when it is a collective or cannot be split."""

    family: str
    given: str = ""
    suffix: str = ""
    collective: bool = False

    @property
    def display(self) -> str:
        whole = f"{self.given} {self.family}".strip()
        return f"{whole}, {self.suffix}" if self.suffix else whole


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: file, 1-based line and column, page, byte span [start, end)."""

    file: str = ""
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None


class Origin(StrEnum):
    """Where a parsed field came from."""

    STRUCTURED = "structured"  # the document's own field (BibTeX, CSL-JSON, a flag)
    RULE = "rule"  # found by an anchor rule in running text
    SPLIT = "split"  # the rule-based split of a citation string
    MODEL = "model"  # a trained tagger


@dataclass(frozen=True, slots=True)
class FieldOrigin:
    """How one claimed field was read, and how sure that reading is (0..1)."""

    field: str
    origin: Origin
    confidence: float


@dataclass(frozen=True, slots=True)
class Claimed:
    """The fields of a reference as the document claims them."""

    title: str | None = None
    authors: tuple[Name, ...] = ()
    et_al: bool = False  # the list says itself that it is cut ("et al.", "and others")
    editors: tuple[Name, ...] = ()
    year: int | None = None
    venue: str | None = None  # journal, proceedings, book or site that contains the work
    series: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    edition: str | None = None
    ids: Ids = field(default_factory=Ids)
    origins: tuple[FieldOrigin, ...] = ()

    def confidence(self, name: str) -> float:
        """How sure the reading of field `name` is; 1.0 when nothing was noted against it."""
        return next((o.confidence for o in self.origins if o.field == name), 1.0)


@dataclass(frozen=True, slots=True)
class RawReference:
    """What an extractor found: the reference as it stands in the document.

    `claimed` is given when the document itself is structured (BibTeX, CSL-JSON); else `text` is
    still to be parsed.
    """

    key: str  # the document's own key, or "ref-<n>"
    text: str
    place: Place
    kind: Kind = Kind.UNKNOWN
    claimed: Claimed | None = None
    citing: tuple[str, ...] = ()  # sentences of the document that cite it
    suspicious: tuple[str, ...] = ()  # reason codes found while reading, e.g. "suspicious_characters"


@dataclass(frozen=True, slots=True)
class Reference:
    """One cited work as the document describes it: raw text, parsed fields, where it stands."""

    key: str
    raw: str
    kind: Kind
    claimed: Claimed
    place: Place = field(default_factory=Place)
    citing: tuple[str, ...] = ()
    suspicious: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a document that could not be read, located; never silently dropped."""

    place: Place
    message: str
    mend: str = ""
    text: str = ""  # the offending text, bounded


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that came out of one document. `expected` is what the document itself counts up to."""

    references: tuple[RawReference, ...]
    problems: tuple[Problem, ...] = ()
    expected: int | None = None
    format: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What the user hands over."""

    name: str
    data: bytes


# --- what sources know -------------------------------------------------------------------------


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
    ids: Ids = field(default_factory=Ids)
    marks: tuple[str, ...] = ()  # facts the source states, e.g. "retracted"
    work: str = ""  # records of one work (preprint, proceedings, journal) share this link
    read_at: str | None = None  # ISO 8601, when the source was read
    content_hash: str = ""  # SHA-256 of the raw answer or stored record

    @property
    def title(self) -> str:
        return self.titles[0] if self.titles else ""


class Cause(StrEnum):
    """Why a source could not answer."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    OFFLINE = "offline"
    NOT_COVERED = "not_covered"
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    BOT_WALL = "bot_wall"
    NEEDS_KEY = "needs_key"
    OVER_BUDGET = "over_budget"
    BUG = "bug"


class Reach(StrEnum):
    """What a source's silence means for one question."""

    PARTIAL = "partial"  # nothing: it does not claim to hold such works
    COVERS = "covers"  # it covers the type; two independent ones together mean absence
    COMPLETE = "complete"  # it claims to hold all such works, or is the identifier's own authority


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked about one reference. `by` is an identifier scheme, or one of
    "title", "raw", "authors"."""

    by: str
    value: str
    reference: Reference


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


@dataclass(frozen=True, slots=True)
class Absent:
    """The source answered fully, and has nothing."""

    source: str
    by: str
    reach: Reach = Reach.COVERS
    value: str = field(default="", compare=False)  # what it was asked for


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The source could not answer, and says why. `reach`: what its silence would have meant."""

    source: str
    by: str
    cause: Cause
    detail: str = ""
    reach: Reach = Reach.PARTIAL


Lookup: TypeAlias = Found | Absent | Unchecked


@dataclass(frozen=True, slots=True)
class Asked:
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

    reason: str
    not_asked: tuple[str, ...]  # "source/by"


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Everything the sources said about one reference. A judgement depends on the *set*."""

    lookups: tuple[Lookup, ...]
    stops: tuple[Stop, ...] = ()
    facts: SourceFacts | None = None


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What the consulted snapshots know about the world around a reference, beyond records.

    `doi_prefix_seen` is None when no consulted source holds enough DOIs to tell.
    """

    doi_prefix_seen: bool | None = None


# --- what we think -----------------------------------------------------------------------------


class Outcome(StrEnum):
    SAME = "same"
    VARIANT = "variant"
    DIFFERS = "differs"
    ABSENT = "absent"  # not cited
    UNKNOWN = "unknown"  # the record lacks it


@dataclass(frozen=True, slots=True)
class Comparison:
    """One field of a reference against one record."""

    field: str
    outcome: Outcome
    reason: str  # reason code, e.g. "word_changed", "initials", "iso4"
    claimed: str = ""
    resolved: str = ""
    similarity: float = 0.0  # 0..1


@dataclass(frozen=True, slots=True)
class Compared:
    """One record compared with the reference, field by field. `via` names the questions
    ("doi", "title", ...) that brought the record; `registries` the sources that have it."""

    record: Record
    comparisons: tuple[Comparison, ...]
    via: tuple[str, ...]
    registries: tuple[str, ...]
    weak: bool = False  # no source's candidate was accepted; this is the best of the rest
    index_error: bool = False  # a quorum of other sources contradicts it about an identifier

    def of(self, name: str) -> Comparison | None:
        return next((c for c in self.comparisons if c.field == name), None)


class Verdict(StrEnum):
    MATCHED = "matched"
    AMBIGUOUS = "ambiguous"
    MISMATCH = "mismatch"
    NOT_FOUND = "not_found"
    UNCHECKED = "unchecked"


class Label(StrEnum):
    EXACT = "EXACT"
    MINOR = "MINOR"
    MAJOR = "MAJOR"


class Band(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Mismatch:
    field: str
    claimed: str
    resolved: str
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True)
class Splice:
    """One part of a chimera: which fields were taken from which real work."""

    fields: tuple[str, ...]
    record: Record


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which checks ran, on what; outside time, so that equal evidence gives equal bytes."""

    stages_run: tuple[str, ...]
    resolved_via: str | None
    registries_searched: tuple[Lookup, ...]
    unchecked: tuple[Unchecked, ...]
    stops: tuple[Stop, ...] = ()
    snapshots: tuple[str, ...] = ()
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict, label, score, confidence, reasons. The last three of `unchecked` are null."""

    verdict: Verdict
    label: Label | None
    score: float | None
    confidence: float | None
    band: Band | None
    reasons: tuple[str, ...]
    explanation: str
    matched: Compared | None = None
    mismatches: tuple[Mismatch, ...] = ()
    candidates: tuple[Compared, ...] = ()
    splices: tuple[Splice, ...] = ()
    provenance: Provenance | None = None


class FindingState(StrEnum):
    FINDING = "finding"
    CLEAR = "clear"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Finding:
    """One integrity fact about the cited work or the set of references."""

    name: str  # "retracted", "future_date", ...
    state: FindingState
    detail: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """One reference with all that was found out about it."""

    reference: Reference
    retrieved: Retrieved
    compared: tuple[Compared, ...]
    judgement: Judgement
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """What one call checked against what; goes into the report's head."""

    started: str
    documents: tuple[str, ...]
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    offline: bool
    judge: str
    problems: tuple[Problem, ...] = ()
    expected: int | None = None
    extracted: int | None = None


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. It prints as stars everywhere; only `net` unwraps it, into a header or a form."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        return self._value

    def __str__(self) -> str:
        return "***"


# --- seams -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path, as handed to the observer: `name` is the step's word
    ("extract", "parse", "retrieve", "compare", "judge", "checked"), `key` the reference's."""

    name: str
    key: str
    value: object


class Observer(Protocol):
    """Sees every step, decides nothing. The audit log is one; the default is none."""

    def saw(self, step: Step) -> None: ...


class Source(Protocol):
    """One place that may know a cited work."""

    name: str
    answers: ClassVar[frozenset[str]]  # the `by` of the questions it can be asked

    async def lookup(self, question: Question) -> Lookup: ...

    def facts(self, reference: Reference) -> SourceFacts:
        """Return what this source knows around the reference without a lookup."""
        ...


class Extractor(Protocol):
    """One document format."""

    name: ClassVar[str]  # equals the file name

    def recognises(self, document: Document) -> float:
        """Return how sure the content looks like this format, 0..1."""
        ...

    def extract(self, document: Document) -> Extraction: ...


class Reporter(Protocol):
    """One output format. Chunks are text; the caller writes them where they belong."""

    name: ClassVar[str]

    def report(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]: ...
