"""The page about a venue: what its papers share, which of them have problems, worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.page_parts import (
    CLOSING,
    escape_text,
    format_article,
    format_facts,
    format_list,
    open_page,
)
from citeproof.answers.reporters.wording import format_count
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED, DocumentState

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
_ABOUT_SHARED = (
    "A work that no source has and several papers cite was often invented by the same tool, or copied from "
    "one paper to the next. It may also be real: look it up before you ask an author."
)


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
    yield open_page("all papers", "Venue report", "papers.css")
    yield f"<p><strong>{escape_text(counts)}</strong> {escape_text(venue.sentence)}.</p>\n"
    yield f"<dl>{format_facts(((CHECKED_AGAINST, venue.against), ('started', venue.started)), 2000)}</dl>\n"
    yield from _format_states(venue.papers)
    if venue.invented:
        yield format_list("MAJOR in several papers", map(_format_shared, venue.invented[:_MOST_SHARED]))
        yield f'<p class="dim">{_ABOUT_SHARED}</p>\n'
    yield format_list("Retracted works", map(_format_shared, venue.retracted[:_MOST_SHARED]))
    yield "</header>\n<main>\n"
    yield _format_table(bad[:_MOST_PAPERS])
    for paper in bad[:_MOST_PAPERS]:
        yield _format_paper(paper)
    rest = [paper for paper in venue.papers if paper.state is DocumentState.CHECKED and paper not in bad]
    more, left = max(0, len(bad) - _MOST_PAPERS), sum(paper.open for paper in rest)
    summary = f"{format_count(len(rest), 'other paper')} without MAJOR references, signs or retracted works."
    summary += f" {left:,} of their references {NOT_CHECKED}." if left else ""
    summary += f" {more:,} more papers are in venue.json." if more else ""
    yield f'<p class="dim">{summary}</p>\n{CLOSING}'


def _format_shared(work: SharedWork) -> str:
    named = [f"{escape_text(p.document, 200)} ({escape_text(p.key, 60)})" for p in work.cited[:_MOST_NAMED]]
    more = f" and {len(work.cited) - _MOST_NAMED:,} more" if len(work.cited) > _MOST_NAMED else ""
    return f"<b>{escape_text(work.title, 300)}</b>: {', '.join(named)}{more}"


def _format_states(papers: Sequence[VenuePaper]) -> Iterator[str]:
    """Yield links to the groups of files that could not be checked, then the groups, the worst first."""
    counts = Counter(paper.state for paper in papers)
    heads = {state: f"{words}: {counts[state]:,}" for state, words in STATE_HEADINGS.items() if counts[state]}
    links = (f'<a href="#{state}">{head}</a>' for state, head in heads.items())
    yield f"<p>{' · '.join(links)}</p>\n" if heads else ""
    for state, head in heads.items():
        some = [paper for paper in papers if paper.state is state][:_MOST_PAPERS]
        yield f'<div class="unread" id="{state}">{format_list(head, map(_format_unchecked, some))}</div>\n'


def _format_unchecked(paper: VenuePaper) -> str:
    counted = format_count(paper.total, "reference") if paper.total else ""
    why = "; ".join(filter(None, (counted, paper.why)))
    return f"{_format_link(paper)}{f': {escape_text(why)}' if why else ''}"


def _format_link(paper: VenuePaper) -> str:
    name = escape_text(paper.id, 200)
    return f'<a href="{escape_text(paper.report, 500)}">{name}</a>' if paper.report else name


def _format_table(papers: Sequence[VenuePaper]) -> str:
    if not papers:
        return ""
    heads = ("MAJOR", "signs of invention", "MINOR", "not checked", "retracted", "total")
    names = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rows = "".join(_format_row(number, paper) for number, paper in enumerate(papers, 1))
    return (
        '<h2>Papers</h2>\n<table class="papers"><thead><tr><th scope="col">#</th><th scope="col">paper</th>'
        f"{names}</tr></thead><tbody>\n{rows}</tbody></table>\n"
    )


def _format_row(number: int, paper: VenuePaper) -> str:
    styles = {"major": "major", "signs": "major", "minor": "minor", "open": "open", "retracted": "major"}
    counts = ((getattr(paper, name), style) for name, style in styles.items())
    cells = "".join(f'<td class="{style if count else "none"}">{count:,}</td>' for count, style in counts)
    return f"<tr><td>{number}</td><td>{_format_link(paper)}</td>{cells}<td>{paper.total:,}</td></tr>\n"


def _format_paper(paper: VenuePaper) -> str:
    head = (
        f"<b>{escape_text(paper.id, 200)}</b> {format_count(len(paper.references), 'reference')} to look at"
    )
    items = "".join(f"<li>{_format_reference(reference)}</li>" for reference in paper.references)
    return format_article("major", head, f"<ul>{items}</ul>", shown=False)


def _format_reference(reference: VenueReference) -> str:
    where = f" ({escape_text(reference.where, 60)})" if reference.where else ""
    word = "retracted" if reference.retracted else reference.verdict.replace("_", " ")
    signs = f" ({', '.join(reference.signs).replace('_', ' ')})" if reference.signs else ""
    return (
        f"<b>{escape_text(f'{word}{signs}', 100)}</b> {escape_text(reference.key, 100)}{where}: "
        f"{escape_text(reference.title, 300)}. {escape_text(reference.explanation, wording.SHOWN)}"
    )
