"""The desk on which one document is examined: its page, the ground, and what the rules have found so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from citeproof.corpus.corpus_context import TrackedContext
from citeproof.corpus.corpus_types import (
    STAND,
    CitationMark,
    CorpusCitation,
    DocumentClaim,
    Drift,
    Freshness,
    Issue,
    Level,
    Mode,
    Pages,
    Pattern,
    PendingDoi,
    Span,
    Status,
    get_rule,
)
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.page import MOST, MarkdownPage
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Act, Remedy

CUT = "too-many"  # the rule that reports what was left out
SHOWN = 300  # characters of hostile text in one field of an issue


@dataclass(frozen=True, slots=True)
class IssuePlace:
    """Where an issue stands that is about no citation alone, and what it is about as written."""

    span: Span
    sentence: int
    raw: str


class CitationOutcome(TypedDict, total=False):
    """What there is to say of a citation next to its status: see `CorpusCitation`."""

    verdict: Freshness | None
    reason: str
    detail: str
    source: str
    current: str
    drift: Drift | None


def propose_removal(mark: CitationMark) -> Remedy:
    """Return what is to be done about a citation to nothing: it goes; words represent a part of speech."""
    said = f"removed citation to missing source {mark.raw}"
    stand = STAND if mark.spoken else ""
    return Remedy(Act.REMOVE, mark.whole.start, mark.whole.end, said, stand=stand)


@dataclass(slots=True)
class DocumentCheck:
    """Grows while the rules look at the page."""

    page: MarkdownPage
    asking: TrackedContext
    mode: Mode
    citations: list[CorpusCitation] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    pending: list[PendingDoi] = field(default_factory=list)
    # what citations were found to mean
    means: dict[CitationMark, tuple[CorpusEntry, ...]] = field(default_factory=dict)
    failed: set[CitationMark] = field(default_factory=set)  # citations to nothing: they back nothing
    untold: int = 0  # issues that are too many to be stored
    _rests: dict[int, list[tuple[CitationMark, CorpusEntry]]] = field(default_factory=dict)

    def marks(self, pattern: Pattern) -> Iterator[CitationMark]:
        """Yield the citations of one pattern, in document order."""
        return (mark for mark in self.page.marks if mark.pattern is pattern)

    def cite(self, mark: CitationMark, status: Status, **known: Unpack[CitationOutcome]) -> int:
        """Note what became of a citation, and return its number."""
        if status is Status.HALLUCINATED:
            self.failed.add(mark)
        known["detail"] = show_one_line(known.get("detail", ""))[:SHOWN]
        self.citations.append(self.make_citation(mark, status, **known))
        return len(self.citations) - 1

    def make_citation(
        self, mark: CitationMark, status: Status, **known: Unpack[CitationOutcome]
    ) -> CorpusCitation:
        """Return a citation where it is, with the entry that it was found to mean."""
        line, column, end_line, _ = self.page.locate_span(mark.span.start, mark.span.end)
        entries = self.means.get(mark, ())
        known.setdefault("source", entries[0].path if entries else "")
        grade = next((grade for entry in entries if (grade := self.asking.grade(entry))), None)
        return CorpusCitation(
            mark.pattern, mark.raw, mark.target, mark.span.start, mark.span.end, line, column, end_line,
            status, grade=grade, hash=mark.hash, lines=mark.lines, **known,
        )  # fmt: skip

    def tell(
        self,
        rule: str,
        about: CitationMark | Pages | DocumentClaim | IssuePlace,
        *,
        message: str,
        fix: str,
        level: Level | None = None,
        todo: str = "",
        remedy: Remedy | None = None,
        cited: int | None = None,
    ) -> None:
        """Note an issue; `todo` is what --fix writes down next to it where it has no better remedy."""
        known, span = get_rule(rule), about.span
        if len(self.issues) >= MOST and rule != CUT:
            self.untold += 1
            return
        if todo:
            whole = about.whole if isinstance(about, CitationMark) else span
            remedy = Remedy(Act.TODO, whole.start, whole.end, todo)
        self.issues.append(
            Issue(
                rule, known.kind, known.type, known.severity, level or known.level,
                *self.page.locate_span(span.start, span.end), self.page.words(about.sentence),
                show_one_line(about.raw)[:SHOWN], show_one_line(message)[: 2 * SHOWN],
                show_one_line(fix)[:SHOWN], remedy, cited,
            )
        )  # fmt: skip

    def entries_of(self, sentence: int) -> list[tuple[CitationMark, CorpusEntry]]:
        """Return the entries that a sentence rests on, each with the first citation that names it.

        Only once it is known what every citation means.
        """
        if sentence not in self._rests:
            entries: dict[str, tuple[CitationMark, CorpusEntry]] = {}
            for mark in self.page.marks_of(sentence):
                for entry in self.means.get(mark, ()):
                    entries.setdefault(entry.path, (mark, entry))
            self._rests[sentence] = list(entries.values())
        return self._rests[sentence]
