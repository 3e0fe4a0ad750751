"""What every format writes: a report of rows, whatever was checked.

References and the issues of corpus documents project to the same row: where it is, which rule, how bad
it is, what is said, on what evidence, and what to do about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.serializers import Json
from citeproof.vocabulary import NOT_CHECKED, Acceptance, Claimed, Kind, Place, Verdict
from citeproof.vocabulary.quick_dataclass import dataclass, field

_SECTIONS = {
    "STALE": "STALE citations:",
    "UN-VERSIONED": "UN-VERSIONED citations:",
    "MISSING": "MISSING citations:",
    "RANGE": "RANGE problems:",
}
_MODES = {"corpus-only": "@-mentions of the corpus only", "rlm": "code citations only"}


class RowLevel(StrEnum):
    """How loudly a row is reported."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    HINT = "hint"  # it passes, and is worth a look
    NONE = "none"  # as it should be


class Selection(StrEnum):
    """Which references a report on a terminal shows."""

    BRIEF = "brief"  # problems, and why the others could not be checked
    NOTES = "notes"  # the same, and those that matched with a note
    PROBLEMS = "problems"
    UNCHECKED = "unchecked"
    ALL = "all"
    SUMMARY = "summary"  # none: the counts alone
    QUIET = "quiet"  # problems, and nothing at all where there is none


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One result about one place of a document."""

    place: Place
    rule: str  # "citation-mismatch", "missing-source"
    level: RowLevel
    message: str  # the whole, where nothing else is next to it
    title: str = ""  # what it is about
    reason: str = ""  # a word for programs: the verdict, or the rule again
    severity: str = ""  # "MAJOR", "CRITICAL"
    kind: str = ""  # "mismatch", "Hallucinated Citation"
    text: str = ""  # what is said of it below severity and kind
    evidence: tuple[tuple[str, str], ...] = ()  # shown below it: label and text
    fix: str = ""
    fails: bool = False  # whether the exit code counts it
    unread: bool = False  # it is about something that could not be read
    aside: bool = False  # it says more about the subject of another row
    accepted: Acceptance | None = None  # its owner knows of it: it never fails
    end_column: int | None = None
    identity: str = ""  # what stays when its line moves
    properties: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportRule:
    """A rule that rows name: a few words, and where it has one, a text for people."""

    name: str
    words: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """The rows of one document, or about something else."""

    name: str
    rows: Sequence[ReportRow]
    about: str = ""  # "reading", "corpus"; empty: a document


@dataclass(slots=True)
class RowTally:
    """How many items a run has, and of how many nothing could be decided; grows while groups pass by."""

    items: int = 0
    undecided: int = 0

    def add(self, group: RowGroup) -> RowGroup:
        """Return the group; count its items."""
        own = [row for row in group.rows if not (group.about or row.aside)]
        self.items += len(own)
        self.undecided += sum(row.reason == Verdict.UNCHECKED and not row.accepted for row in own)
        return group

    def qualify(self, summary: str, problems: int) -> str:
        """Return the summary of the problems; a run that decided nothing does not show there are none."""
        if problems or not self.undecided:
            return summary
        rest = f"{summary}, {self.undecided:,} {NOT_CHECKED}"
        return "nothing could be checked" if self.undecided == self.items else rest


@dataclass(frozen=True, slots=True)
class CitedWork:
    """One work for a bibliography, corrected where a record passed the full match."""

    key: str
    kind: Kind
    fields: Claimed
    notes: tuple[str, ...] = ()  # what was found about it
    tags: tuple[str, ...] = ()  # the same as a few words for programs


class ReportModel(ABC):
    """The results of one run. A format asks once for the projection that it writes."""

    kind: ClassVar[str]
    title: ClassVar[str]
    fingerprint: ClassVar[str]  # the name of the scheme by which rows are known again
    streamed: ClassVar[bool]  # one item a line as it comes: there may be more than memory should hold

    started: str
    overrides: Sequence[str] = ()  # what of the run is not as shipped
    troubles: Sequence[str] | None = None  # what is wrong with what was checked against; None: not known

    @abstractmethod
    def generate_documents(self) -> Iterator[RowGroup]:
        """Yield the rows of each document as soon as it is known."""

    @abstractmethod
    def list_rules(self) -> Sequence[ReportRule]:
        """Return every rule, met or not."""

    @abstractmethod
    def list_columns(self) -> Sequence[str]:
        """Return the heading of a spreadsheet."""

    @abstractmethod
    def generate_cells(self) -> Iterator[Iterable[object]]:
        """Yield the rows of a spreadsheet; one has also what is as it should be."""

    @abstractmethod
    def generate_members(self) -> Iterator[tuple[str, object]]:
        """Yield the members of the whole report as one JSON object; an iterator is a list that grows."""

    @abstractmethod
    def generate_objects(self) -> Iterator[Json]:
        """Yield one JSON object for each thing that was checked."""

    @abstractmethod
    def generate_works(self) -> Iterator[CitedWork]:
        """Yield the works that are cited."""

    def describe_sources(self) -> str:
        """Return who answered and who did not, once all has passed; empty: no source was to be asked."""
        return ""

    def generate_rows(self) -> Iterator[ReportRow]:
        """Yield every row in document order."""
        return (row for group in self.generate_documents() for row in group.rows)

    def get_version(self) -> str:
        """Return the version that checked."""
        return serializers.get_version()

    def locate_file(self, file: str) -> str:
        """Return a document's path as programs that read the repository look for it."""
        return file


@dataclass(frozen=True, slots=True)
class CorpusReportHead:
    """What is known before the first result."""

    date: str  # ISO timestamp
    root: str  # as shown
    files: int  # documents to come
    mode: str  # "all", "corpus-only" or "rlm"
    strict: bool
    version: str
    troubles: tuple[str, ...] = ()  # problems of the corpus itself, one line each
    fixed: tuple[tuple[str, int], ...] = ()  # (file, changes) that --fix made before this report
    prefix: str = ""  # from the root to the working folder, like "docs/": documents are named from there

    @property
    def checked(self) -> str:
        """What was checked and how strictly; empty where all was and nothing was raised."""
        parts = [_MODES.get(self.mode, ""), "warnings are errors (--strict)" if self.strict else ""]
        return "; ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class FlaggedCitation:
    """One code citation that a reader should check: what it is, where it is, what is known."""

    shown: str
    place: str
    section: str  # "STALE"
    verdict: str  # the same with what lies behind it: "MISSING (outside_root)"
    remarks: tuple[str, ...]  # a line each; lines of a difference stand further in


def format_flagged_lists(every: Sequence[FlaggedCitation], *, places: bool) -> Iterator[str]:
    """Yield a heading a verdict and its code citations; with `places`, where each is."""
    for section, heading in _SECTIONS.items():
        chosen = [citation for citation in every if citation.section == section]
        if chosen:
            yield heading
        for citation in chosen:
            yield f"- {citation.shown}"
            yield from (f"  {line}".rstrip() for line in citation.remarks)
            if places:
                yield f"  Cited in {citation.place}"


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """The figures and the words about one document or all of them."""

    files: int
    unread: int
    failed: bool
    status: str  # "PASS", "FAIL (2 issues)"
    figures: tuple[tuple[str, int], ...]
    levels: dict[RowLevel, int]
    unchecked: tuple[str, ...]  # what could not be checked, a line each
    advice: tuple[str, ...]  # what to do next
    code: tuple[str, ...]  # the counts of code citations, a line each; empty if there are none


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDocument(RowGroup):
    """One document with all that reports for people show of it."""

    status: str
    citations: int
    trouble: str  # why it could not be read; nothing else is known then
    list_flagged: Callable[[], Sequence[FlaggedCitation]]  # code citations that a reader should look at
    make_summary: Callable[[], ReportSummary]

    @property
    def issues(self) -> list[ReportRow]:
        """The rows that something is wrong with."""
        return [row for row in self.rows if not row.unread and row.level is not RowLevel.NONE]


class DocumentReport(ReportModel):
    """A report on documents and their issues."""

    head: CorpusReportHead

    @abstractmethod
    def generate_documents(self) -> Iterator[ReportDocument]: ...

    @abstractmethod
    def make_summary(self) -> ReportSummary:
        """Return the summary of all documents that were seen so far."""
