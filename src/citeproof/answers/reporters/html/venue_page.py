"""The page about a venue: a table of its papers, worst first, what they share, and what to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from citeproof.answers.reporters.html.page_parts import embed_json, write_page
from citeproof.answers.reporters.html.reference_view import LEGEND
from citeproof.errors import format_count
from citeproof.vocabulary import DocumentState

_MOST_SHARED = 500  # works that are listed; the JSON has all
_MOST_PAPERS = 5_000  # papers whose references are listed; same
_FIRST = 200  # papers that a browser without script shows
COLUMNS = (
    "paper", "state", "signs of invention", "MAJOR", "MINOR", "not checked", "retracted", "NOTED", "EXACT",
    "total", "why", "report",
)  # fmt: skip
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
    label: str | None
    verdict: str
    retracted: bool
    explanation: str
    signs: tuple[str, ...]  # of invention


@dataclass(slots=True)
class VenuePaper:
    """One paper: its counts, and its references that are wrong, retracted or have a sign of invention."""

    id: str
    major: int = 0
    minor: int = 0
    open: int = 0
    noted: int = 0
    exact: int = 0
    total: int = 0
    retracted: int = 0
    signs: int = 0  # references with a sign of invention
    state: DocumentState = DocumentState.CHECKED
    why: str = ""  # why it could not be checked
    report: str = ""  # the page about it, from the folder of the venue
    references: list[VenueReference] = field(default_factory=list)

    def rank(self) -> tuple[int | str, ...]:
        """Return what the worst paper has least of: signs of invention say more than the rest."""
        return -self.signs, -self.major, -self.retracted, -self.minor, -self.open, self.id

    @property
    def labels(self) -> dict[str | None, int]:
        """The counts of its references by label."""
        counts = (self.exact, self.noted, self.minor, self.major, self.open)
        return dict(zip(LEGEND, counts, strict=True))

    def list_cells(self) -> tuple[object, ...]:
        """Return what a table and its file say of it, as in `COLUMNS`."""
        counts = (self.signs, self.major, self.minor, self.open, self.retracted, self.noted, self.exact)
        return (self.id, self.state.value, *counts, self.total, self.why, self.report)


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
    labels: Mapping[str | None, int]  # the counts of references
    papers: Sequence[VenuePaper]
    invented: Sequence[SharedWork]  # MAJOR in each of several papers
    retracted: Sequence[SharedWork]  # in one paper or more
    not_cleared: int = 0  # references of which nobody could say whether the work was retracted


def format_venue_page(venue: VenueSummary) -> Iterator[str]:
    """Yield the page: counts, what papers share, a table of all papers, then what to look at in each."""
    papers = sorted(venue.papers, key=VenuePaper.rank)
    looked = {paper.id: n for n, paper in enumerate((p for p in papers if p.references), 1)}
    names = ("major", "signs", "retracted")
    major, signs, retracted = (sum(bool(getattr(p, name)) for p in venue.papers) for name in names)
    counts = f"{venue.states}. {format_count(signs, 'paper')} with signs of invention, "
    counts += f"{major:,} with MAJOR references, {retracted:,} that cite a retracted work."
    if venue.not_cleared:
        counts += f" For {format_count(venue.not_cleared, 'reference')} it is unknown whether the work was "
        counts += "retracted: citeproof lists update fetches the list."
    states = Counter(paper.state for paper in papers)
    groups = [("", f"all papers: {len(papers):,}")]
    groups += [("looked", f"to look at: {len(looked):,}")] * bool(looked)
    groups += [(s.value, f"{words}: {states[s]:,}") for s, words in STATE_HEADINGS.items() if states[s]]
    more = max(0, len(looked) - _MOST_PAPERS)
    rows = [[*paper.list_cells(), looked.get(paper.id, 0)] for paper in papers]
    return write_page(
        "venue.html", "all papers", "Venue report", "papers.css", "venue.js",
        venue=venue, counts=counts, groups=groups, columns=COLUMNS[2:10], first=papers[:_FIRST],
        looked=looked, rows=embed_json(rows), papers=len(papers),
        bad=[paper for paper in papers if paper.references][:_MOST_PAPERS],
        more=f"{more:,} more papers are in venue.json." if more else "",
        most_named=_MOST_NAMED, most_shared=_MOST_SHARED, describe_kind=_describe_kind,
        reported=any(paper.report for paper in papers), headings=STATE_HEADINGS,
        headings_json=embed_json(STATE_HEADINGS),
    )  # fmt: skip


def _describe_kind(reference: VenueReference) -> str:
    words = ["retracted"] if reference.retracted else [reference.label, reference.verdict.replace("_", " ")]
    signs = ", ".join(reference.signs).replace("_", " ")
    return " ".join(filter(None, words)) + (f" ({signs})" if signs else "")
