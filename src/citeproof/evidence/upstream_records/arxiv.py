"""A work as arXiv describes it: an Atom entry of the API, or a line of the metadata dump.

Both give one record: every year in which a version appeared at arXiv, then the publication that the
authors name in `journal_ref`, as far as it can be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec
from lxml import etree

from citeproof.evidence.upstream_records.json_fields import list_titles
from citeproof.text import dates, ids, names
from citeproof.text import lazy_patterns as re
from citeproof.text.latex import strip_latex
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"
MAX_AUTHORS = 3000
_MAX_NOTE = 1000  # characters read of a comment or a journal reference

_LETTER = re.compile(r"[^\W_]")
# "This paper has been withdrawn by the author", but not "replaces the withdrawn paper 0704.0001".
_WITHDRAWN = re.compile(
    r"\bwithdrawn\b(?!\s+(?:paper|article|submission|preprint|manuscript|version))", re.IGNORECASE
)
_DATED = re.compile(r"\([^()]{0,60}?\b((?:19|20)\d\d)\s{0,3}\)")  # "(2008)", "(Issue 4, April 2019)"
# Where the name of a journal ends: "Vol. 3", ", 35(2)", "B573:94", "(Volume: 65"; a year may come before.
_LOCATOR = re.compile(
    r"[\s,;(]{1,4}(?:vol(?:ume)?|no|issue|pp?|pages?|art(?:icle)?)\b[\s.:]{0,3}\d"
    r"|[\s,;]{1,3}\d{1,5}(?=\s{0,2}[:(,;]|\s+\d|-)"
    r"|(?<=[A-Za-z.])\d{1,5}(?=[:,(])"
    r"|[\s,;]{0,3}\((?:19|20)\d\d\)",
    re.IGNORECASE,
)
_LAST_YEAR = re.compile(r"[\s,;(]{1,4}(?:[A-Za-z]{3,9}\.?\s{1,2})?(?:19|20)\d\d\)?\.?\Z")
_GLUED = re.compile(r"\.(?=[A-Za-z])")  # "Phys.Lett.B"
_GROUPS = frozenset(("collaboration", "collaborations", "consortium", "group", "team"))


class ArxivDumpLine(msgspec.Struct, gc=False, rename={"journal_ref": "journal-ref"}):
    """One line of the dump, checked by type."""

    id: str
    title: str
    authors: str | None = None
    comments: str | None = None
    journal_ref: str | None = None
    doi: str | None = None
    versions: list[dict[str, str | None]] = []
    update_date: str | None = None
    authors_parsed: list[list[str]] = []


def make_record(entry: etree._Element) -> Record | None:
    """Return the record of an Atom entry; None if it names no paper."""
    years = [dates.find_year(entry.findtext(f"{ATOM}{name}") or "") for name in ("published", "updated")]
    people = (author.findtext(f"{ATOM}name") for author in entry.iterfind(f"{ATOM}author"))
    listed = [names.parse(_clean_line(text[: names.MAX_NAME])) for text in people if text]
    return _build_record(
        entry.findtext(f"{ATOM}id") or "",
        entry.findtext(f"{ATOM}title") or "",
        listed,
        years,
        entry.findtext(f"{ARXIV}comment") or "",
        entry.findtext(f"{ARXIV}journal_ref") or "",
        entry.findtext(f"{ARXIV}doi") or "",
    )


def make_dump_record(item: ArxivDumpLine) -> Record | None:
    """Return the record of a line of the dump; None if it names no paper."""
    stated = [version.get("created") or "" for version in item.versions] or [item.update_date or ""]
    if item.authors_parsed:
        people = [_make_name(*(*row[:3], "", "", "")[:3]) for row in item.authors_parsed[:MAX_AUTHORS] if row]
    else:
        people = list(names.split_names(item.authors or "")[0])
    years = [dates.find_year(text) for text in stated]
    return _build_record(
        item.id, item.title, people, years, item.comments or "", item.journal_ref or "", item.doi or ""
    )


def _build_record(
    number: str,
    title: str,
    people: Iterable[Name],
    years: Iterable[int | None],
    comment: str,
    journal: str,
    doi: str,
) -> Record | None:
    own = ids.normalise_id("arxiv", number)
    known = list_titles(title)
    if own is None or not known:
        return None
    seen = [Version(year, "arXiv", Kind.PREPRINT) for year in dict.fromkeys(y for y in years if y)]
    printed = _read_journal_ref(_clean_line(journal[:_MAX_NOTE]))
    pairs = [("arxiv", own)]
    for part in doi[:_MAX_NOTE].split()[:10]:  # a few entries name several
        if value := ids.normalise_id("doi", part):
            pairs += ids.expand_doi(value)
    return Record(
        source="arxiv",
        id=f"arxiv:{own}",
        titles=known,
        authors=tuple(name for name in people if _LETTER.search(name.family))[:MAX_AUTHORS],
        versions=(*(seen or [Version(None, "arXiv", Kind.PREPRINT)]), *([printed] if printed else [])),
        kind=Kind.PREPRINT,
        ids=Ids(tuple(dict.fromkeys(pairs))),
        marks=("withdrawn",) if _WITHDRAWN.search(comment[:_MAX_NOTE]) else (),
    )


def _read_journal_ref(journal: str) -> Version | None:
    """Return the publication that a journal reference names; it is free text of the authors."""
    stated = dates.find_years(journal)
    if not stated:
        return None
    marked = _DATED.search(journal)
    cut = _LOCATOR.search(journal, 1)
    venue = _LAST_YEAR.sub("", journal[: cut.start()] if cut else journal)
    if venue.count("(") > venue.count(")"):  # the cut went through "(NIPS 2017)"
        venue = venue[: venue.rindex("(")]
    venue = strip_latex(_GLUED.sub(". ", venue)).strip(" ,;:(")
    named = any(map(str.isalpha, venue))
    return Version(int(marked[1]) if marked else stated[-1][0], venue if named else None, Kind.ARTICLE)


@lru_cache(maxsize=65536)
def _make_name(family: str, given: str, suffix: str) -> Name:
    """Return one name of the dump, which was split there already."""
    family, given, suffix = (
        names.tidy_name(_clean_line(part[: names.MAX_NAME])) for part in (family, given, suffix)
    )
    if not given or family.casefold() in _GROUPS:
        return names.parse(f"{given} {family}".strip())
    return Name(family, given, suffix)


def _clean_line(text: str) -> str:
    """Return text on one line without control characters; unlike titles it keeps its last full stop."""
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(filter(str.isprintable, text))
