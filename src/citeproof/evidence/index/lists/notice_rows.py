"""Lists of notices about works: their rows in a compiled list, and how a work is recognised in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from citeproof.evidence.index.lists.compiled_list import CompiledList, PackedRow, hash_name
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
    for row in rows:
        yield PackedRow(row.kind, _ENCODER.encode(row), tuple(_list_names(row)))


def find_notices(listed: CompiledList, question: ListQuestion) -> tuple[Notice, ...]:
    """Return every notice about the work, each once: by DOI and PubMed number, else title and author."""
    notices: dict[Notice, None] = {}
    for doi in question.dois:
        for number in listed.find_rows(hash_name(f"doi:{doi}")):
            row = _DECODER.decode(listed.read_row(number))
            if row.doi == doi:
                notices[_make_notice(row, doi)] = None
    for pmid in question.pmids:
        for number in listed.find_rows(hash_name(f"pmid:{pmid}")):
            row = _DECODER.decode(listed.read_row(number))
            if row.pmid == pmid and not (row.doi and row.doi in question.dois):
                notices[_make_notice(row, f"PMID {pmid}")] = None
    if notices or not question.title or not question.families:
        return tuple(notices)
    key = make_title_key(strip_notice(question.title))[:400]
    numbers = listed.find_rows(hash_name(f"title:{key}")) if len(key) >= SHORTEST else ()
    return tuple(_find_by_title(listed, question, key, numbers)) if numbers else ()


def _find_by_title(
    listed: CompiledList, question: ListQuestion, key: str, numbers: Sequence[int]
) -> Iterator[Notice]:
    """Yield the notices about a work of this title, author and year that nothing else distinguishes."""
    people = {make_title_key(name) for name in question.families}
    notices: dict[Notice, None] = {}
    for number in numbers:
        row = _DECODER.decode(listed.read_row(number))
        apart = (row.doi and question.dois) or (row.pmid and question.pmids)
        far = row.year and question.year and abs(row.year - question.year) > YEARS
        if row.title == key and not apart and not far and not people.isdisjoint(row.families):
            notices[_make_notice(row, "title and author")] = None
    yield from notices


def _list_names(row: ListedNotice) -> Iterator[str]:
    if row.doi:
        yield f"doi:{row.doi}"
    if row.pmid:
        yield f"pmid:{row.pmid}"
    if len(row.title) >= SHORTEST and row.families:
        yield f"title:{row.title}"


def _make_notice(row: ListedNotice, about: str) -> Notice:
    return Notice(NoticeKind(row.kind), row.day, row.notice, about, row.reasons)
