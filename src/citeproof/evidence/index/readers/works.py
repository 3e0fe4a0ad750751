"""Works JSONL: one merged work a line.

    {"t": title, "a": [authors], "p": [[year, venue], …], "d": DOI or [DOIs],
     "i": {"arxiv": …, "acl": …, "pmid": …, "isbn": …, "openreview": …, "retracted": …}, "s": [lists]}

Plain, `.gz` or `.zst`. The lists behind it are not clean: homonym numbers, doubled author lists and
damaged LaTeX are fixed here; what cannot be read becomes a `BadRecord` with its line.

A dump has millions of names. Most are "Jane A. Doe" or "Doe, Jane A." in ASCII; for these a short way gives
what `text.names.parse` gives (a test holds the two together) at a fifth of its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast

import msgspec
from msgspec import Raw
from msgspec.msgpack import encode

from citeproof.evidence.index.readers._dump_files import MAX_LINE, open_dump, read_lines
from citeproof.evidence.index.readers.base import BadRecord, Bookmark, DumpReader
from citeproof.evidence.index.record_packing import (
    MAX_CACHED,
    FamilyCache,
    IndexEntry,
    PackedVersion,
    Person,
    pack_fields,
    unpack_record,
)
from citeproof.text import ids, names
from citeproof.text import lazy_patterns as re
from citeproof.text.title import MAX_TITLE, clean
from citeproof.vocabulary import LISTED, Kind, Place, Record

_PREPRINT = re.compile(r"corr\b|arxiv|biorxiv|medrxiv|chemrxiv|preprint", re.IGNORECASE)
_EVENT = re.compile(r"proc|conf|symp|workshop|meeting|journal|trans\.|transactions|\d", re.IGNORECASE)
_LETTER = re.compile(r"[^\W_]")
_PLAIN_DOI = re.compile(r"10\.(?!48550|18653|3115)\d{4}/[a-z0-9]+(?:[._-][a-z0-9]+){0,8}")
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 :,'()?!/+.-"
_SCHEMES = ("pmid", "arxiv", "isbn", "acl", "openreview")


_Dated: TypeAlias = tuple[int | None, str | None]
_W = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{1,20}(?:-[A-ZÀ-ÖØ-Þa-z][a-zß-öø-ÿ]{0,20})?"
_FAMILY = re.compile(_W)
_BEFORE = re.compile(rf"(?:{_W}|[A-Z]\.?)(?: [A-Z]\.?| {_W})?")  # the given names of "Jane A. Doe"
_AFTER = re.compile(rf"(?:{_W}|[A-Z]\.)(?:[ -](?:{_W}|[A-Z]\.)){{0,2}}")  # those of "Doe, Jane A."
# Words that text.names reads as a suffix, a particle or part of a collective name.
_SPECIAL = frozenset((
    "Collaboration", "Collaborations", "Consortium", "Group", "Team", "Committee", "Society",
    "Association", "Organisation", "Organization", "Institute", "University", "Center", "Centre",
    "Council", "Ministry", "Department", "Network", "Initiative", "Project", "Foundation", "Agency",
    "Commission", "Author", "Authors", "Investigators", "Openai", "Deepmind", "Corporation", "Laboratory",
    "Laboratories", "Research", "Bureau", "Office", "Union", "Academy", "Federation", "Program",
    "Programme", "Study", "Trial", "Working", "Community", "Gmbh", "Inc", "Ltd", "Llc", "Junior", "Filho",
    "Neto", "Van", "Von", "Del", "De", "Di", "La", "Le", "El", "Ii", "Iii", "Iv", "Md", "Jr", "Sr", "Phd",
    "Esq",
))  # fmt: skip
# How a dump marks, in the place of a name, that its list is cut.
CUT = frozenset(("others", "Others", "and others", "et al.", "et al", "et. al.", "Et Al", "Et al.", "ET AL"))


_NOBODY: Person = (Raw(b""), 0, "")  # is in a list for what is not a name


class WorkLine(msgspec.Struct, gc=False):
    t: str
    p: list[tuple[int | None, str | None]] = []
    a: list[str] = []
    d: str | list[str] | None = None
    i: dict[str, str] = {}
    s: list[str] = []


def _read_records(paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
    """Yield one record a line, in order; its id is `works:<line>`, counted on over all files."""
    for item in _read_entries(paths, at):
        if isinstance(item, BadRecord):
            yield item
        else:
            yield replace(unpack_record(item.packed, source="", work="", read_at=None), content_hash="")


def _read_entries(paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[IndexEntry | BadRecord]:
    """Yield what `_read_records` yields as entries, at half the cost."""
    maker, at = _EntryMaker(), at or Bookmark()
    for path in paths:
        with open_dump(path) as stream:
            for number, line in at.list_rest(read_lines(stream)):
                try:
                    yield maker.entry(_DECODER.decode(line or b""), f"works:{at.items}")
                except (ValueError, TypeError, RecursionError) as error:  # msgspec's errors are such
                    if line is not None and line.isspace():
                        continue
                    long = f"the line is longer than {MAX_LINE:,} bytes"
                    why = long if line is None else f"not a work: {error}"
                    yield BadRecord(Place(file=str(path), line=number), why)


def tidy_title(title: str) -> str:
    """Return what `text.title.clean` returns, by a short way for titles in which nothing needs it."""
    if not title.isascii() or title.encode().translate(None, _PLAIN) or len(title) > MAX_TITLE:
        return clean(title)
    if "- " in title or "  " in title or "--" in title or "''" in title:
        return clean(title)
    return title.strip(" .,")


class _EntryMaker:
    """Makes entries of works; remembers names and versions, which repeat."""

    def __init__(self) -> None:
        self._people = AuthorLists()
        self._versions: dict[_Dated, PackedVersion] = {}

    def entry(self, work: WorkLine, name: str) -> IndexEntry:
        """Return the entry that a line describes; raise `ValueError` if it describes no work."""
        title = tidy_title(work.t)
        if not title[:1].isalnum() and not _LETTER.search(title):
            raise ValueError("the title has no letters")
        people, complete = self._people.read_people(work.a)
        known = self._versions.get
        versions = [known(dated) or self._version(dated) for dated in work.p]
        pairs = _read_ids(work) if work.i or work.d else ()
        marks = self._marks(work)
        authors = [person[0] for person in people]
        kind = _find_kind(work, versions)
        packed = pack_fields((title,), authors, versions, name, pairs, kind, marks, complete)
        return IndexEntry(packed, (title,), people, versions, pairs)

    def _marks(self, work: WorkLine) -> tuple[str, ...]:
        """Return what the lists state of the work, and which lists they are."""
        lists = tuple([LISTED + name for name in work.s])
        return ("retracted", *lists) if work.i and "retracted" in work.i else lists

    def _version(self, dated: _Dated) -> PackedVersion:
        if len(self._versions) >= MAX_CACHED:
            self._versions.clear()
        preprint = dated[1] is not None and _PREPRINT.match(dated[1])
        made = self._versions[dated] = (*dated, Kind.PREPRINT) if preprint else dated
        return made


def _find_kind(work: WorkLine, versions: list[PackedVersion]) -> Kind:
    if versions and versions[0][2:] and all(version[2:] for version in versions):
        return Kind.PREPRINT
    if "isbn" not in work.i or "acl" in work.i or any(_EVENT.search(venue or "") for _, venue in work.p):
        return Kind.ARTICLE
    return Kind.BOOK  # the lists give a book's publisher in the place of the venue


def _read_ids(work: WorkLine) -> tuple[tuple[str, str], ...]:
    doi = work.d
    if isinstance(doi, str) and not work.i and _PLAIN_DOI.fullmatch(doi):
        return (("doi", doi),)  # as most are: already in the form that `normal` gives
    pairs: dict[tuple[str, str], None] = {}
    for each in [doi] if isinstance(doi, str) else doi or ():
        if value := ids.normalise_id("doi", each):
            pairs.update(dict.fromkeys(ids.expand_doi(value)))
    for scheme in _SCHEMES if work.i else ():
        if (raw := work.i.get(scheme)) and (value := ids.normalise_id(scheme, raw)):
            pairs[scheme, value] = None
    return tuple(pairs)


class AuthorLists:
    """Author lists of one dump, each name read once as long as it is remembered."""

    def __init__(self) -> None:
        self._families = FamilyCache()
        self._known: dict[str, Person] = {}
        self._before: dict[str, bytes] = {}
        self._after: dict[str, bytes] = {}
        self._last: dict[str, tuple[bytes, int, str]] = {}

    def read_people(self, texts: list[str]) -> tuple[list[Person], bool]:
        """Return the people of a dump's author list, and whether the list is complete.

        "others" and "et al." mark a list that is cut. A list that is there twice is one list:
        some compilations doubled them.
        """
        half = len(texts) >> 1
        if half and texts[0] == texts[half] and texts[:half] == texts[half:]:
            texts = texts[:half]
        remembered = list(map(self._known.get, texts))
        if all(remembered):
            return cast("list[Person]", remembered), True
        people = [person or self._read(text) for person, text in zip(remembered, texts, strict=True)]
        if _NOBODY not in people:
            return people, True
        return [person for person in people if person is not _NOBODY], CUT.isdisjoint(texts)

    def _read(self, text: str) -> Person:
        if not text or text in CUT:
            return _NOBODY
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        person = self._plain(text)
        if person is None:
            name = names.parse(text)
            person = self._families.person(name) if name.family else _NOBODY
        self._known[text] = person
        return person

    def _plain(self, text: str) -> Person | None:
        """Return who a plain name is; None if reading it takes the long way.

        Millions of names are made of few given and family names, so each of these is examined once.
        """
        family, comma, given = text.partition(", ")
        if not comma:
            given, _, family = text.rpartition(" ")
        known, pattern = (self._after, _AFTER) if comma else (self._before, _BEFORE)
        first = known.get(given)
        if first is None:
            if len(known) >= MAX_CACHED:
                known.clear()
            first = known[given] = encode(given) if _is_plain(pattern, given) else b""
        last = self._last.get(family) or self._learn_family(family)
        if not first or not last[0]:
            return None
        return Raw(b"\x92" + last[0] + first), last[1], last[2]

    def _learn_family(self, text: str) -> tuple[bytes, int, str]:
        """Return a family name packed and folded; its bytes are empty if it is not plain."""
        if len(self._last) >= MAX_CACHED:
            self._last.clear()
        made: tuple[bytes, int, str] = (b"", 0, "")
        if _is_plain(_FAMILY, text):
            made = (encode(text), *self._families.fold_family(text))
        self._last[text] = made
        return made


def _is_plain(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None and _SPECIAL.isdisjoint(text.replace("-", " ").split())


_DECODER = msgspec.json.Decoder(WorkLine)
READER = DumpReader(
    "works",
    "only the works of the file: its author knows what is complete",
    _read_records,
    entries=_read_entries,
)
