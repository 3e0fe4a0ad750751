"""Author–year mentions: the corpus must have a work of these authors and that year.

`Smith et al., 2020` is verified by a source with an author Smith (and all other authors named) of that year.
An author whom no source has is a hallucination; an author with works of other years only, a wrong year.
`(Berlin, 2020)` may be no author at all: unknown ones of that form are warnings.
"""

from __future__ import annotations

from functools import reduce

from citeproof.corpus.desk import Desk
from citeproof.corpus.entries import Entry
from citeproof.corpus.nouns import Act, Level, Mark, Pattern, Remedy, Span, Status
from citeproof.text import names
from citeproof.vocabulary import Name

_FIRST_YEAR = 1900


def check(desk: Desk) -> None:
    """Note what became of every author–year mention."""
    for mark in desk.marks(Pattern.AUTHOR_YEAR):
        if not desk.asking.present():
            detail = "there is no corpus to look it up in"
            if mark.sure:  # "(Berlin, 2020)" in a project without a corpus is just a word and a year
                desk.cite(mark, Status.UNCHECKED, reason="no_corpus", detail=detail)
            continue
        entries = _of(desk, mark)
        fitting = tuple(entry for entry in entries if entry.year in (None, mark.year))
        if fitting:
            desk.means[mark] = fitting
            desk.cite(mark, Status.VERIFIED)
        elif entries:
            _wrong_year(desk, mark, entries)
        else:
            _unknown(desk, mark)


def _of(desk: Desk, mark: Mark) -> tuple[Entry, ...]:
    """Return the entries that have every author whom the mention names."""
    found = [desk.asking.family(names.family_key(Name(family))) for family in mark.names]
    return reduce(lambda kept, more: tuple(entry for entry in kept if entry in more), found) if found else ()


def _wrong_year(desk: Desk, mark: Mark, entries: tuple[Entry, ...]) -> None:
    years = ", ".join(sorted({str(entry.year) for entry in entries}))
    known = f"the corpus has {mark.names[0]} with {years}, not {mark.year}"
    number = desk.cite(mark, Status.INCONSISTENT, reason="wrong_year", detail=known, source=entries[0].path)
    _told(desk, mark, "wrong-year", f"{known}{_impossible(desk, mark)}", number)


def _unknown(desk: Desk, mark: Mark) -> None:
    people = " and ".join(mark.names[:3])
    detail = f"no source of the corpus is by {people}{_impossible(desk, mark)}"
    number = desk.cite(mark, Status.HALLUCINATED, reason="not_found", detail=detail)
    _told(desk, mark, "unknown-author", detail, number, level=None if mark.sure else Level.WARNING)


def _impossible(desk: Desk, mark: Mark) -> str:
    last = int(desk.asking.day()[:4]) + 1
    possible = mark.year is None or _FIRST_YEAR <= mark.year <= last
    return "" if possible else f"; {mark.year} is not a year from {_FIRST_YEAR} to {last}"


def _told(desk: Desk, mark: Mark, rule: str, message: str, number: int, level: Level | None = None) -> None:
    end = Span(mark.span.start, mark.span.end)
    desk.tell(
        rule,
        end,
        mark.sentence,
        source=mark.raw,
        message=message,
        fix="Add the source to the corpus, or cite one that is in it.",
        level=level,
        remedy=Remedy(Act.TODO, mark.whole.start, mark.whole.end, f"verify {mark.raw}: {message}"),
        cited=number,
    )
