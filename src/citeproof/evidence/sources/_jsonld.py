"""What the JSON-LD of a web page says about the work it shows (schema.org terms)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from citeproof.evidence.upstream_records import json_fields
from citeproof.text import dates, ids, pages
from citeproof.vocabulary import Kind, Name
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_SCRIPT = 500_000  # characters of one script
MAX_NODES = 5000  # JSON objects examined in one script
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
class PageDescription:
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


def find_described_work(script: str) -> tuple[int, PageDescription] | None:
    """Return the most telling work of one script and the rank of its type (0 first); None without one."""
    try:
        whole = msgspec.json.decode(script[:MAX_SCRIPT].strip())
    except (msgspec.DecodeError, RecursionError):
        return None
    ranked = [
        (min(ranks), node)
        for node in _walk_nodes(whole)
        if (
            ranks := [
                _RANK[low]
                for name in json_fields.read_texts(node.get("@type"))
                if (low := name.rpartition("/")[2].lower()) in _RANK
            ]
        )
        and _read_titles(node)
    ]
    if not ranked:
        return None
    rank, node = min(ranked, key=lambda row: row[0])
    return rank, _describe_node(node, tuple(KINDS.values())[rank])


def _walk_nodes(whole: object) -> Iterator[dict[str, object]]:
    """Yield the objects of a graph from the outside in, without recursion: the nesting is a stranger's."""
    waiting, seen = [whole], 0
    while waiting and seen < MAX_NODES:
        node = waiting.pop(0)
        if isinstance(node, dict):
            seen += 1
            yield node
            waiting.extend(node[name] for name in ("@graph", "mainEntity", "itemListElement") if name in node)
        elif isinstance(node, list):
            waiting.extend(node[:MAX_NODES])


def _read_titles(node: dict[str, object]) -> tuple[str, ...]:
    main = json_fields.read_text(node.get("headline")) or json_fields.read_text(node.get("name"))
    others = [
        *json_fields.read_texts(node.get("name")),
        *json_fields.read_texts(node.get("alternativeHeadline")),
    ]
    return json_fields.list_titles(main, "", *others)[:MAX_TITLES]


def _describe_node(node: dict[str, object], kind: Kind) -> PageDescription:
    issue, volume, journal = _read_containers(node)
    first, last = (json_fields.read_text(node.get(name)) for name in ("pageStart", "pageEnd"))
    paged = json_fields.read_text(node.get("pagination")) or (f"{first}-{last}" if last else first)
    return PageDescription(
        titles=_read_titles(node),
        authors=_read_authors(node.get("author") or node.get("creator")),
        year=dates.find_year(
            json_fields.read_text(node.get("datePublished")) or json_fields.read_text(node.get("dateCreated"))
        ),
        venue=journal,
        volume=volume,
        issue=issue,
        pages=pages.normalise(paged) or "",
        publisher=_read_name(node.get("publisher")),
        ids=_read_ids(node),
        kind=kind,
    )


def _read_containers(node: dict[str, object]) -> tuple[str, str, str]:
    """Return issue, volume and journal: an article is part of an issue, that of a volume, and so on."""
    issue, volume, journal = "", json_fields.read_text(node.get("volumeNumber")), ""
    within = node.get("isPartOf")
    for _ in range(4):
        container = next(iter(json_fields.read_rows(within)), None) if isinstance(within, list) else within
        if not isinstance(container, dict):
            break
        issue = issue or _read_number(container.get("issueNumber"))
        volume = volume or _read_number(container.get("volumeNumber"))
        kinds = [name.lower() for name in json_fields.read_texts(container.get("@type"))]
        if not {"website", "publicationissue", "publicationvolume"} & set(kinds):
            journal = journal or json_fields.read_text(container.get("name"))
        within = container.get("isPartOf")
    return issue, volume, journal


def _read_number(value: object) -> str:
    return str(value) if type(value) is int else json_fields.read_text(value, 50)


def _read_authors(value: object) -> tuple[Name, ...]:
    """Return the authors: people as objects or texts, organisations marked as such."""
    many = value if isinstance(value, list) else [value]
    authors: list[Name] = []
    for author in many[: json_fields.MAX_ROWS]:
        if isinstance(author, str):
            authors.extend(json_fields.parse_people([json_fields.read_text(author)]))
        elif isinstance(author, dict):
            authors.extend(_read_person(author))
    return tuple(authors)


def _read_person(person: dict[str, object]) -> tuple[Name, ...]:
    family, given = (json_fields.read_text(person.get(part), 200) for part in ("familyName", "givenName"))
    if family:
        return (Name(family, given),)
    name = json_fields.read_text(person.get("name"), 200)
    if not name or name.startswith("http"):
        return ()
    if "organization" in " ".join(json_fields.read_texts(person.get("@type"))).lower():
        return (Name(name, collective=True),)
    return json_fields.parse_people([name])


def _read_name(value: object) -> str:
    named = next(iter(json_fields.read_rows(value)), None) if isinstance(value, list) else value
    return json_fields.read_text(named.get("name") if isinstance(named, dict) else named, 300)


def _read_ids(node: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the identifiers in `identifier`, `sameAs`, `doi` and `isbn`."""
    texts: list[str] = []
    for name in ("@id", "identifier", "sameAs", "doi"):
        value = node.get(name)
        for row in value[:20] if isinstance(value, list) else [value]:
            inner = row.get("value") if isinstance(row, dict) else row
            texts.extend([inner[:2000]] if isinstance(inner, str) else [])
    stated = json_fields.collect_ids(("doi", texts), ("isbn", json_fields.read_texts(node.get("isbn"))))
    linked = (pair for text in texts if text.startswith("http") for pair in ids.identify_url(text))
    return tuple(dict.fromkeys((*stated, *(pair for pair in linked if pair[0] != "url"))))
