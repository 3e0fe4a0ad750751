"""What the JSON-LD of a web page says about the work it shows (schema.org terms)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from citeproof.shapes import fields
from citeproof.text import dates, ids, pages
from citeproof.vocabulary import Kind, Name

MAX_SCRIPT = 500_000  # characters of one script
MAX_NODES = 5000  # JSON objects looked at in one script
MAX_TITLES = 12

# schema.org type, lower case: what it is to us. What stands first is taken first.
KINDS: Mapping[str, Kind] = {
    "scholarlyarticle": Kind.ARTICLE, "medicalscholarlyarticle": Kind.ARTICLE, "thesis": Kind.THESIS,
    "chapter": Kind.CHAPTER, "book": Kind.BOOK, "report": Kind.REPORT, "dataset": Kind.DATASET,
    "softwaresourcecode": Kind.SOFTWARE, "softwareapplication": Kind.SOFTWARE, "techarticle": Kind.WEB_PAGE,
    "newsarticle": Kind.WEB_PAGE, "blogposting": Kind.WEB_PAGE, "article": Kind.WEB_PAGE,
    "socialmediaposting": Kind.WEB_PAGE, "creativework": Kind.WEB_PAGE, "webpage": Kind.WEB_PAGE,
    "aboutpage": Kind.WEB_PAGE, "videoobject": Kind.WEB_PAGE,
}  # fmt: skip
_RANK = {name: rank for rank, name in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Card:
    """What one way of describing a page says of it; empty where it says nothing."""

    titles: tuple[str, ...] = ()
    authors: tuple[Name, ...] = ()
    year: int | None = None
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    ids: tuple[tuple[str, str], ...] = ()
    kind: Kind = Kind.UNKNOWN


def card(script: str) -> tuple[int, Card] | None:
    """Return the most telling work of one script and the rank of its type (0 first); None without one."""
    try:
        whole = msgspec.json.decode(script[:MAX_SCRIPT].strip())
    except (msgspec.DecodeError, RecursionError):
        return None
    found = [(rank, node) for node in _nodes(whole) if (rank := _rank(node)) is not None and _titles(node)]
    if not found:
        return None
    rank, node = min(found, key=lambda row: row[0])
    return rank, _card(node, tuple(KINDS.values())[rank])


def _nodes(whole: object) -> Iterator[dict[str, object]]:
    """Yield the objects of a graph from the outside in, without recursion: the nesting is a stranger's."""
    waiting, seen = [whole], 0
    while waiting and seen < MAX_NODES:
        one = waiting.pop(0)
        if isinstance(one, dict):
            seen += 1
            yield one
            waiting.extend(one[name] for name in ("@graph", "mainEntity", "itemListElement") if name in one)
        elif isinstance(one, list):
            waiting.extend(one[:MAX_NODES])


def _rank(node: dict[str, object]) -> int | None:
    types = fields.texts(node.get("@type"))
    ranks = [_RANK[low] for name in types if (low := name.rpartition("/")[2].lower()) in _RANK]
    return min(ranks, default=None)


def _titles(node: dict[str, object]) -> tuple[str, ...]:
    main = fields.text(node.get("headline")) or fields.text(node.get("name"))
    others = [*fields.texts(node.get("name")), *fields.texts(node.get("alternativeHeadline"))]
    return fields.titles(main, "", *others)[:MAX_TITLES]


def _card(node: dict[str, object], kind: Kind) -> Card:
    issue, volume, journal = _parts(node)
    first, last = (fields.text(node.get(name)) for name in ("pageStart", "pageEnd"))
    paged = fields.text(node.get("pagination")) or (f"{first}-{last}" if last else first)
    return Card(
        titles=_titles(node),
        authors=_people(node.get("author") or node.get("creator")),
        year=dates.year(fields.text(node.get("datePublished")) or fields.text(node.get("dateCreated"))),
        venue=journal,
        volume=volume,
        issue=issue,
        pages=pages.normal(paged) or "",
        publisher=_named(node.get("publisher")),
        ids=_ids(node),
        kind=kind,
    )


def _parts(node: dict[str, object]) -> tuple[str, str, str]:
    """Return issue, volume and journal: an article is part of an issue, that of a volume, and so on."""
    issue, volume, journal = "", fields.text(node.get("volumeNumber")), ""
    within = node.get("isPartOf")
    for _ in range(4):
        one = next(iter(fields.rows(within)), None) if isinstance(within, list) else within
        if not isinstance(one, dict):
            break
        issue = issue or _number(one.get("issueNumber"))
        volume = volume or _number(one.get("volumeNumber"))
        kinds = [name.lower() for name in fields.texts(one.get("@type"))]
        if not {"website", "publicationissue", "publicationvolume"} & set(kinds):
            journal = journal or fields.text(one.get("name"))
        within = one.get("isPartOf")
    return issue, volume, journal


def _number(value: object) -> str:
    return str(value) if type(value) is int else fields.text(value, 50)


def _people(value: object) -> tuple[Name, ...]:
    """Return the authors: people as objects or texts, organisations marked as such."""
    many = value if isinstance(value, list) else [value]
    found: list[Name] = []
    for one in many[: fields.MAX_ROWS]:
        if isinstance(one, str):
            found.extend(fields.people([fields.text(one)]))
        elif isinstance(one, dict):
            found.extend(_person(one))
    return tuple(found)


def _person(one: dict[str, object]) -> tuple[Name, ...]:
    family, given = fields.text(one.get("familyName"), 200), fields.text(one.get("givenName"), 200)
    if family:
        return (Name(family, given),)
    name = fields.text(one.get("name"), 200)
    if not name or name.startswith("http"):
        return ()
    if "organization" in " ".join(fields.texts(one.get("@type"))).lower():
        return (Name(name, collective=True),)
    return fields.people([name])


def _named(value: object) -> str:
    one = next(iter(fields.rows(value)), None) if isinstance(value, list) else value
    return fields.text(one.get("name"), 300) if isinstance(one, dict) else fields.text(one, 300)


def _ids(node: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the identifiers in `identifier`, `sameAs`, `doi` and `isbn`."""
    texts: list[str] = []
    for name in ("@id", "identifier", "sameAs", "doi"):
        value = node.get(name)
        for one in value[:20] if isinstance(value, list) else [value]:
            inner = one.get("value") if isinstance(one, dict) else one
            texts.extend([inner[:2000]] if isinstance(inner, str) else [])
    found = [*fields.pairs("doi", texts), *fields.pairs("isbn", fields.texts(node.get("isbn")))]
    found += [pair for one in texts if one.startswith("http") for pair in ids.of_url(one) if pair[0] != "url"]
    return tuple(dict.fromkeys(found))
