"""The nouns of corpus documents, frozen: marks, citations, issues, what a document gave.

Places are characters of the document's text, from 0; lines and columns count from 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from hashlib import sha256
from operator import add, attrgetter

from citeproof.answers.serializers import dumps
from citeproof.settings import Settings
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Name, Remedy

RETRACTED_FIX = "Cite another source, or say that this one is retracted."
STAND = "[citation removed]"  # for "according to REF-999", which needs something there
_DEFAULTS = Settings()


class Pattern(StrEnum):
    """What kind of citation it is."""

    MENTION = "mention"  # @.aiwg/research/sources/smith2020.md
    REF = "ref"  # REF-001
    DOI = "doi"  # 10.1038/nature14539
    AUTHOR_YEAR = "author_year"  # Smith et al., 2020
    CODE = "code"  # [src/auth/login.ts@a8f9c2d4e5f60718, L42-58]


class Status(StrEnum):
    """What became of a citation."""

    VERIFIED = "verified"
    HALLUCINATED = "hallucinated"
    MALFORMED = "malformed"
    UNREACHABLE = "unreachable"
    INCONSISTENT = "inconsistent"
    UNCHECKED = "unchecked"


class Freshness(StrEnum):
    """What became of a code citation."""

    FRESH = "FRESH"
    STALE = "STALE"
    UN_VERSIONED = "UN-VERSIONED"
    MISSING = "MISSING"


class Severity(StrEnum):
    """How bad an issue is for the reader of the document."""

    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Level(StrEnum):
    """What an issue does to the run: errors fail it; with --strict, warnings are errors."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Grade(StrEnum):
    """The quality of a source's evidence."""

    HIGH = "HIGH"
    MODERATE = "MODERATE"
    LOW = "LOW"
    VERY_LOW = "VERY LOW"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters from `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One citation as it is in a document, not yet checked."""

    pattern: Pattern
    raw: str
    span: Span  # of `raw`
    target: str  # the path, the REF id, the DOI, the first family name
    sentence: int  # index into `MarkdownPage.sentences`
    whole: Span  # what goes if it is removed: with its brackets, parentheses or link around it
    hash: str = ""  # CODE: as written behind the @; empty: path only
    lines: str = ""  # CODE: "L42" or "L42-58", as written but for a second L
    names: tuple[str, ...] = ()  # AUTHOR_YEAR: family names as written
    year: int | None = None  # AUTHOR_YEAR
    et_al: bool = False  # AUTHOR_YEAR
    sure: bool = True  # AUTHOR_YEAR: False for "(Berlin, 2020)", perhaps no author; CODE: for "[Node.js]"
    footer: bool = False  # CODE: a line of the Sources footer
    kept: Span | None = None  # DOI: the text of its link, which stays if the citation is removed
    spoken: bool = False  # a part of speech, as in "according to REF-001": without it the sentence is none


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of running text: its span and the block it is in."""

    span: Span
    block: int  # sentences of one paragraph, list item, cell or footnote share the number


@dataclass(frozen=True, slots=True)
class Quote:
    """Words between quotation marks, or a block quotation."""

    span: Span
    text: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Pages:
    """A page or range of pages: `p. 12`, `pp. 12–15`."""

    span: Span
    raw: str
    first: int
    last: int
    sentence: int


class Assertion(StrEnum):
    """Why a sentence needs a source."""

    PERCENT = "percent"  # 40 %
    TIMES = "times"  # 10x faster
    AMOUNT = "amount"  # 5 million users
    STUDIES = "studies"  # studies show


@dataclass(frozen=True, slots=True)
class DocumentClaim:
    """A statistic, or an appeal to studies, that needs a source nearby."""

    kind: Assertion
    span: Span
    raw: str
    sentence: int
    sourced: bool  # whether a citation, link or footnote with one is in its sentence or the next ones


@dataclass(frozen=True, slots=True)
class CorpusCitation:
    """One citation and what became of it."""

    pattern: Pattern
    raw: str
    target: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    status: Status
    verdict: Freshness | None = None  # CODE only
    reason: str = ""  # a word for programs: "outside_root", "not_found", "offline", "range", …
    detail: str = ""  # a sentence for people
    source: str = ""  # project path of the corpus entry or artefact that it was found to mean
    grade: Grade | None = None
    hash: str = ""
    lines: str = ""
    current: str = ""  # CODE: the first 16 hex digits of the file's hash now
    drift: Drift | None = None


class LineChange(StrEnum):
    """What became of the cited lines since a stale citation was written."""

    UNCHANGED = "unchanged"  # the file changed elsewhere; the cited lines are unchanged
    MOVED = "moved"  # the same lines stand elsewhere now
    WHITESPACE = "whitespace"  # only white space changed (they may have moved as well)
    CONTENT = "content"
    REMOVED = "removed"
    UNKNOWN = "unknown"  # the cited version was not found


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed since a stale code citation was written."""

    change: LineChange
    lines: str = ""  # where the cited lines stand now: "L48-64"
    commit: str = ""  # the last commit that had the cited version
    date: str = ""  # its date, ISO
    commits: int = 0  # commits that changed the file since
    diff: str = ""  # a few lines, for people; bounded
    detail: str = ""  # one sentence for people


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong, where, how bad, and what to do about it."""

    rule: str  # slug of the rule: "missing-source", "grade-language", "stale-code", …
    kind: str  # the words of the report: "Hallucinated Citation", "GRADE Hedging Violation", …
    type: str  # the type of the audit schema: "fabricated_citation", "misquoted_source", …
    severity: Severity
    level: Level
    line: int
    column: int
    end_line: int
    end_column: int
    claim: str  # the sentence, on one line, bounded
    source: str  # what was cited, as written
    message: str  # what is wrong
    fix: str  # what to do about it
    remedy: Remedy | None = None
    cited: int | None = None  # index into `DocumentResult.citations`


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question that a result rests on, and the digest of its answer: the result holds while it does."""

    question: str  # "file:src/a.py", "ref:REF-001", "family:smith", "older:365:2025-01-01", …
    digest: str


@dataclass(frozen=True, slots=True)
class PendingDoi:
    """A DOI whose existence is asked once for all documents, before the report."""

    citation: CorpusCitation  # with the DOI as its target, and the entry that has it, if one does
    whole: Span
    end_column: int
    claim: str
    kept: Span | None = None  # as of its mark
    spoken: bool = False

    @property
    def doi(self) -> str:
        return self.citation.target


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of one document, or the sum of many."""

    files: int = 0
    citations: int = 0
    verified: int = 0
    hallucinated: int = 0
    malformed: int = 0
    unreachable: int = 0
    inconsistent: int = 0
    unchecked: int = 0
    grade_violations: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    code: int = 0  # code citations, each (path, hash, lines) of a document once
    fresh: int = 0
    stale: int = 0
    un_versioned: int = 0
    missing: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, _figures(self), _figures(other)))  # asked for every document, more than once


_figures = attrgetter(*Counts.__slots__)


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """What one document gave."""

    file: str  # as shown: relative to the working folder where it is below it
    citations: tuple[CorpusCitation, ...] = ()
    issues: tuple[Issue, ...] = ()
    pending: tuple[PendingDoi, ...] = ()
    asked: tuple[AskedQuestion, ...] = ()
    counts: Counts = field(default_factory=Counts)
    trouble: str = ""  # why it could not be read; nothing else is known then


def shorten_result(result: DocumentResult) -> DocumentResult:
    """Return a result without the citations that are as they should be: what most reports show."""
    reported = {issue.cited for issue in result.issues}
    reported |= {at for at, cited in enumerate(result.citations) if cited.status is not Status.VERIFIED}
    shown = [at for at in range(len(result.citations)) if at in reported]
    moved = {old: new for new, old in enumerate(shown)}
    issues = tuple(
        replace(issue, cited=moved.get(issue.cited)) if issue.cited is not None else issue
        for issue in result.issues
    )
    return replace(result, citations=tuple(result.citations[at] for at in shown), issues=issues)


@dataclass(frozen=True, slots=True)
class Mode:
    """What is checked: everything, @-mentions only, or code citations only."""

    corpus_only: bool = False
    code_only: bool = False


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


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: the words of the report, the type of the audit schema, its severity and level."""

    name: str
    kind: str
    type: str
    severity: Severity
    level: Level
    help: str


@cache
def load_rules() -> dict[str, Rule]:
    """Return every rule by its name, in the order of the table."""
    table = load_package_table("citeproof.corpus", "rules.toml")
    return {
        name: Rule(
            name, row["kind"], row["type"], Severity(row["severity"]), Level(row["level"]), row["help"]
        )
        for name, row in table.items()
    }


def get_rule(name: str) -> Rule:
    return load_rules()[name]


@dataclass(frozen=True, slots=True)
class CorpusLayout:
    """The folders and words of one corpus; `/` between parts, none at either end."""

    sources: tuple[str, ...] = _DEFAULTS.corpus_sources
    findings: tuple[str, ...] = _DEFAULTS.corpus_findings
    assessments: tuple[str, ...] = _DEFAULTS.corpus_assessments
    report: str = _DEFAULTS.corpus_report
    skip: tuple[str, ...] = _DEFAULTS.corpus_skip
    ref: str = _DEFAULTS.corpus_ref  # the word before the number of an inline reference
    dois: str = _DEFAULTS.corpus_dois  # "format": whether they exist is not asked
    stale_days: int = _DEFAULTS.corpus_stale_days  # after which a source not examined again is reported
    max_bytes: int = _DEFAULTS.corpus_max_bytes  # of one cited file

    @classmethod
    def from_settings(cls, settings: Settings) -> CorpusLayout:
        chosen = {field.name: getattr(settings, f"corpus_{field.name}") for field in fields(cls)}
        for name in ("sources", "findings", "assessments"):
            chosen[name] = tuple(folder.replace("\\", "/").strip("/") for folder in chosen[name])
        chosen["skip"] = (*chosen["skip"], chosen["report"])  # a report is not a document
        return cls(**chosen)

    @property
    def evidence(self) -> tuple[str, ...]:
        """The folders whose files are what documents are measured by, and are never fixed."""
        return (*self.sources, *self.assessments)

    def digest(self) -> str:
        """Return what names this layout, for the keys of the cache."""
        return sha256(dumps({f.name: getattr(self, f.name) for f in fields(self)})).hexdigest()[:16]
