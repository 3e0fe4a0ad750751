"""One citation from loose fields or as a text, as flags and arguments give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict

from citeproof.errors import UsageError
from citeproof.text import ids, names
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import ID_ORDER, Claimed, FieldOrigin, Ids, Kind, Name, Origin, Place, RawReference

# The longest value that each field may have; nothing real is longer.
LIMITS = {"title": 2000, "author": 200, "container": 500, "doi": 200, "who_iris": 2000}
MAX_ID = 50
MAX_YEAR = 9999
_ET_AL = re.compile(r"\w\s+et\s+al\b")
MIN_WORDS = 2  # a text of so many words says too little to be a reference

EXAMPLES = {
    "doi": "10.1038/nature14539",
    "pmid": "26017442",
    "pmcid": "PMC1234567",
    "arxiv": "1706.03762",
    "ads": "2016PhRvL.116f1102A",
    "isbn": "978-0-262-03561-3",
    "issn": "0028-0836",
    "who_iris": "https://iris.who.int/handle/10665/350161",
}


class CitationDetails(TypedDict, total=False):
    """What may be known of a citation besides its title; `author` is the first author's family name."""

    doi: str | None
    pmid: str | None
    pmcid: str | None
    arxiv: str | None
    ads: str | None
    isbn: str | None
    issn: str | None
    who_iris_url: str | None
    author: str | None
    year: int | None
    container: str | None


def build_citation(
    title: str,
    *,
    author: str | None = None,
    year: int | None = None,
    container: str | None = None,
    who_iris_url: str | None = None,
    **identifiers: str | None,
) -> RawReference:
    """Return the reference that the fields describe; `author` is the first author's family name."""
    _check_fields(author, year, identifiers)
    given = {"who_iris": who_iris_url, **identifiers}
    _check_length("title", title)
    if not title.strip():
        raise UsageError("is empty", place="title", hint="give the title as it is cited")
    if year is not None and not 0 <= year <= MAX_YEAR:
        raise UsageError(f"{year} is not a year", place="year", hint="give it with four digits, like 2019")
    pairs = tuple(
        (scheme, _normalise_identifier(scheme, value)) for scheme in ID_ORDER if (value := given.get(scheme))
    )
    people, cut = names.split_names(_check_length("author", author).strip())
    if len(people) == 1 and author and not cut:
        people, cut = (names.parse(author) if "," in author else Name(family=author.strip()),), True
    claimed = Claimed(
        title=title.strip(),
        authors=people,
        et_al=cut or not people,
        year=year,
        venue=_check_length("container", container).strip() or None,
        ids=Ids(pairs),
    )
    schemes = [scheme for scheme, _ in pairs]
    fields = [name for name in ("title", "authors", "year", "venue") if getattr(claimed, name)]
    origins = tuple(FieldOrigin(name, Origin.STRUCTURED, 1.0) for name in (*fields, *schemes))
    only = schemes[0] if len(schemes) == 1 else ""  # an article, unless its only identifier says otherwise
    kind = {"isbn": Kind.BOOK, "who_iris": Kind.REPORT}.get(only, Kind.ARTICLE)
    described = replace(claimed, origins=origins)
    return RawReference("citation", _format_citation(claimed), Place(), kind, claimed=described)


def is_reference_text(text: str) -> bool:
    """Return whether a line is a reference: by an identifier, a year, or a title (by people, or capital)."""
    from citeproof.reading.extractors.prose.entry_segments import is_likely_reference  # noqa: PLC0415 - few need it
    from citeproof.reading.parse import parse_all  # noqa: PLC0415 - it loads the tagger

    text = text[: LIMITS["title"]]
    if ids.find_ids(text) or is_likely_reference(text) or _ET_AL.search(text):
        return True
    claimed = next(iter(parse_all([RawReference("citation", text, Place())]))).claimed
    named = claimed.authors or text.strip()[:1].isupper()
    return len(text.split()) > MIN_WORDS and bool(claimed.title and named)


def _normalise_identifier(scheme: str, value: str) -> str:
    _check_length(scheme, value, MAX_ID)
    normal = ids.normalise_id(scheme, value.strip())
    if normal is None:
        message = f"{value.strip()!r} is not a well-formed {scheme}"
        raise UsageError(message, place=scheme, hint=f"write it like {EXAMPLES[scheme]}")
    return normal


def _check_fields(author: object, year: object, identifiers: Mapping[str, object]) -> None:
    """Raise UsageError for an unknown keyword, and for what is no name or no year."""
    if unknown := [name for name in identifiers if name not in ID_ORDER]:
        own = ("author (of the first one)", "year", "container (the journal or conference)")
        ids_ = (name for name in CitationDetails.__annotations__ if name in (*ID_ORDER, "who_iris_url"))
        raise UsageError(f"{unknown[0]!r} is no field", place="verify", hint=", ".join((*own, *ids_)))
    if author is not None and not isinstance(author, str):
        raise UsageError("is no text", place="author", hint="give the family name of the first author")
    if year is not None and not isinstance(year, int):
        raise UsageError("is no number", place="year", hint="give it as a number, like 2019")


def _check_length(field: str, value: str | None, limit: int = 0) -> str:
    limit = LIMITS.get(field, limit)
    if value is not None and len(value) > limit:
        message = f"has {len(value)} characters, at most {limit} are read"
        raise UsageError(message, place=field, hint="give this field alone")
    return value or ""


def _format_citation(claimed: Claimed) -> str:
    people = "; ".join(name.display for name in claimed.authors)
    parts = [people, f"({claimed.year})" if claimed.year is not None else "", claimed.title, claimed.venue]
    parts += [f"{scheme}:{value}" for scheme, value in claimed.ids.pairs]
    return ". ".join(part for part in parts if part)
