"""What the fields of one bibliographic record claim, whatever format they was in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from citeproof.reading.extractors.records.bibtex_fields import Flag
from citeproof.text import bibtex_kind, dates, ids, names, pages, title
from citeproof.text.doi import is_short
from citeproof.text.unicode import is_suspicious
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Kind, Name, Origin

MAX_VALUE = 4000  # characters of one field that are read

Flags = tuple[Flag, ...]

_CUT = frozenset(("et al", "and others", "others", "...", "…", "u. a", "et. al"))
_SERIAL = re.compile(r"(?<![\w-])(?:97[89][\s-]?)?\d[\d -]{6,16}[\dXx](?![\w-])")


@dataclass(slots=True)
class RecordFields:
    """The fields of a record as they are; `ids` are (scheme, text), `free` may hold identifiers."""

    title: str = ""
    authors: Sequence[Name] = ()
    et_al: bool = False
    editors: Sequence[Name] = ()
    date: str = ""
    venue: str = ""
    series: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    edition: str = ""
    ids: Sequence[tuple[str, str]] = ()
    free: Sequence[str] = field(default=())


def normalise_record_fields(
    record: RecordFields, origin: Origin = Origin.STRUCTURED, confidence: float = 1.0
) -> tuple[Claimed, Flags]:
    """Return what a record claims, and what is wrong with its identifiers.

    `origin` and `confidence` tell of fields that another program read out of running text.
    """
    pairs, flags = _normalise_ids(record)
    fields = {
        "title": _clean_field(record.title),
        "authors": tuple(record.authors),
        "editors": tuple(record.editors),
        "year": dates.find_year(record.date) if record.date else None,
        "venue": _clean_field(record.venue),
        "series": _clean_field(record.series),
        "volume": _clean_field(record.volume),
        "issue": _clean_field(record.issue),
        "pages": pages.normalise(record.pages) if record.pages else None,
        "publisher": _clean_field(record.publisher),
        "edition": _clean_field(record.edition),
        "ids": Ids(pairs),
    }
    stated = tuple(name for name, value in fields.items() if value)
    return Claimed(**fields, et_al=record.et_al, origins=_list_origins(stated, origin, confidence)), flags  # type: ignore[arg-type] # by name


@cache
def _list_origins(stated: tuple[str, ...], origin: Origin, confidence: float) -> tuple[FieldOrigin, ...]:
    return tuple(FieldOrigin(name, origin, confidence) for name in stated)


def has_identifying_field(claimed: Claimed) -> bool:
    """Return whether there is anything by which the work could be known."""
    return bool(claimed.title or claimed.authors or claimed.ids or (claimed.venue and claimed.year))


def read_people(listed: Iterable[str]) -> tuple[tuple[Name, ...], bool]:
    """Return the people of a list of "Family, Given", and whether it says that it is cut."""
    persons: list[Name] = []
    cut = False
    for text in listed:
        if len(persons) >= names.MAX_NAMES:
            return tuple(persons), True
        whole = text.strip()
        if whole.lower().rstrip(".") in _CUT:
            cut = True
        elif ";" in whole and "&" not in whole:
            several, some_cut = names.split_names(whole[:100_000])
            persons += several
            cut = cut or some_cut
        elif whole:
            persons.append(_read_person(whole))
    return tuple(
        name for name in persons if name.family[:1].isalpha() or any(map(str.isalnum, name.family))
    ), cut


def _read_person(text: str) -> Name:
    """Return who one name is; reference managers mark an organisation by a comma behind it."""
    if text.endswith(",") and text.count(",") == 1 and " " in text:
        return Name(names.tidy_name(text[: names.MAX_NAME].rstrip(",")), collective=True)
    return names.parse(text.rstrip(", "))


def choose_record_kind(stated: Kind | None, claimed: Claimed, work: str = "") -> Kind:
    """Return the kind of work: as stated, a preprint where it appeared as one, else from its fields."""
    if stated not in (None, Kind.UNKNOWN, Kind.ARTICLE):
        return stated
    venue = claimed.venue or ""
    if stated is Kind.ARTICLE:
        return bibtex_kind.find_kind("article", {"journal": venue})
    fields = {"journal": venue, "publisher": claimed.publisher or "", "note": work}
    fields |= {scheme: value for scheme, value in claimed.ids.pairs if scheme in ("doi", "url")}
    kind = bibtex_kind.find_kind("misc", fields)
    return Kind.PREPRINT if kind is Kind.UNKNOWN and claimed.ids.first("arxiv") else kind


def find_serial_numbers(text: str) -> list[tuple[str, str]]:
    """Return the ISSNs and ISBNs of a field that holds either, as (scheme, text): eight digits or more."""
    pairs = []
    for match in _SERIAL.finditer(text[:500]):
        digits = sum(c.isalnum() for c in match[0])
        if digits == 8 or digits in (10, 13):
            pairs.append(("issn" if digits == 8 else "isbn", match[0].strip()))
    return pairs


def _clean_field(value: str) -> str | None:
    return (title.clean(value[:MAX_VALUE]) or None) if value else None


def _normalise_ids(stated: RecordFields) -> tuple[tuple[tuple[str, str], ...], Flags]:
    pairs: list[tuple[str, str]] = []
    flags: list[Flag] = []
    for scheme, text in stated.ids:
        value = text[:MAX_VALUE].strip()
        normal = ids.normalise_id(scheme, value) if value else None
        if normal is None and value and not (scheme == "doi" and is_short(value)):
            message = f"{scheme} {value[:80]!r} is malformed"
            flags.append((f"malformed_{scheme}", message, f"check the {scheme}"))
        elif normal is not None:
            pairs += ids.expand_doi(normal) if scheme == "doi" else [(scheme, normal)]
            if scheme in ("doi", "arxiv") and is_suspicious(normal):
                message = f"{scheme} {normal[:80]!r} holds characters that only look like ASCII"
                flags.append(("suspicious_characters", message, f"type the {scheme} again"))
    for text in stated.free:
        if text.startswith("http") and " " not in text:
            pairs += ids.identify_url(text[:MAX_VALUE])
        else:
            pairs += [(scheme, value) for scheme, value, _, _ in ids.find_ids(text[:MAX_VALUE])]
    return tuple(dict.fromkeys(pairs)), tuple(flags)
