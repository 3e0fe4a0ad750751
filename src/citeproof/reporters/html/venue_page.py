"""The page about a venue: what its papers share, which of them have problems, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from citeproof.reporters import wording
from citeproof.reporters.html.page_parts import (
    CLOSING,
    escape_text,
    format_article,
    format_facts,
    format_list,
    open_page,
)
from citeproof.reporters.wording import format_count

_MOST_SHARED = 500  # works that are listed; the JSON has all
_MOST_PAPERS = 5_000  # papers with problems that are listed; same
_MOST_NAMED = 30  # papers of one work
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
    explanation: str
    retracted: bool = False


@dataclass(slots=True)
class VenuePaper:
    """One paper: its counts, and its references that are MAJOR or retracted."""

    id: str
    major: int = 0
    minor: int = 0
    open: int = 0
    total: int = 0
    retracted: int = 0
    error: str = ""  # why it could not be checked
    report: str = ""  # the page about it, from the folder of the venue
    references: list[VenueReference] = field(default_factory=list)

    def rank(self) -> tuple[int, int, int, str]:
        """Return what the worst paper has least of."""
        return -self.major, -self.retracted, -self.minor, self.id


@dataclass(frozen=True, slots=True)
class SharedWork:
    """One work that several papers cite."""

    title: str
    cited: tuple[VenueReference, ...]


@dataclass(frozen=True, slots=True)
class VenueSummary:
    """What is known about all papers together."""

    started: str
    against: str  # what was asked, in words
    sentence: str  # the counts, in words
    papers: Sequence[VenuePaper]
    invented: Sequence[SharedWork]  # MAJOR in each of several papers
    retracted: Sequence[SharedWork]  # in one paper or more


def format_venue_page(venue: VenueSummary) -> Iterator[str]:
    """Yield the page: counts, what papers share, what could not be read, then the papers with problems."""
    bad = sorted((one for one in venue.papers if one.major or one.retracted), key=VenuePaper.rank)
    failed = [one for one in venue.papers if one.error]
    major, retracted = (sum(bool(getattr(p, name)) for p in venue.papers) for name in ("major", "retracted"))
    counts = (
        f"{format_count(len(venue.papers), 'paper')}: {major:,} with MAJOR references, "
        f"{retracted:,} that cite a retracted work, "
        f"{len(failed):,} that could not be checked."
    )
    yield open_page("all papers", "Venue report", "papers.css")
    yield f"<p><strong>{escape_text(counts)}</strong> {escape_text(venue.sentence)}.</p>\n"
    yield f"<dl>{format_facts((('checked against', venue.against), ('started', venue.started)), 2000)}</dl>\n"
    if venue.invented:
        yield format_list("MAJOR in several papers", map(_format_shared, venue.invented[:_MOST_SHARED]))
        yield f'<p class="dim">{_ABOUT_SHARED}</p>\n'
    yield format_list("Retracted works", map(_format_shared, venue.retracted[:_MOST_SHARED]))
    told = format_list("Could not be checked", map(_format_failure, failed[:_MOST_PAPERS]))
    yield f'<div class="unread" role="alert">{told}</div>\n' if told else ""
    yield "</header>\n<main>\n"
    yield _format_table(bad[:_MOST_PAPERS])
    for paper in bad[:_MOST_PAPERS]:
        yield _format_paper(paper)
    rest = len(venue.papers) - len(bad) - len(failed)
    more = max(0, len(bad) - _MOST_PAPERS)
    told = f"{format_count(rest, 'other paper')} without MAJOR references or retracted works."
    told += f" {more:,} more papers are in venue.json." if more else ""
    yield f'<p class="dim">{told}</p>\n{CLOSING}'


def _format_shared(work: SharedWork) -> str:
    named = [
        f"{escape_text(one.document, 200)} ({escape_text(one.key, 60)})" for one in work.cited[:_MOST_NAMED]
    ]
    more = f" and {len(work.cited) - _MOST_NAMED:,} more" if len(work.cited) > _MOST_NAMED else ""
    return f"<b>{escape_text(work.title, 300)}</b>: {', '.join(named)}{more}"


def _format_failure(paper: VenuePaper) -> str:
    return f"{escape_text(paper.id, 200)}: {escape_text(paper.error)}"


def _format_table(papers: Sequence[VenuePaper]) -> str:
    if not papers:
        return ""
    heads = ("MAJOR", "MINOR", "not checked", "retracted", "total")
    names = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rows = "".join(_format_row(number, paper) for number, paper in enumerate(papers, 1))
    return (
        '<h2>Papers</h2>\n<table class="papers"><thead><tr><th scope="col">#</th><th scope="col">paper</th>'
        f"{names}</tr></thead><tbody>\n{rows}</tbody></table>\n"
    )


def _format_row(number: int, paper: VenuePaper) -> str:
    counts = {"major": paper.major, "minor": paper.minor, "open": paper.open, "retracted": paper.retracted}
    cells = "".join(
        f'<td class="{("major" if name == "retracted" else name) if count else "none"}">{count:,}</td>'
        for name, count in counts.items()
    )
    name = escape_text(paper.id, 200)
    link = f'<a href="{escape_text(paper.report, 500)}">{name}</a>' if paper.report else name
    return f"<tr><td>{number}</td><td>{link}</td>{cells}<td>{paper.total:,}</td></tr>\n"


def _format_paper(paper: VenuePaper) -> str:
    head = (
        f"<b>{escape_text(paper.id, 200)}</b> {format_count(len(paper.references), 'reference')} to look at"
    )
    items = "".join(f"<li>{_format_reference(one)}</li>" for one in paper.references)
    return format_article("major", head, f"<ul>{items}</ul>", shown=False)


def _format_reference(one: VenueReference) -> str:
    where = f" ({escape_text(one.where, 60)})" if one.where else ""
    word = "retracted" if one.retracted else one.verdict.replace("_", " ")
    return (
        f"<b>{escape_text(word, 40)}</b> {escape_text(one.key, 100)}{where}: "
        f"{escape_text(one.title, 300)}. {escape_text(one.explanation, wording.SHOWN)}"
    )
