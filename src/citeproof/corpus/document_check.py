"""The desk on which one document is examined: its page, the ground, and what the rules have found so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from citeproof.corpus.corpus_context import TrackedContext
from citeproof.corpus.corpus_types import (
    STAND,
    CitationMark,
    CorpusCitation,
    Drift,
    Freshness,
    Issue,
    Level,
    Mode,
    Pattern,
    PendingDoi,
    Span,
    Status,
)
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.page import MOST, MarkdownPage
from citeproof.corpus.rule_catalogue import get_rule
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Act, Remedy

CUT = "too-many"  # the rule that tells of what was left out
SHOWN = 300  # characters of hostile text in one field of an issue


def propose_removal(mark: CitationMark, cited: str) -> Remedy:
    """Return what is to be done about a citation to nothing: it goes; words represent a part of speech."""
    said = f"removed citation to missing source {cited}"
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
    means: dict[CitationMark, tuple[CorpusEntry, ...]] = field(
        default_factory=dict
    )  # what citations were found to mean
    failed: set[CitationMark] = field(
        default_factory=set
    )  # citations to nothing: what they back has no source
    untold: int = 0  # issues that are too many to be kept
    _rests: dict[int, list[tuple[CitationMark, CorpusEntry]]] = field(default_factory=dict)

    def marks(self, pattern: Pattern) -> Iterator[CitationMark]:
        """Yield the citations of one pattern, in document order."""
        return (mark for mark in self.page.marks if mark.pattern is pattern)

    def cite(
        self,
        mark: CitationMark,
        status: Status,
        *,
        verdict: Freshness | None = None,
        reason: str = "",
        detail: str = "",
        source: str = "",
        current: str = "",
        drift: Drift | None = None,
    ) -> int:
        """Note what became of a citation, and return its number."""
        line, column, end_line, _ = self.page.locate_span(mark.span.start, mark.span.end)
        entries = self.means.get(mark, ())
        if status is Status.HALLUCINATED:
            self.failed.add(mark)
        self.citations.append(
            CorpusCitation(
                mark.pattern,
                mark.raw,
                mark.target,
                mark.span.start,
                mark.span.end,
                line,
                column,
                end_line,
                status,
                verdict,
                reason,
                show_one_line(detail)[:SHOWN],
                source or (entries[0].path if entries else ""),
                next((grade for entry in entries if (grade := self.asking.grade(entry))), None),
                mark.hash,
                mark.lines,
                current,
                drift,
            )
        )
        return len(self.citations) - 1

    def tell(
        self,
        rule: str,
        span: Span,
        sentence: int,
        *,
        source: str,
        message: str,
        fix: str,
        level: Level | None = None,
        remedy: Remedy | None = None,
        cited: int | None = None,
    ) -> None:
        """Note an issue at a place of the document."""
        known = get_rule(rule)
        if len(self.issues) >= MOST and rule != CUT:
            self.untold += 1
            return
        self.issues.append(
            Issue(
                rule,
                known.kind,
                known.type,
                known.severity,
                level or known.level,
                *self.page.locate_span(span.start, span.end),
                self.page.words(sentence),
                show_one_line(source)[:SHOWN],
                show_one_line(message)[: 2 * SHOWN],
                show_one_line(fix)[:SHOWN],
                remedy,
                cited,
            )
        )

    def entries_of(self, sentence: int) -> list[tuple[CitationMark, CorpusEntry]]:
        """Return the entries that a sentence rests on, each with the first citation that names it.

        Only once it is known what every citation means.
        """
        if sentence not in self._rests:
            found: dict[str, tuple[CitationMark, CorpusEntry]] = {}
            for mark in self.page.marks_of(sentence):
                for entry in self.means.get(mark, ()):
                    found.setdefault(entry.path, (mark, entry))
            self._rests[sentence] = list(found.values())
        return self._rests[sentence]
