"""Author–year mentions: the corpus must have a work of these authors and that year.

`Smith et al., 2020` is verified by a source of that year whose first author is Smith; `Smith and Doe (2020)`
by one with both authors. Works without a year count where none of that year is there. An author whom no
source has is a hallucination; an author with works of other years only, a wrong year.
`(Berlin, 2020)` and `Berlin and Paris (2020)` may be no authors at all: if no source has one of them, they
are warnings.
"""

from __future__ import annotations

from citeproof.corpus.corpus_context import FIRST_YEAR
from citeproof.corpus.corpus_types import CitationMark, Grade, Level, Pattern, Status
from citeproof.corpus.document_check import DocumentCheck
from citeproof.corpus.entries import CorpusEntry, is_first_author
from citeproof.text import names
from citeproof.vocabulary import CitationReason, Name

_Said = tuple[tuple[str, ...], int | None, bool]  # names, year, et al.: the same mean the same
_MEANT = 50  # works that one mention may mean
_ORDER = (Grade.HIGH, Grade.MODERATE, Grade.LOW, Grade.VERY_LOW, None)


def check(desk: DocumentCheck) -> None:
    """Note what became of every author–year mention."""
    known: dict[tuple[str, ...], tuple[CorpusEntry, ...]] = {}
    meant: dict[_Said, tuple[CorpusEntry, ...]] = {}
    amiss: dict[_Said, tuple[str, str]] = {}
    for mark in desk.marks(Pattern.AUTHOR_YEAR):
        if not desk.asking.present():
            detail = "no corpus to look it up in"
            # "(Berlin, 2020)" in a project without a corpus is just a word and a year
            if mark.sure or len(mark.names) > 1:
                desk.cite(mark, Status.UNCHECKED, reason=CitationReason.NO_CORPUS, detail=detail)
            continue
        if mark.names not in known:
            known[mark.names] = _find_cited_works(desk, mark)
        entries, said = known[mark.names], (mark.names, mark.year, mark.et_al)
        if said not in meant:
            # Works of the year that is said, else those without one; of very many the best
            led = [entry for entry in entries if not mark.et_al or _has_first_author(entry, mark)]
            dated = [entry for entry in led if entry.year == mark.year]
            fitting = dated or [entry for entry in led if entry.year is None]
            if len(fitting) > _MEANT:
                fitting.sort(key=lambda entry: _ORDER.index(desk.asking.grade(entry)))
            meant[said] = tuple(fitting[:_MEANT])
        if meant[said]:
            desk.means[mark] = meant[said]
            desk.cite(mark, Status.VERIFIED)
        elif not entries:
            _note_unknown_author(desk, mark)
        else:
            if said not in amiss:
                amiss[said] = _explain_mismatch(mark, entries)
            _note_inconsistent(desk, mark, entries[0], *amiss[said])


def _find_cited_works(desk: DocumentCheck, mark: CitationMark) -> tuple[CorpusEntry, ...]:
    """Return the entries that have every author whom the mention names."""
    by_author = [_find_author_entries(desk, family) for family in mark.names]
    if not by_author:
        return ()
    others = [{entry.path for entry in entries} for entries in by_author[1:]]
    return tuple(entry for entry in by_author[0] if all(entry.path in paths for paths in others))


def _find_author_entries(desk: DocumentCheck, family: str) -> tuple[CorpusEntry, ...]:
    return desk.asking.family(names.make_family_key(Name(family)))


def _has_first_author(entry: CorpusEntry, mark: CitationMark) -> bool:
    """Return whether the first name of a mention is that of an entry's first author."""
    return is_first_author(entry, names.make_family_key(Name(mark.names[0])))


def _explain_mismatch(mark: CitationMark, entries: tuple[CorpusEntry, ...]) -> tuple[str, str]:
    """Return what is wrong with a mention whose authors the corpus has: a word for programs, a sentence."""
    if mark.et_al and not any(_has_first_author(entry, mark) for entry in entries):
        said = f"{mark.names[0]} is not the first author of {entries[0].path}, as “et al.” says"
        return CitationReason.NOT_FIRST_AUTHOR, said
    years = ", ".join(sorted({str(entry.year) for entry in entries if entry.year})[:_MEANT])
    return CitationReason.WRONG_YEAR, f"the corpus has {mark.names[0]} with {years}, not {mark.year}"


def _note_inconsistent(
    desk: DocumentCheck, mark: CitationMark, entry: CorpusEntry, reason: str, detail: str
) -> None:
    number = desk.cite(mark, Status.INCONSISTENT, reason=reason, detail=detail, source=entry.path)
    rule = "wrong-year" if reason == CitationReason.WRONG_YEAR else "unknown-author"
    _note_author_issue(
        desk, mark, rule, f"{detail}{_describe_impossible_year(desk, mark)}", number, level=Level.WARNING
    )


def _note_unknown_author(desk: DocumentCheck, mark: CitationMark) -> None:
    people = " and ".join(mark.names[:3])
    detail = f"the corpus has no source by {people}{_describe_impossible_year(desk, mark)}"
    number = desk.cite(mark, Status.HALLUCINATED, reason=CitationReason.NOT_FOUND, detail=detail)
    sure = mark.sure or (len(mark.names) > 1 and any(_find_author_entries(desk, name) for name in mark.names))
    _note_author_issue(desk, mark, "unknown-author", detail, number, level=None if sure else Level.WARNING)


def _describe_impossible_year(desk: DocumentCheck, mark: CitationMark) -> str:
    last = desk.asking.find_last_year(mark.year) if mark.year is not None else ""
    return f"; {mark.year} is not a year from {FIRST_YEAR} to {last}" if last else ""


def _note_author_issue(
    desk: DocumentCheck, mark: CitationMark, rule: str, message: str, number: int, level: Level | None = None
) -> None:
    fix, todo = "Add the source to the corpus, or cite one that is in it.", f"verify {mark.raw}: {message}"
    desk.tell(rule, mark, message=message, fix=fix, level=level, todo=todo, cited=number)
