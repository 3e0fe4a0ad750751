"""Lists of notices about works: their rows in a compiled list, and how a work is recognised in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from citeproof.index.lists.compiled_list import CompiledList, PackedRow, hash_name
from citeproof.text.title import make_title_key, strip_notice
from citeproof.vocabulary import ListQuestion, Notice, NoticeKind

SHORTEST = 25  # letters and digits of a title that names a work; "Editorial" does not
YEARS = 1  # between the cited year and the listed one: online and in print


class ListedNotice(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One row of the list: a notice, and the work it is about."""

    kind: str
    day: str = ""
    doi: str = ""
    pmid: str = ""
    title: str = ""  # as a key: folded letters and digits
    year: int = 0
    notice: str = ""  # its DOI
    families: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(ListedNotice)


def pack_notices(rows: Iterable[ListedNotice]) -> Iterator[PackedRow]:
    """Yield the notices as rows of a compiled list."""
    for row in rows:
        yield PackedRow(row.kind, _ENCODER.encode(row), tuple(_list_names(row)))


def find_notices(listed: CompiledList, question: ListQuestion) -> tuple[Notice, ...]:
    """Return every notice about the work, each once: by DOI and PubMed number, else title and author."""
    found: dict[Notice, None] = {}
    for doi in question.dois:
        for row in _find_rows(listed, f"doi:{doi}"):
            if row.doi == doi:
                found[_make_notice(row, doi)] = None
    for pmid in question.pmids:
        for row in _find_rows(listed, f"pmid:{pmid}"):
            if row.pmid == pmid and not (row.doi and row.doi in question.dois):
                found[_make_notice(row, f"PMID {pmid}")] = None
    if not found and question.title and question.families:
        found |= dict.fromkeys(_find_by_title(listed, question))
    return tuple(found)


def _find_by_title(listed: CompiledList, question: ListQuestion) -> Iterator[Notice]:
    """Yield the notices about a work of this title, author and year that nothing else tells apart."""
    key = make_title_key(strip_notice(question.title))[:400]
    if len(key) < SHORTEST:
        return
    people = None
    for row in _find_rows(listed, f"title:{key}"):
        apart = (row.doi and question.dois) or (row.pmid and question.pmids)
        far = row.year and question.year and abs(row.year - question.year) > YEARS
        people = people or {make_title_key(name) for name in question.families}
        if row.title == key and not apart and not far and not people.isdisjoint(row.families):
            yield _make_notice(row, "title and author")


def _find_rows(listed: CompiledList, name: str) -> Iterator[ListedNotice]:
    for row in listed.find_rows(hash_name(name)):
        yield _DECODER.decode(row)


def _list_names(row: ListedNotice) -> Iterator[str]:
    if row.doi:
        yield f"doi:{row.doi}"
    if row.pmid:
        yield f"pmid:{row.pmid}"
    if len(row.title) >= SHORTEST and row.families:
        yield f"title:{row.title}"


def _make_notice(row: ListedNotice, about: str) -> Notice:
    return Notice(NoticeKind(row.kind), row.day, row.notice, about, row.reasons)
