"""The page about a venue: what its papers share, which of them have problems, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from citeproof.answers.reporters.html.page_parts import write_page
from citeproof.answers.reporters.wording import format_count
from citeproof.vocabulary import NOT_CHECKED, DocumentState

_MOST_SHARED = 500  # works that are listed; the JSON has all
_MOST_PAPERS = 5_000  # papers with problems that are listed; same
_MOST_NAMED = 30  # papers of one work
STATE_HEADINGS = {
    DocumentState.FAILED: "Failed",
    DocumentState.UNREADABLE: "Unreadable",
    DocumentState.NOT_A_DOCUMENT: "Not a document",
    DocumentState.NO_LIST: "No reference list found",
    DocumentState.UNDECIDED: "Nothing could be decided",
}


@dataclass(frozen=True, slots=True)
class VenueReference:
    """One reference that a chair should look at."""

    document: str
    key: str
    title: str
    where: str  # page or line
    verdict: str
    retracted: bool
    explanation: str
    signs: tuple[str, ...]  # of invention


@dataclass(slots=True)
class VenuePaper:
    """One paper: its counts, and its references that are MAJOR, retracted or have a sign of invention."""

    id: str
    major: int = 0
    minor: int = 0
    open: int = 0
    total: int = 0
    retracted: int = 0
    signs: int = 0  # references with a sign of invention
    state: DocumentState = DocumentState.CHECKED
    why: str = ""  # why it could not be checked
    report: str = ""  # the page about it, from the folder of the venue
    references: list[VenueReference] = field(default_factory=list)

    def rank(self) -> tuple[int, int, int, int, str]:
        """Return what the worst paper has least of."""
        return -self.major, -self.signs, -self.retracted, -self.minor, self.id


@dataclass(frozen=True, slots=True)
class SharedWork:
    """One work that several papers cite."""

    title: str
    cited: tuple[VenueReference, ...]


@dataclass(frozen=True, slots=True)
class VenueSummary:
    """What is known about all papers together."""

    started: str
    against: str  # who answered and who did not, in words
    states: str  # how many files are in each state, in words
    sentence: str  # the counts of references, in words
    papers: Sequence[VenuePaper]
    invented: Sequence[SharedWork]  # MAJOR in each of several papers
    retracted: Sequence[SharedWork]  # in one paper or more


def format_venue_page(venue: VenueSummary) -> Iterator[str]:
    """Yield the page: counts, what could not be checked, what papers share, then the papers with problems."""
    bad = sorted((paper for paper in venue.papers if paper.references), key=VenuePaper.rank)
    names = ("major", "signs", "retracted")
    major, signs, retracted = (sum(bool(getattr(p, name)) for p in venue.papers) for name in names)
    counts = f"{venue.states}. {major:,} with MAJOR references, {signs:,} with signs of invention, "
    counts += f"{retracted:,} that cite a retracted work."
    unchecked = {state: [p for p in venue.papers if p.state is state] for state in STATE_HEADINGS}
    states = [
        (state, f"{STATE_HEADINGS[state]}: {len(papers):,}", papers[:_MOST_PAPERS])
        for state, papers in unchecked.items()
        if papers
    ]
    rest = [paper for paper in venue.papers if paper.state is DocumentState.CHECKED and paper not in bad]
    more, left = max(0, len(bad) - _MOST_PAPERS), sum(paper.open for paper in rest)
    summary = f"{format_count(len(rest), 'other paper')} without MAJOR references, signs or retracted works."
    summary += f" {left:,} of their references {NOT_CHECKED}." if left else ""
    summary += f" {more:,} more papers are in venue.json." if more else ""
    return write_page(
        "venue.html", "all papers", "Venue report", "papers.css",
        venue=venue, counts=counts, states=states, bad=bad[:_MOST_PAPERS], rest=summary,
        most_named=_MOST_NAMED, most_shared=_MOST_SHARED, describe_kind=_describe_kind,
    )  # fmt: skip


def _describe_kind(reference: VenueReference) -> str:
    word = "retracted" if reference.retracted else reference.verdict.replace("_", " ")
    return word + (f" ({', '.join(reference.signs).replace('_', ' ')})" if reference.signs else "")
